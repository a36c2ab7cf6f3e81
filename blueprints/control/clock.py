"""API time under the caller's control."""

from __future__ import annotations

from datetime import timedelta

from flask.views import MethodView
from marshmallow import validate

from dryline.blueprints.control.base import ControlArea, TeamQuery, known_team
from dryline.schemas.base import ApiSchema, Boolean, Number, Timestamp
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.world.clock import FIRST, LAST, parse, wire

blp = ControlArea("Control: clock", description="Freeze, set and advance API time.")

_RANGE = f"The clock goes from {wire(FIRST)} to {wire(LAST)}."


class ClockSchema(ApiSchema):
    """API time. `now` moves to a moment, `frozen` lets it stand still there or run on."""

    now = Timestamp(metadata={"description": "the moment, in API time"})
    frozen = Boolean(metadata={"description": "whether the clock stands still"})


class AdvanceSchema(ApiSchema):
    """How far to move forward."""

    seconds = Number(required=True, validate=validate.Range(0), metadata={"description": "may be a fraction"})


@blp.route("/clock", get="getClock", put="setClock", delete="resetClock")
class ClockView(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def get(self, query):
        """Read the clock, the world's or a team's.

        API time: all that the API shows and all that moves by itself goes by it.
        """
        return _read(_clock(query))

    @blp.arguments(ClockSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def put(self, body, query):
        """Set the clock, freeze it or let it run.

        With `team`, for that team alone. Due work is done before the answer: exports expire, campaigns call, runs end.
        A member that is left out stays.
        """
        clock, now = _clock(query), body.get("now")
        try:
            clock.set(parse(now) if now else None, frozen=body.get("frozen"))
        except OverflowError:
            raise Invalid(_RANGE, "now") from None
        return _moved(clock)

    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def delete(self, query):
        """Back to real time.

        With `team`, back to the world's. Due work is done before the answer.
        """
        clock = _clock(query)
        clock.reset()
        return _moved(clock)


@blp.route("/clock/advance", post="advanceClock")
class ClockAdvance(MethodView):
    @blp.arguments(AdvanceSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def post(self, body, query):
        """Move the clock forward.

        With `team`, for that team alone. Due work is done before the answer: exports expire, campaigns call, runs end.
        A frozen clock stays frozen, later.
        """
        clock = _clock(query)
        try:
            clock.advance(timedelta(seconds=body["seconds"]))
        except OverflowError:
            raise Invalid(_RANGE, "seconds") from None
        return _moved(clock)


def _clock(query):
    """Return the clock of the query's team, or the world's. Raises NotFound for an unknown team."""
    with current().reading():
        return current().clock.of(known_team(query.get("team")))


def _moved(clock):
    current().keep_course()
    current().run_due()
    return _read(clock)


def _read(clock):
    return {"now": clock.stamp(), "frozen": clock.is_frozen}
