"""The clock of API time."""

from collections.abc import Callable
from datetime import timedelta

from flask.views import MethodView
from marshmallow import validate

from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import AnyTime, ApiSchema, Boolean, Number
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.world.clock import FIRST, LAST, Clock, parse, wire

blp = ControlArea("Control: clock", description="Freeze, set and advance API time.")


class ClockSchema(ApiSchema):
    """A clock of API time: its time, and whether it is frozen."""

    now = AnyTime(needs_offset=True, metadata={"description": "time of the clock (API time)"})
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

        All times in the API and all background work follow it.
        """
        return _clock_fields()

    @blp.arguments(ClockSchema)
    @blp.response(200, ClockSchema)
    def put(self, body):
        """Set, freeze or unfreeze the clock.

        `now` sets the time, `frozen` stops or starts the clock; fields that are left out keep their value. Due work is
        done before the answer: exports expire, campaigns place calls, runs end.
        """
        now = body.get("now")
        return _move_and_answer("now", lambda clock: clock.set(parse(now) if now else None, frozen=body.get("frozen")))

    @blp.response(200, ClockSchema)
    def delete(self):
        """Reset the clock to real time.

        Due work is done before the answer.
        """
        return _move_and_answer("now", Clock.reset)


@blp.route("/clock/advance", post="advanceClock")
class ClockAdvance(MethodView):
    @blp.arguments(AdvanceSchema)
    @blp.response(200, ClockSchema)
    def post(self, body):
        """Advance the clock.

        Due work is done before the answer: exports expire, campaigns place calls, runs end. A frozen clock stays frozen
        at its new time.
        """
        return _move_and_answer("seconds", lambda clock: clock.advance(timedelta(seconds=body["seconds"])))


def _move_and_answer(field, move):
    """Move the clock, do the work that is due, and return the answer. Raises Invalid, naming `field`."""
    move_clock(field, move)
    current().run_due()
    return _clock_fields()


def move_clock(field: str, move: Callable[[Clock], object]) -> None:
    """Move the clock, and save where it is. Raises Invalid, naming `field`, if that is out of its range."""
    world = current()
    with world.changing():
        try:
            move(world.clock)
        except OverflowError:
            raise Invalid(f"The clock goes from {wire(FIRST)} to {wire(LAST)}.", field) from None
        world.save_runtime_state()


def _clock_fields():
    clock = current().clock
    return {"now": clock.stamp(), "frozen": clock.is_frozen}
