"""The reset to the initial state, between two tests."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea, LenientQuery, TeamQuery, undoable_if
from dryline.schemas.base import ApiSchema
from dryline.state import scenarios
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid

blp = ControlArea("Control: reset", description="Reset to the initial scenario.")


class ResetBody(ApiSchema):
    """The scenario to reset to."""

    scenario = fields.String(
        metadata={"description": "name of a scenario or path of a state document; default: that of the server's start"}
    )


class ResetQuery(TeamQuery, LenientQuery):
    """The team that is reset, or whether mistakes of the scenario are ignored."""


@blp.route("/reset", post="resetState")
class Reset(MethodView):
    @blp.arguments(ResetQuery, location="query")
    @blp.arguments(ResetBody)
    @blp.response(204)
    @blp.errors(404)
    def post(self, query, body):
        """Reset to the initial scenario.

        This resets data, clock, ids, settings, faults, the request log and export files. With `team`, only that team's
        data, faults and requests are deleted; the team keeps its name and keys. A server with a data directory of its
        own keeps a snapshot from before the reset, for `undoLastChange`; a temporary server keeps none.
        """
        world = current()
        if "team" in query and "scenario" in body:
            raise Invalid("A team's reset leaves it empty, without a scenario.", "scenario")
        with undoable_if(True, "reset"):
            if "team" in query:
                scenarios.reset_team(world, query["team"])
            else:
                scenarios.reset(world, body.get("scenario"), lenient=query.get("lenient"))
