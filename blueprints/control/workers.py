"""Workers of all teams, with the ids that other calls of the control plane need."""

from collections import defaultdict

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, TeamQuery, known_team
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.base import ApiSchema

blp = ControlArea("Control: workers", description="Workers of all teams with their flows and deployments.")


class FlowBriefSchema(ApiSchema):
    """A flow of a worker."""

    id = fields.String(metadata={"description": "id of the flow"})
    name = fields.String()


class DeploymentBriefSchema(ApiSchema):
    """A deployment of a worker, of any channel."""

    id = fields.String(metadata={"description": "id of the deployment"})
    type = fields.String(metadata={"description": "channel, such as Voice or Chat"})
    name = fields.String()
    status = fields.String(metadata={"description": "status of the deployment, initially ACTIVE"})
    flow_id = fields.String(metadata={"description": "flow that the deployment runs"})
    phone_number = fields.String(
        allow_none=True, metadata={"description": "phone number of a voice deployment, otherwise null"}
    )


class WorkerBriefSchema(ApiSchema):
    """A worker with its flows and deployments."""

    id = fields.String(metadata={"description": "id of the worker"})
    team_id = fields.String(metadata={"description": "team of the worker"})
    name = fields.String()
    flows = fields.List(fields.Nested(FlowBriefSchema), metadata={"description": "flows of the worker, oldest first"})
    deployments = fields.List(
        fields.Nested(DeploymentBriefSchema), metadata={"description": "deployments, oldest first"}
    )


@blp.route("/workers", get="listWorkersOfAllTeams")
class ControlWorkers(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, WorkerBriefSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the workers of all teams with their flows and deployments, oldest first.

        The list has the ids that other operations of the control plane need.
        """
        team_id = known_team(query.get("team"))
        # All deployments are in one table. Only the class of voice deployments has the phone number.
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
    rows = defaultdict(list)
    for row in _oldest(model, team_id):
        rows[row.worker_id].append(row)
    return rows


def _oldest(model, team_id):
    """Return the rows of one team or of all teams, oldest first."""
    rows = model.select() if team_id is None else model.select().where(model.team_id == team_id)
    return rows.order_by(model.created_at, model.id)
