"""Batch calls and campaigns of legacy voice deployments."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models import batch_calls
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.schemas.campaigns import BatchCallsResultSchema
from dryline.schemas.voicev1_campaigns import (
    Voicev1BatchCallsBodySchema,
    Voicev1CampaignBodySchema,
    Voicev1CampaignDataBodySchema,
    Voicev1CampaignDataSchema,
    Voicev1CampaignRunSchema,
    Voicev1CampaignSchema,
)

blp = Area("Voice V1 campaigns", "/api/workers/<worker_id>/deployments/voicev1/<deployment_id>")
TAGS = ["Voice V1 Deployments"]


@blp.route("/make-batch-calls", tags=TAGS, post="makeVoiceV1BatchCalls")
class MakeVoicev1BatchCalls(MethodView):
    @blp.arguments(Voicev1BatchCallsBodySchema)
    @blp.response(200, BatchCallsResultSchema)
    def post(self, body, worker_id, deployment_id):
        """Queue rows to be called, batch by batch.

        As `makeVoiceBatchCalls`, in the legacy form: `batch_size` and `batch_interval_minutes` may be text, a row's
        `status` other than PENDING leaves it out.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        taken = batch_calls.make(deployment, rows_have_status=True, **body)
        return {"message": f"{taken} calls queued.", "rows_processed": taken}


@blp.route("/campaigns", tags=TAGS, post="createVoiceV1Campaign")
class Voicev1Campaigns(MethodView):
    @blp.arguments(Voicev1CampaignBodySchema, required=False)
    @blp.response(201, Voicev1CampaignSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a legacy campaign.

        It has no rows yet: `runVoiceV1Campaign` brings them.
        """
        return Voicev1Campaign.launch(Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id), **body)


@blp.route("/campaigns/<campaign_id>", tags=TAGS, get="getVoiceV1Campaign")
class Voicev1CampaignById(MethodView):
    @blp.response(200, Voicev1CampaignSchema)
    def get(self, worker_id, deployment_id, campaign_id):
        """Retrieve a campaign with its rows.

        Each row has its `status` and, once it was called, its `result`.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id)


@blp.route("/campaigns/<campaign_id>/run", tags=TAGS, post="runVoiceV1Campaign")
class Voicev1CampaignRun(MethodView):
    @blp.arguments(Voicev1CampaignRunSchema)
    @blp.response(200, Voicev1CampaignSchema)
    def post(self, body, worker_id, deployment_id, campaign_id):
        """Call rows, batch by batch.

        Ten at once, ten more every 5 minutes of API time. A row with an id that the campaign has takes its place;
        400 where two rows of the body have the same id.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).run(body["data"])


@blp.route(
    "/campaigns/<campaign_id>/data/<data_id>", tags=TAGS, get="getVoiceV1CampaignData", put="updateVoiceV1CampaignData"
)
class Voicev1CampaignRow(MethodView):
    @blp.response(200, Voicev1CampaignDataSchema)
    def get(self, worker_id, deployment_id, campaign_id, data_id):
        """Retrieve a row of a campaign.

        404 where the campaign has no row of this id.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).row(data_id)

    @blp.arguments(Voicev1CampaignDataBodySchema)
    @blp.response(200, Voicev1CampaignDataSchema)
    def put(self, body, worker_id, deployment_id, campaign_id, data_id):
        """Change a row of a legacy campaign.

        Members that are left out keep their value. PENDING has the row called (again) now; any other status leaves
        it be.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceV1Deployment, deployment_id)
        return deployment.child(Voicev1Campaign, campaign_id).row(data_id).revise(**body)
