"""Believable conversations on demand. Contract: state.md, answers of the control plane."""

from __future__ import annotations

from typing import Any

from flask.views import MethodView
from marshmallow import ValidationError, fields, validate

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.models.numbering import e164
from dryline.models.voice_logs import OUTCOMES
from dryline.schemas.base import ApiSchema, Boolean, Integer, OneOf, Timestamp
from dryline.storage.current_world import current
from dryline.world.clock import parse, set_current_team

blp = ControlArea("Control: simulate", description="Make calls and chats that look like real ones.")


class OneOrMore(fields.List):
    """A text, or a list of them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(validate=validate.Length(1, 10_000)), validate=validate.Length(1, 50), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        return super()._deserialize([value] if isinstance(value, str) else value, attr, data, **kwargs)


class PhoneNumber(fields.String):
    """A telephone number in any notation. Loads as E.164."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        number = e164(super()._deserialize(value, attr, data, **kwargs) or "")
        if number is None:
            raise ValidationError("Not a telephone number.")
        return number


class SimulateBody(ApiSchema):
    """How many conversations of which deployment, and when."""

    worker_id = fields.String(required=True)
    deployment_id = fields.String(required=True)
    count = Integer(load_default=1, validate=validate.Range(1, 10_000))
    seed = Integer(
        load_default=None, allow_none=True, metadata={"description": "the same seed gives the same content; ids differ"}
    )
    start_time = Timestamp(
        load_default=None,
        allow_none=True,
        metadata={"description": "when the first begins; left out, all lie in the 24 hours before `endTime`"},
    )
    end_time = Timestamp(
        load_default=None,
        allow_none=True,
        metadata={"description": "none ends later; left out, now, which the first may outlast"},
    )
    llm_logs = Boolean(
        load_default=None,
        allow_none=True,
        metadata={"description": "whether to write LLM logs, the bulk of the rows; by default up to a count of 1,000"},
    )
    follow = fields.String(
        load_default=None,
        allow_none=True,
        validate=OneOf("flow", "script"),
        metadata={"description": "what decides what is said; left out, the flow where it runs, else a script"},
    )
    branch = OneOrMore(
        load_default=None,
        allow_none=True,
        metadata={"description": "the text of a condition that each conversation takes, or of several in their order"},
    )


class SimulateCallsBody(SimulateBody):
    """How many calls of which voice deployment, how they go, and when."""

    outcome = fields.String(
        load_default=None,
        allow_none=True,
        validate=OneOf(*OUTCOMES),
        metadata={"description": "left out, what the number says, else a believable mixture"},
    )
    customer_number = PhoneNumber(
        load_default=None,
        allow_none=True,
        metadata={"description": "whom the calls are with; 555-0100 to 0105 of any area say how they come out"},
    )
    direction = fields.String(load_default=None, allow_none=True, validate=OneOf("inbound", "outbound"))
    in_progress = Boolean(
        load_default=False,
        metadata={
            "description": "whether the calls go on by the clock: ringing, then in progress, and over at their end; "
            "without times they begin now"
        },
    )


class SimulatedSchema(ApiSchema):
    """What was made."""

    ids = fields.List(fields.String(), metadata={"description": "ids of the logs, in the order they were made"})


@blp.route("/simulate/calls", post="simulateCalls")
class SimulateCalls(MethodView):
    @blp.arguments(SimulateCallsBody)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, SimulatedSchema)
    @blp.errors(404, 503)
    def post(self, body, query):
        """Make voice calls: logs, sessions, LLM logs and, where one fails in the engine, runtime errors.

        Whole calls of a voice deployment, in the past: `count` of them, by its flow where that runs. `outcome` and
        `branch` say how they go, `seed` makes them repeat. 404 for a worker or deployment that there is not, 503
        while the engine is busy.
        """
        return {"ids": simulate_calls(body, query.get("team"))}


@blp.route("/simulate/chats", post="simulateChats")
class SimulateChats(MethodView):
    @blp.arguments(SimulateBody)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, SimulatedSchema)
    @blp.errors(404, 503)
    def post(self, body, query):
        """Make chats of a chat or chat widget deployment: logs, sessions, LLM logs and runtime errors.

        Whole chats, in the past: `count` of them, by the deployment's flow where that runs. 404 for a worker or
        deployment that there is not, 503 while the engine is busy.
        """
        from dryline.simulator.chats import prepare_chats

        def prepare(world, line, deployment, **options):
            return prepare_chats(world, line, deployment.type, **options)

        return {"ids": _simulate(prepare, body, query.get("team"), "Chat", "ChatEmbed")}


def simulate_calls(body, team_id):
    """Make voice calls, as `SimulateCallsBody` has read them, and give their logs' ids."""
    from dryline.simulator.calls import prepare_calls  # imported late: a start does not need it

    def prepare(world, line, deployment, **options):
        return prepare_calls(world, line, **options)

    return _simulate(prepare, body, team_id, "Voice", "VoiceV1")


def _simulate(prepare, body, team_id, *channels):
    """Have the conversations settled, which may run the flow, and then written in one transaction."""
    from dryline.simulator.deployment_context import deployment_of, line_of

    for name in ("start_time", "end_time"):
        if body[name] is not None:
            body[name] = parse(body[name])
    body["branch"] = body["branch"] or ()
    world = current()
    named = (body.pop("worker_id"), body.pop("deployment_id"), *channels)
    with world.reading():
        deployment = deployment_of(*named, team_id=team_id)
        line = line_of(deployment)
    set_current_team(deployment.team_id)
    prepared = prepare(world, line, deployment, **body)
    with world.transaction():
        deployment_of(*named, team_id=team_id)  # it may be gone by now
        return prepared.write()
