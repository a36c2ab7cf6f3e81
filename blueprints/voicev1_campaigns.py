"""Batch calls and campaigns of Voice V1 (legacy) deployments."""

from flask import g
from flask.views import MethodView

from dryline.models import batch_calls
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.schemas.campaigns import BatchCallsResultSchema
from dryline.schemas.voicev1_campaigns import (
    VoiceV1BatchCallsBody,
    VoiceV1CampaignDataSchema,
    VoiceV1CampaignRunSchema,
    VoiceV1CampaignSchema,
)
from dryline.web.base import Area

blp = Area("Voice V1 campaigns", "/api/workers/<worker_id>/deployments/voicev1/<deployment_id>")
TAGS = ["Voice V1 Deployments"]


@blp.route("/make-batch-calls", tags=TAGS, post="makeVoiceV1BatchCalls")
class MakeVoicev1BatchCalls(MethodView):
    @blp.arguments(VoiceV1BatchCallsBody)
    @blp.response(200, BatchCallsResultSchema)
    def post(self, body, worker_id, deployment_id):
        """Queue calls of a legacy deployment to a list of contacts.

        This is `makeVoiceBatchCalls` in the legacy format: `batch_size` and `batch_interval_minutes` may be text, and
        rows whose `status` is not PENDING are skipped.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        queued = batch_calls.queue_calls(deployment, rows_have_status=True, **body)
        return {"message": f"{queued} calls queued.", "rows_processed": queued}


@blp.route("/campaigns", tags=TAGS, post="createVoiceV1Campaign")
class Voicev1Campaigns(MethodView):
    @blp.arguments(VoiceV1CampaignSchema, required=False)
    @blp.response(201, VoiceV1CampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a legacy campaign.

        It has no rows. Use `runVoiceV1Campaign` to add and call them.
        """
        return Voicev1Campaign.launch(Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id), **body)


@blp.route("/campaigns/<campaign_id>", tags=TAGS, get="getVoiceV1Campaign")
class Voicev1CampaignById(MethodView):
    @blp.response(200, VoiceV1CampaignSchema)
    def get(self, worker_id, deployment_id, campaign_id):
        """Retrieve a legacy campaign with its rows."""
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id)


@blp.route("/campaigns/<campaign_id>/run", tags=TAGS, post="runVoiceV1Campaign")
class Voicev1CampaignRun(MethodView):
    @blp.arguments(VoiceV1CampaignRunSchema)
    @blp.response(200, VoiceV1CampaignSchema)
    def post(self, body, worker_id, deployment_id, campaign_id):
        """Add rows to a legacy campaign and call them.

        Ten rows are called at once and ten more every 5 minutes of API time. A row whose id exists in the campaign
        replaces that row. 400 if two rows of the body have the same id.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).run(body["data"])


@blp.route(
    "/campaigns/<campaign_id>/data/<data_id>", tags=TAGS, get="getVoiceV1CampaignData", put="updateVoiceV1CampaignData"
)
class Voicev1CampaignRow(MethodView):
    @blp.response(200, VoiceV1CampaignDataSchema)
    def get(self, worker_id, deployment_id, campaign_id, data_id):
        """Retrieve a row of a legacy campaign."""
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).fetch_row(data_id)

    @blp.arguments(VoiceV1CampaignDataSchema)
    @blp.response(200, VoiceV1CampaignDataSchema)
    def put(self, body, worker_id, deployment_id, campaign_id, data_id):
        """Update a row of a legacy campaign.

        Fields that are left out keep their value. With status PENDING the row is called now, again if it was called
        before. With any other status it is not called.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).fetch_row(data_id).revise(**body)
