"""Results of Echo runs. The public API starts runs and cannot read them."""

from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea
from dryline.models.echo_runs import EchoRun
from dryline.schemas.echo_runs import EchoRunResultSchema
from dryline.storage.current_world import current

blp = ControlArea("Control: Echo runs", description="Results of Echo runs.")


@blp.route("/echo-runs", get="listEchoRuns")
class EchoRuns(MethodView):
    @blp.response(200, EchoRunResultSchema(many=True))
    def get(self):
        """List Echo runs, newest first.

        The list has the runs of all teams. Finished runs have results.
        """
        with current().reading():
            return EchoRun.of_all_teams()
