"""Back to the start, between two tests."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.schemas.base import ApiSchema
from dryline.state import scenarios
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid

blp = ControlArea("Control: reset", description="Back to the start.")


class ResetBody(ApiSchema):
    """What to start from."""

    scenario = fields.String(
        metadata={"description": "empty, demo, or a state document's file; left out: what the server started with"}
    )


@blp.route("/reset", post="resetState")
class Reset(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.arguments(ResetBody)
    @blp.response(204)
    @blp.errors(404)
    def post(self, query, body):
        """Back to the start scenario: data, clock, ids, live settings, faults, request log, export files.

        Of one team only its data, faults and requests go; it keeps its name and keys.
        """
        world = current()
        if "team" in query:
            if "scenario" in body:
                raise Invalid("A team's reset leaves it empty, without a scenario.", "scenario")
            scenarios.reset_team(world, query["team"])
        else:
            scenarios.reset(world, body.get("scenario"))
