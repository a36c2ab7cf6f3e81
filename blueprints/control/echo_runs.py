"""Echo runs and what came of them: the public API starts runs and has no way to read them."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea
from dryline.models.echo_runs import EchoRun
from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.world.world import current

blp = ControlArea("Control: Echo runs", description="Results of Echo runs.")


class EchoRunResultSchema(ApiSchema):
    """An Echo run of any team, with its results once it has ended."""

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    type = fields.String(dump_only=True)
    agent_data = JsonObject(dump_only=True)
    status = fields.String(dump_only=True, metadata={"description": "QUEUED, RUNNING, PASSED or FAILED"})
    results = fields.List(
        JsonObject(), dump_only=True, allow_none=True, metadata={"description": "one a scorecard and agent, by items"}
    )
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


@blp.route("/echo-runs")
class EchoRuns(MethodView):
    @blp.response(200, EchoRunResultSchema(many=True))
    def get(self):
        """List Echo runs, newest first."""
        with current().reading():
            return list(EchoRun.select().order_by(EchoRun.created_at.desc(), EchoRun.id.desc()))
