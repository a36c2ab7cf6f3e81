"""The clock of API time."""

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
    """A clock of API time: its time, and whether it is frozen."""

    now = Timestamp(metadata={"description": "time of the clock (API time)"})
    frozen = Boolean(metadata={"description": "whether the clock is stopped"})


class AdvanceSchema(ApiSchema):
    """An amount of time to advance the clock by."""

    seconds = Number(
        required=True, validate=validate.Range(0), metadata={"description": "seconds to advance by, may be a fraction"}
    )


@blp.route("/clock", get="getClock", put="setClock", delete="resetClock")
class ClockView(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def get(self, query):
        """Read the clock.

        All times in the API and all background work follow this clock. With `team`, the clock of that team.
        """
        return _as_answer(_clock(query))

    @blp.arguments(ClockSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ClockSchema)
    @blp.errors(404)
    def put(self, body, query):
        """Set, freeze or unfreeze the clock.

        `now` sets the time, `frozen` stops or starts the clock; fields that are left out keep their value. Due work is
        done before the answer: exports expire, campaigns place calls, runs end. With `team`, this applies to that team
        only.
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
        """Reset the clock to real time.

        Due work is done before the answer. With `team`, the team follows the world's clock again.
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
        """Advance the clock.

        Due work is done before the answer: exports expire, campaigns place calls, runs end. A frozen clock stays frozen
        at its new time. With `team`, this applies to that team only.
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
    current().save_runtime_state()
    current().run_due()
    return _as_answer(clock)


def _as_answer(clock):
    return {"now": clock.stamp(), "frozen": clock.is_frozen}
