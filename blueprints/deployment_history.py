"""History of a deployment of any channel."""

from flask import g
from flask.views import MethodView

from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployments import Deployment
from dryline.models.workers import Worker
from dryline.schemas.deployment_history import DeploymentHistoryPageSchema, DeploymentHistoryQuerySchema
from dryline.web.base import Area

blp = Area(
    "Deployment History",
    "/api/workers/<worker_id>/deployments/<deployment_id>/history",
    description="Changes of deployments: fields, old and new values, authors.",
)


@blp.route("", get="listDeploymentHistory")
class DeploymentHistory(MethodView):
    @blp.arguments(DeploymentHistoryQuerySchema, location="query")
    @blp.response(200, DeploymentHistoryPageSchema)
    def get(self, query, worker_id, deployment_id):
        """List the changes of a deployment, newest first.

        Each entry has the changed fields with their old value (`from`) and new value (`to`), and the author. The
        creation itself has no entry. `changeType` selects one kind of change.
        """
        deployment = Worker.fetch(g.team, worker_id).child(Deployment, deployment_id)
        changes = DeploymentHistoryEntry.of_deployment(deployment, query.pop("change_type", None))
        return changes.page(**query)
