"""Look-ups over all teams: workers with the ids that other routes need, and results of Echo runs."""

from collections import defaultdict

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.models.echo_runs import EchoRun
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.base import ApiSchema
from dryline.schemas.echo_runs import EchoRunResultSchema
from dryline.storage.current_world import current

blp = ControlArea("Control: look-ups", description="Workers of all teams, and the results of Echo runs.")


class FlowBriefSchema(ApiSchema):
    """A flow of a worker."""

    id = fields.String()
    name = fields.String()


class DeploymentBriefSchema(FlowBriefSchema):
    """A deployment of a worker, of any channel."""

    type = fields.String(metadata={"description": "channel, such as Voice or Chat"})
    status = fields.String(metadata={"description": "status of the deployment, initially ACTIVE"})
    flow_id = fields.String()
    phone_number = fields.String(allow_none=True)


class WorkerBriefSchema(FlowBriefSchema):
    """A worker with its flows and deployments, oldest first."""

    team_id = fields.String(metadata={"description": "team of the worker"})
    flows = fields.List(fields.Nested(FlowBriefSchema), metadata={"description": "flows of the worker"})
    deployments = fields.List(fields.Nested(DeploymentBriefSchema), metadata={"description": "its deployments"})


@blp.route("/workers", get="listWorkersOfAllTeams")
class ControlWorkers(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, WorkerBriefSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the workers of all teams, oldest first.

        Each has its flows and deployments.
        """
        team_id = query.get("team_id")
        # All deployments are in one table. Only the class of voice deployments has the phone number.
        flows, deployments = _rows_by_worker(Flow, team_id), _rows_by_worker(VoiceDeployment, team_id)
        return [
            {**worker.__data__, "flows": flows[worker.id], "deployments": deployments[worker.id]}
            for worker in _oldest_first(Worker, team_id)
        ]


def _rows_by_worker(model, team_id):
    rows = defaultdict(list)
    for row in _oldest_first(model, team_id):
        rows[row.worker_id].append(row)
    return rows


def _oldest_first(model, team_id):
    """Return the rows of one team or of all teams, oldest first."""
    rows = model.select() if team_id is None else model.select().where(model.team_id == team_id)
    return rows.order_by(model.created_at, model.id)


@blp.route("/echo-runs", get="listEchoRuns")
class EchoRuns(MethodView):
    @blp.response(200, EchoRunResultSchema(many=True))
    def get(self):
        """List the Echo runs of all teams, newest first.

        Finished runs have results, which the API cannot read.
        """
        with current().reading():
            return EchoRun.of_all_teams()
