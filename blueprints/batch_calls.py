"""Batch calls of voice deployments."""

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models import batch_calls
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.campaigns import BatchCallsResultSchema, QueueRemovalSchema, VoiceBatchCallsBodySchema

blp = Area("Batch calls", "/api/workers/<worker_id>/deployments/voice/<deployment_id>")
TAGS = ["Voice Deployments"]


@blp.route("/make-batch-calls", tags=TAGS, post="makeVoiceBatchCalls")
class MakeBatchCalls(MethodView):
    @blp.arguments(VoiceBatchCallsBodySchema)
    @blp.response(200, BatchCallsResultSchema)
    def post(self, body, worker_id, deployment_id):
        """Queue calls to a list of contacts.

        The first `batch_size` rows are called at once, each following batch `batch_interval_minutes` of API time later.
        Each call creates a voice log; a row without a usable `phoneNumber` becomes a failed call. Rows that do not meet
        `condition` are skipped. 400 if the condition has a syntax error.
        """
        queued = batch_calls.make(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id), **body)
        return {"message": f"{queued} calls queued.", "rows_processed": queued}


@blp.route("/stop-batch-calls", tags=TAGS, post="stopVoiceBatchCalls")
class StopBatchCalls(MethodView):
    @blp.response(200, QueueRemovalSchema)
    def post(self, worker_id, deployment_id):
        """Cancel all queued batch calls.

        The cancelled calls are returned as `removedItems`. Campaigns continue.
        """
        removed = batch_calls.stop(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id))
        message = f"{len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}
