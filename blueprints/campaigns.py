"""Outbound campaigns of voice deployments."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.campaigns import OutboundCampaign
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.campaigns import (
    CampaignUpdateBodySchema,
    OutboundCampaignBodySchema,
    OutboundCampaignSchema,
    QueueRemovalSchema,
    StopCampaignSchema,
)

blp = Area(
    "Voice Deployment Outbound Data",
    "/api/workers/<worker_id>/deployments/voice/<deployment_id>",
    description="Campaigns: contact rows that a voice deployment calls, batch by batch.",
)


@blp.route("/outbound-campaigns", get="listOutboundCampaigns", post="createOutboundCampaign")
class OutboundCampaigns(MethodView):
    @blp.response(200, OutboundCampaignSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a deployment's campaigns, newest first.

        All of them, without pages, each with its rows.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return OutboundCampaign.listing(deployment, deployment_id=deployment.id)

    @blp.arguments(OutboundCampaignBodySchema)
    @blp.response(201, OutboundCampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a campaign.

        STARTED or RUNNING places its calls: `batch_size` rows at once, the next batch after each
        `batch_interval_minutes` of API time, and COMPLETED when the last call is over. CREATED, the default, waits
        until `updateOutboundCampaign` sets one of these. Each row ends in a voice log whose `metadata` has
        `campaignId` and `rowId`. 404 for a flow that the worker does not have.
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
        """Retrieve a campaign.

        404 where the deployment has none of this id.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.child(OutboundCampaign, campaign_id)

    @blp.arguments(CampaignUpdateBodySchema(partial=True))
    @blp.response(200, OutboundCampaignSchema)
    def patch(self, body, worker_id, deployment_id, campaign_id):
        """Change a campaign.

        Members that are left out keep their value. What is still to be called follows them: `status` RUNNING starts
        it, or goes on after a stop with the rows that were not called; any other status takes what is queued out.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.child(OutboundCampaign, campaign_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, campaign_id):
        """Delete a campaign.

        What it has queued goes with it; the logs of its calls stay.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        deployment.child(OutboundCampaign, campaign_id).remove()


@blp.route("/stop-campaign", post="stopCampaign")
class StopCampaign(MethodView):
    @blp.arguments(StopCampaignSchema)
    @blp.response(200, QueueRemovalSchema)
    def post(self, body, worker_id, deployment_id):
        """Stop a campaign.

        What it has queued is taken out and given back as `removedItems`; its status is STOPPED. 404 naming
        `campaign_id` where the deployment has no such campaign.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        campaign = deployment.child(OutboundCampaign, body["campaign_id"], field="campaign_id")
        removed = campaign.stop()
        message = f"Campaign {campaign.id} stopped, {len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}
