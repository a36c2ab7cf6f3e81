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
        deployment = _deployment(worker_id, deployment_id)
        return OutboundCampaign.listing(deployment, deployment_id=deployment.id)

    @blp.arguments(OutboundCampaignBodySchema)
    @blp.response(201, OutboundCampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a campaign. It calls its rows once it is STARTED or RUNNING."""
        body.pop("team_id", None)
        return OutboundCampaign.launch(_deployment(worker_id, deployment_id), **body)


@blp.route("/outbound-campaigns/<campaign_id>")
class OutboundCampaignById(MethodView):
    @blp.response(200, OutboundCampaignSchema)
    def get(self, worker_id, deployment_id, campaign_id):
        """Retrieve a campaign."""
        return _campaign(worker_id, deployment_id, campaign_id)

    @blp.arguments(CampaignUpdateBodySchema(partial=True))
    @blp.response(200, OutboundCampaignSchema)
    def patch(self, body, worker_id, deployment_id, campaign_id):
        """Change the members that are sent. What is still to be called follows them."""
        return _campaign(worker_id, deployment_id, campaign_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, campaign_id):
        """Delete a campaign and what it has queued. Its calls' logs stay."""
        _campaign(worker_id, deployment_id, campaign_id).remove()


@blp.route("/stop-campaign")
class StopCampaign(MethodView):
    @blp.arguments(StopCampaignSchema)
    @blp.response(200, QueueRemovalSchema)
    def post(self, body, worker_id, deployment_id):
        """Stop a campaign: take its queued calls out and give them back."""
        deployment = _deployment(worker_id, deployment_id)
        campaign = OutboundCampaign.fetch(g.team, body["campaign_id"], field="campaign_id", deployment_id=deployment.id)
        removed = campaign.stop()
        message = f"Campaign {campaign.id} stopped, {len(removed)} queued calls removed."
        return {"message": message, "removed_count": len(removed), "removed_items": removed}


def _deployment(worker_id, deployment_id):
    return VoiceDeployment.fetch(g.team, deployment_id, worker_id=Worker.fetch(g.team, worker_id).id)


def _campaign(worker_id, deployment_id, campaign_id):
    deployment = _deployment(worker_id, deployment_id)
    return OutboundCampaign.fetch(g.team, campaign_id, deployment_id=deployment.id)
