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


@blp.route("/outbound-campaigns")
class OutboundCampaigns(MethodView):
    @blp.response(200, OutboundCampaignSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a deployment's campaigns, newest first."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        return OutboundCampaign.listing(deployment, deployment_id=deployment.id)

    @blp.arguments(OutboundCampaignBodySchema)
    @blp.response(201, OutboundCampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a campaign. It calls its rows once it is STARTED or RUNNING."""
        return OutboundCampaign.launch(Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id), **body)


@blp.route("/outbound-campaigns/<campaign_id>")
class OutboundCampaignById(MethodView):
    @blp.response(200, OutboundCampaignSchema)
    def get(self, worker_id, deployment_id, campaign_id):
        """Retrieve a campaign."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        return deployment.its(OutboundCampaign, campaign_id)

    @blp.arguments(CampaignUpdateBodySchema(partial=True))
    @blp.response(200, OutboundCampaignSchema)
    def patch(self, body, worker_id, deployment_id, campaign_id):
        """Change the members that are sent. What is still to be called follows them."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        return deployment.its(OutboundCampaign, campaign_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, campaign_id):
        """Delete a campaign and what it has queued. Its calls' logs stay."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        deployment.its(OutboundCampaign, campaign_id).remove()


@blp.route("/stop-campaign")
class StopCampaign(MethodView):
    @blp.arguments(StopCampaignSchema)
    @blp.response(200, QueueRemovalSchema)
    def post(self, body, worker_id, deployment_id):
        """Stop a campaign: take its queued calls out and give them back."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        campaign = deployment.its(OutboundCampaign, body["campaign_id"], field="campaign_id")
        removed = campaign.stop()
        message = f"Campaign {campaign.id} stopped, {len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}
