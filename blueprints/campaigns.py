"""Outbound campaigns and batch calls of voice deployments."""

from flask import g
from flask.views import MethodView

from dryline.models import batch_calls
from dryline.models.campaigns import OutboundCampaign
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.campaigns import (
    BatchCallsResultSchema,
    CampaignUpdateBody,
    OutboundCampaignBody,
    OutboundCampaignSchema,
    QueueRemovalSchema,
    StopCampaignSchema,
    VoiceBatchCallsBody,
)
from dryline.web.base import Area

blp = Area(
    "Voice Deployment Outbound Data",
    "/api/workers/<worker_id>/deployments/voice/<deployment_id>",
    description="Campaigns: lists of contacts that a voice deployment calls, batch by batch.",
)


@blp.route("/outbound-campaigns", get="listOutboundCampaigns", post="createOutboundCampaign")
class OutboundCampaigns(MethodView):
    @blp.response(200, OutboundCampaignSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a deployment's campaigns, newest first."""
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return OutboundCampaign.listing(deployment, deployment_id=deployment.id)

    @blp.arguments(OutboundCampaignBody)
    @blp.response(201, OutboundCampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a campaign.

        With status STARTED or RUNNING, the first `batch_size` rows are called at once and each following batch
        `batch_interval_minutes` of API time later. The campaign is COMPLETED when its last call has ended. With status
        CREATED, the default, it waits until `updateOutboundCampaign` starts it. Each call creates a voice log whose
        `metadata` has `campaignId` and `rowId`. 404 if the worker has no such flow.
        """
        return OutboundCampaign.launch(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id), **body)


@blp.route(
    "/outbound-campaigns/<campaign_id>",
    get="getOutboundCampaign",
    patch="updateOutboundCampaign",
    delete="deleteOutboundCampaign",
)
class OutboundCampaignById(MethodView):
    @blp.response(200, OutboundCampaignSchema)
    def get(self, worker_id, deployment_id, campaign_id):
        """Retrieve a campaign."""
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.child(OutboundCampaign, campaign_id)

    @blp.arguments(CampaignUpdateBody(partial=True))
    @blp.response(200, OutboundCampaignSchema)
    def patch(self, body, worker_id, deployment_id, campaign_id):
        """Update a campaign.

        Changes apply to the calls that are not made yet. Status RUNNING starts the campaign, or resumes a stopped one
        with its remaining rows. Any other status cancels the queued calls.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.child(OutboundCampaign, campaign_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, campaign_id):
        """Delete a campaign.

        Its queued calls are deleted as well. Logs of its calls remain.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        deployment.child(OutboundCampaign, campaign_id).remove()


@blp.route("/stop-campaign", post="stopCampaign")
class StopCampaign(MethodView):
    @blp.arguments(StopCampaignSchema)
    @blp.response(200, QueueRemovalSchema)
    def post(self, body, worker_id, deployment_id):
        """Stop a campaign.

        Queued calls are cancelled and returned as `removedItems`. The campaign's status becomes STOPPED. 404 naming
        `campaign_id` if the deployment has no such campaign.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        campaign = deployment.child(OutboundCampaign, body["campaign_id"], field="campaign_id")
        removed = campaign.stop()
        message = f"Campaign {campaign.id} stopped, {len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}


@blp.route("/make-batch-calls", tags=["Voice Deployments"], post="makeVoiceBatchCalls")
class MakeBatchCalls(MethodView):
    @blp.arguments(VoiceBatchCallsBody)
    @blp.response(200, BatchCallsResultSchema)
    def post(self, body, worker_id, deployment_id):
        """Queue calls to a list of contacts.

        The first `batch_size` rows are called at once, each following batch `batch_interval_minutes` of API time later.
        Each call creates a voice log; a row without a usable `phoneNumber` becomes a failed call. Rows that do not meet
        `condition` are skipped. 400 if the condition has a syntax error.
        """
        queued = batch_calls.queue_calls(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id), **body)
        return {"message": f"{queued} calls queued.", "rows_processed": queued}


@blp.route("/stop-batch-calls", tags=["Voice Deployments"], post="stopVoiceBatchCalls")
class StopBatchCalls(MethodView):
    @blp.response(200, QueueRemovalSchema)
    def post(self, worker_id, deployment_id):
        """Cancel all queued batch calls.

        The cancelled calls are returned as `removedItems`. Campaigns continue.
        """
        removed = batch_calls.remove_queued_calls(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id))
        message = f"{len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}
