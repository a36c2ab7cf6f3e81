"""Conversations with flows that are stored as rows between their turns.

A flow runs outside of any transaction: it may take a second and use the network.
"""

from dataclasses import asdict, dataclass, field
from typing import Any

from dryline.flow.language.errors import CodeRefused
from dryline.flow.language.events import Message
from dryline.flow.language.session import FlowSession, NotLoadable, SessionOver
from dryline.flow.language.stubs import Answers, UnusedAnswers
from dryline.flow.sessions.engines import engine_of, invalid_code_error
from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import look_up_deployment
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.teams import Team, start_team
from dryline.models.workers import Worker
from dryline.storage.errors import Conflict, Invalid, NotFound
from dryline.world.world import World

_SOURCES = ("code", "worker_id", "flow_id", "deployment_id")
MAX_DUMP_BYTES = 2_000_000  # of a session between two turns
VOICE = ("Voice", "VoiceV1")  # types of deployments whose flows have transfer() and end_call()


@dataclass(slots=True)
class FlowSource:
    """The code of a conversation, the member of the request that names it, and the columns of the session's row."""

    team_id: str
    code: str
    member: str
    columns: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] | None = None
    channel: str = "voice"


def find_source(
    team_id: str | None,
    *,
    code: str | None = None,
    worker_id: str | None = None,
    flow_id: str | None = None,
    deployment_id: str | None = None,
) -> FlowSource:
    """Return the code itself, a flow's or a deployment's; exactly one is passed. Raises NotFound.

    Without a team, flows and deployments of all teams are searched. `worker_id` is the worker that `code` belongs to.
    """
    if code is not None:
        team = start_team() if team_id is None else Team.by_id(team_id)
        if team is None:
            raise NotFound("There is no team.")
        return FlowSource(team.id, code, "code", {"worker_id": worker_id} if worker_id else {})
    if flow_id is not None:
        return source_of_flow(Flow.by_id(flow_id, team_id, field="flow_id"))
    base = Deployment.by_id(deployment_id or "", team_id, field="deployment_id")
    # The flow in the version that the deployment is pinned to, with its parameters over the variables.
    flow = Flow.fetch(base, base.flow_id)
    pinned = getattr(look_up_deployment(base, base.id), "flow_version_id", None)
    version = apply_version_and_parameters(flow, pinned, base.id)
    columns = {"worker_id": base.worker_id, "flow_id": flow.id, "deployment_id": base.id}
    channel = "voice" if base.type in VOICE else "chat"
    return FlowSource(base.team_id, version.code, "deployment_id", columns, version.merged_parameters, channel)


def source_of_flow(flow: Flow) -> FlowSource:
    """Return the current code of a flow, with its variables."""
    columns = {"worker_id": flow.worker_id, "flow_id": flow.id}
    return FlowSource(flow.team_id, flow.code, "flow_id", columns, flow.variables)


def begin(
    world: World,
    team_id: str | None,
    *,
    say: str | None = None,
    variables: dict[str, Any] | None = None,
    channel: str | None = None,
    **options: Any,
) -> TalkSession:
    """Run a flow until it first waits for the user, and store the session. `options` go to `Engine.open`.

    `say` is a message of the user that opens the conversation. `options` also name the flow, as `find_source` does.
    Raises NotFound, Invalid for code that cannot run, Busy.
    """
    reference = {name: options.pop(name) for name in _SOURCES if name in options}
    with world.reading():
        source = find_source(team_id, **reference)
    if source.variables is not None or variables is not None:
        variables = {**(source.variables or {}), **(variables or {})}
    return begin_from_source(world, source, say, variables=variables, channel=channel or source.channel, **options)


def begin_from_source(
    world: World,
    source: FlowSource,
    say: str | None,
    *,
    messages: list[Message] | None = None,
    name: str | None = None,
    **options: Any,
) -> TalkSession:
    """Run a flow until it first waits for the user, and store the session with its `name`.

    `messages` were said before. `options` go to `Engine.open`. Raises Invalid for code that cannot run, Busy, and
    NotFound if the team or worker was deleted meanwhile.
    """
    world.enter_team(source.team_id)
    engine = engine_of(world)
    try:
        program = engine.program(source.code, f"{source.columns.get('flow_id') or 'flow'}.based")
        session = engine.open(program, **options)
    except CodeRefused as refused:
        raise invalid_code_error(refused, source.member) from None
    session.messages += messages or []
    events = [event.as_dict() for event in session.start(say)]
    with world.transaction():
        team = Team.by_id(source.team_id)
        if "worker_id" in source.columns:
            Worker.fetch(team, source.columns["worker_id"])
        return TalkSession.begin(team, **source.columns, name=name, events=events, **_progress_columns(session))


def take_turn(
    world: World,
    id: str,
    team_id: str | None,
    *,
    say: str | None = None,
    choose: str | int | None = None,
    arguments: dict[str, Any] | None = None,
    answers: Answers | None = None,
) -> TalkSession:
    """Load a session, run one turn of the user and store it.

    The user says something, or chooses a condition by its text or number; `say` are then the words that led to it.

    Raises NotFound, Conflict if it is over or another turn came first, Invalid for a condition that is not open and for
    answers that no question asked for, Busy.
    """
    with world.reading():
        row = TalkSession.by_id(id, team_id)
    world.enter_team(row.team_id)
    try:
        session = engine_of(world).load(bytes(row.dump))
        if choose is None:
            events = session.say(say or "", answers=answers)
        else:
            events = session.choose(choose, utterance=say, arguments=arguments, answers=answers)
    except (NotLoadable, SessionOver) as fault:
        raise Conflict(str(fault)) from None
    except LookupError as unknown:
        raise Invalid(str(unknown.args[0]), "choose") from None
    except UnusedAnswers as unused:
        raise Invalid(str(unused), "answers") from None
    with world.transaction():
        return row.go_on(events=[event.as_dict() for event in events], **_progress_columns(session))


def _progress_columns(session: FlowSession) -> dict[str, Any]:
    """Return the columns of the row that depend on the session's progress. Raises Conflict if they are too large."""
    dump = session.dump()
    if len(dump) > MAX_DUMP_BYTES:
        raise Conflict(f"The flow holds more than {MAX_DUMP_BYTES:,} bytes between two turns.")
    return {
        "waiting": session.waiting,
        "ended": session.ended,
        "failure": asdict(session.failure) if session.failure else None,
        "extracted": session.extracted,
        "state": session.state,
        "dump": dump,
    }
