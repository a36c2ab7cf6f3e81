"""Simulated conversations. Contract: state.md, answers of the control plane."""

from dataclasses import replace
from typing import Any

from flask.views import MethodView
from marshmallow import ValidationError, fields, validate

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.numbering import e164
from dryline.models.voice_logs import OUTCOMES, VoiceLog
from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, OneOf, Timestamp
from dryline.schemas.talk_sessions import HttpStubSchema
from dryline.storage.current_world import current
from dryline.world.clock import parse

LOGS = {"Voice": VoiceLog, "VoiceV1": VoiceLog, "Chat": ChatLog, "ChatEmbed": ChatEmbedLog}

blp = ControlArea("Control: simulate", description="Simulate complete calls and chats.")


class OneOrMore(fields.List):
    """A text, or a list of texts."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(validate=validate.Length(1, 10_000)), validate=validate.Length(1, 50), **kwargs)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        values = [value] if isinstance(value, str) else value
        return super()._deserialize(values, attr, data, **kwargs)


class PhoneNumberField(fields.String):
    """A telephone number in any notation, loaded as E.164."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> str:
        number = e164(super()._deserialize(value, attr, data, **kwargs) or "")
        if number is None:
            raise ValidationError("Not a telephone number.")
        return number


class SimulateBody(ApiSchema):
    """Conversations to simulate: their deployment, number and time."""

    worker_id = fields.String(required=True)
    deployment_id = fields.String(required=True)
    count = Integer(
        load_default=1, validate=validate.Range(1, 10_000), metadata={"description": "number of conversations"}
    )
    seed = Integer(load_default=None, metadata={"description": "the same seed gives the same content, with other ids"})
    start_time = Timestamp(
        load_default=None,
        needs_offset=True,
        metadata={"description": "start of the first conversation; default: within the 24 hours before `endTime`"},
    )
    end_time = Timestamp(
        load_default=None, needs_offset=True, metadata={"description": "end of the last conversation; default: now"}
    )
    llm_logs = Boolean(
        load_default=None, metadata={"description": "whether to write LLM logs; default: true up to a count of 1,000"}
    )
    follow = fields.String(
        load_default=None,
        validate=OneOf("flow", "script"),
        metadata={"description": "source of the dialogue; default: the flow if it can run, otherwise a script"},
    )
    branch = OneOrMore(
        load_default=None, metadata={"description": "text of a condition to take, or of several in their order"}
    )
    answers = JsonObject(
        load_default=None, metadata={"description": "answers to the flow's `ask`, by the member's name or the question"}
    )
    http = fields.List(
        fields.Nested(HttpStubSchema),
        load_default=None,
        validate=validate.Length(max=200),
        metadata={"description": "responses to the flow's requests, instead of a network; the first that fits counts"},
    )
    shares = fields.Dict(
        keys=fields.String(),
        values=fields.Float(validate=validate.Range(min=0, max=1_000_000)),
        load_default=None,
        metadata={
            "description": "how usual conditions are, by their text, from 0 (only where a conversation needs it) to "
            "1,000,000; default: the first of a loop 1, each further one 0.7 of the one before"
        },
    )


class SimulateCallsBody(SimulateBody):
    """Calls to simulate: their deployment, number, course and time."""

    outcome = fields.String(
        load_default=None,
        validate=OneOf(*OUTCOMES),
        metadata={"description": "outcome of each call; default: a realistic mixture, or that of a test number"},
    )
    customer_number = PhoneNumberField(
        load_default=None,
        metadata={"description": "number of the other side; 555-0100 to 555-0105 of any area determine the outcome"},
    )
    direction = fields.String(load_default=None, validate=OneOf("inbound", "outbound"))
    in_progress = Boolean(
        load_default=False,
        metadata={"description": "whether the calls ring now, unless a time is sent, and proceed with the clock"},
    )


class NotTakenSchema(ApiSchema):
    """A conversation that the flow's code led elsewhere than the request wanted."""

    id = fields.String(metadata={"description": "id of the log"})
    branch = fields.String(
        allow_none=True, metadata={"description": "first condition of `branch` that was not taken; null if all were"}
    )
    outcome = fields.String(allow_none=True, metadata={"description": "the `outcome` that the call does not have"})
    taken = fields.String(allow_none=True, metadata={"description": "condition that was taken last instead"})


class SimulatedSchema(ApiSchema):
    """The logs of simulated conversations. `notTaken` is left out where it would be empty."""

    class Meta(ApiSchema.Meta):
        sometimes = ("not_taken",)

    ids = fields.List(fields.String(), metadata={"description": "ids of the logs, in the order of their creation"})
    not_taken = fields.List(
        fields.Nested(NotTakenSchema),
        metadata={"description": "conversations that the flow led elsewhere than `branch` or `outcome` wanted"},
    )


@blp.route("/simulate/calls", post="simulateCalls")
class SimulateCalls(MethodView):
    @blp.arguments(SimulateCallsBody)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, SimulatedSchema)
    @blp.errors(404, 503)
    def post(self, body, query):
        """Simulate calls of a voice deployment.

        This creates `count` complete calls in the past: logs, sessions, LLM logs and runtime errors. A call runs the
        deployment's flow, once, if it can run. `outcome` and `branch` say what callers want, `seed` makes calls repeat.
        Calls that the flow led elsewhere are kept; `notTaken` lists them. 503 while the engine is busy.
        """
        from dryline.simulator.calls import prepare_calls  # noqa: PLC0415  # 62 ms

        return simulate(prepare_calls, body, query.get("team_id"), "Voice", "VoiceV1")


@blp.route("/simulate/chats", post="simulateChats")
class SimulateChats(MethodView):
    @blp.arguments(SimulateBody)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, SimulatedSchema)
    @blp.errors(404, 503)
    def post(self, body, query):
        """Simulate chats of a chat or chat widget deployment.

        This creates `count` complete chats in the past. A chat runs the deployment's flow, once, if it can run.
        """
        from dryline.simulator.chats import prepare_chats  # noqa: PLC0415  # 63 ms

        return simulate(prepare_chats, body, query.get("team_id"), "Chat", "ChatEmbed")


def simulate(prepare, body, team_id, *channels):
    """Create conversations from the fields of a loaded body, and return the answer.

    `prepare` plans them, which may run the flow. They are written in portions, each in a transaction: what a flow has
    sent to other servers cannot be rolled back.
    """
    from dryline.simulator.deployment_context import context_of, deployment_of  # noqa: PLC0415  # 31 ms
    from dryline.simulator.request import SimulationRequest  # noqa: PLC0415  # 63 ms

    for name in ("start_time", "end_time"):
        if body[name] is not None:
            body[name] = parse(body[name])
    body["branch"] = body["branch"] or ()
    world = current()
    names = (body.pop("worker_id"), body.pop("deployment_id"), *channels)
    with world.reading():
        deployment = deployment_of(*names, team_id=team_id)
        context = replace(context_of(deployment), answers=body.pop("answers"), http=body.pop("http"))
        newest = LOGS[deployment.type].newest_start(context.worker_id, deployment.id)
    world.enter_team(deployment.team_id)
    batch = prepare(world, context, SimulationRequest(after=parse(newest) if newest else None, **body))
    for portion in batch.portions():
        with world.transaction():
            deployment_of(*names, team_id=team_id)  # raises NotFound if it was deleted meanwhile
            batch.write(portion)
    answer = {"ids": batch.ids}
    if batch.not_taken:
        answer["not_taken"] = batch.not_taken
    return answer
