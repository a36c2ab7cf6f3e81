"""Who is there: the ids that other calls ask for, of every team, without a key."""

from __future__ import annotations

from collections import defaultdict

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, TeamQuery, known_team
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.base import ApiSchema

blp = ControlArea("Control: workers", description="Workers with their flows and deployments, for who looks for an id.")


class FlowBriefSchema(ApiSchema):
    """A flow of a worker."""

    id = fields.String(metadata={"description": "the flow's id"})
    name = fields.String(metadata={"description": "what its owner calls it"})


class DeploymentBriefSchema(ApiSchema):
    """A deployment of a worker, on any channel."""

    id = fields.String(metadata={"description": "the deployment's id"})
    type = fields.String(metadata={"description": "its channel, such as Voice or Chat"})
    name = fields.String(metadata={"description": "what its owner calls it"})
    status = fields.String(metadata={"description": "ACTIVE, or what it was set to"})
    flow_id = fields.String(metadata={"description": "the flow that it runs"})
    phone_number = fields.String(allow_none=True, metadata={"description": "of a voice deployment, else null"})


class WorkerBriefSchema(ApiSchema):
    """A worker and what it has."""

    id = fields.String(metadata={"description": "the worker's id"})
    team_id = fields.String(metadata={"description": "the team that it belongs to"})
    name = fields.String(metadata={"description": "what its owner calls it"})
    flows = fields.List(fields.Nested(FlowBriefSchema), metadata={"description": "oldest first"})
    deployments = fields.List(fields.Nested(DeploymentBriefSchema), metadata={"description": "oldest first"})


@blp.route("/workers", get="listWorkersOfAllTeams")
class ControlWorkers(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, WorkerBriefSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List workers with their flows and deployments.

        Oldest first, of all teams: the ids that other calls of the control plane ask for.
        """
        team_id = known_team(query.get("team"))
        # A channel's class, read without its channel: all deployments lie in one table, and only voice has a number.
        flows, deployments = _by_worker(Flow, team_id), _by_worker(VoiceDeployment, team_id)
        return [
            {
                **{name: getattr(worker, name) for name in ("id", "team_id", "name")},
                "flows": flows[worker.id],
                "deployments": deployments[worker.id],
            }
            for worker in _oldest(Worker, team_id)
        ]


def _by_worker(model, team_id):
    found = defaultdict(list)
    for row in _oldest(model, team_id):
        found[row.worker_id].append(row)
    return found


def _oldest(model, team_id):
    """The rows of one team, or of all, oldest first."""
    found = model.select() if team_id is None else model.select().where(model.team_id == team_id)
    return found.order_by(model.created_at, model.id)
