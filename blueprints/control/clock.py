"""API time under the caller's control."""

from __future__ import annotations

from datetime import timedelta

from flask.views import MethodView
from marshmallow import validate

from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema, Boolean, Number, Timestamp
from dryline.world.clock import FIRST, LAST, parse, wire
from dryline.world.errors import Invalid
from dryline.world.world import current

blp = ControlArea("Control: clock", description="Freeze, set and advance API time.")

_RANGE = f"The clock goes from {wire(FIRST)} to {wire(LAST)}."


class ClockSchema(ApiSchema):
    """API time. `now` moves to a moment, `frozen` lets it stand still there or run on."""

    now = Timestamp()
    frozen = Boolean()


class AdvanceSchema(ApiSchema):
    """How far to move forward."""

    seconds = Number(required=True, validate=validate.Range(0), metadata={"description": "may be a fraction"})


@blp.route("/clock")
class ClockView(MethodView):
    @blp.response(200, ClockSchema)
    def get(self):
        """Read the clock."""
        return _read()

    @blp.arguments(ClockSchema)
    @blp.response(200, ClockSchema)
    def put(self, body):
        """Set the clock, freeze it or let it run. Due work is done before the answer."""
        now = body.get("now")
        try:
            current().clock.set(parse(now) if now else None, frozen=body.get("frozen"))
        except OverflowError:
            raise Invalid(_RANGE, "now") from None
        return _moved()

    @blp.response(200, ClockSchema)
    def delete(self):
        """Back to real time. Due work is done before the answer."""
        current().clock.reset()
        return _moved()


@blp.route("/clock/advance")
class ClockAdvance(MethodView):
    @blp.arguments(AdvanceSchema)
    @blp.response(200, ClockSchema)
    def post(self, body):
        """Move the clock forward. Due work is done before the answer."""
        try:
            current().clock.advance(timedelta(seconds=body["seconds"]))
        except OverflowError:
            raise Invalid(_RANGE, "seconds") from None
        return _moved()


def _moved():
    current().keep_course()
    current().run_due()
    return _read()


def _read():
    clock = current().clock
    return {"now": clock.stamp(), "frozen": clock.frozen}
