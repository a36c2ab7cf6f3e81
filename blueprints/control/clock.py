"""The clock of API time."""

from datetime import timedelta

from flask.views import MethodView
from marshmallow import validate

from dryline.blueprints.control.base import ControlArea
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
    @blp.response(200, ClockSchema)
    def get(self):
        """Read the clock.

        All times in the API and all background work follow this clock.
        """
        return _as_answer()

    @blp.arguments(ClockSchema)
    @blp.response(200, ClockSchema)
    def put(self, body):
        """Set, freeze or unfreeze the clock.

        `now` sets the time, `frozen` stops or starts the clock; fields that are left out keep their value. Due work is
        done before the answer: exports expire, campaigns place calls, runs end.
        """
        now = body.get("now")
        try:
            current().clock.set(parse(now) if now else None, frozen=body.get("frozen"))
        except OverflowError:
            raise Invalid(_RANGE, "now") from None
        return _moved()

    @blp.response(200, ClockSchema)
    def delete(self):
        """Reset the clock to real time.

        Due work is done before the answer.
        """
        current().clock.reset()
        return _moved()


@blp.route("/clock/advance", post="advanceClock")
class ClockAdvance(MethodView):
    @blp.arguments(AdvanceSchema)
    @blp.response(200, ClockSchema)
    def post(self, body):
        """Advance the clock.

        Due work is done before the answer: exports expire, campaigns place calls, runs end. A frozen clock stays frozen
        at its new time.
        """
        try:
            current().clock.advance(timedelta(seconds=body["seconds"]))
        except OverflowError:
            raise Invalid(_RANGE, "seconds") from None
        return _moved()


def _moved():
    current().save_runtime_state()
    current().run_due()
    return _as_answer()


def _as_answer():
    clock = current().clock
    return {"now": clock.stamp(), "frozen": clock.is_frozen}
