"""Conversations that are kept as rows between their turns.

A flow runs outside of any transaction: it may take a second, and ask the network.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from dryline.engine.errors import CodeRefused
from dryline.engine.events import Event
from dryline.engine.session import NotLoadable, Session, SessionOver
from dryline.flow_sessions.engines import engine_of, refusal
from dryline.models.deployment_parameters import show_flow
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import look_up_deployment
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.teams import Team, start_team
from dryline.models.workers import Worker
from dryline.storage.errors import Conflict, Invalid, NotFound
from dryline.world.world import World

VOICE = ("Voice", "VoiceV1")  # deployments on which there are transfer() and end_call()


@dataclass(slots=True)
class Source:
    """The code of a conversation. `member` is what named it; `columns` are those of its row."""

    team_id: str
    code: str
    member: str
    columns: dict[str, Any] = field(default_factory=dict)
    variables: dict[str, Any] | None = None
    channel: str = "voice"

    @property
    def file(self) -> str:
        """What messages call it."""
        return f"{self.columns.get('flow_id') or 'flow'}.based"


def source_of(
    team_id: str | None,
    *,
    code: str | None = None,
    worker_id: str | None = None,
    flow_id: str | None = None,
    deployment_id: str | None = None,
) -> Source:
    """Where the code is that one of the three names; of this team only, where one is named. Raises NotFound.

    `code` may belong to a worker.
    """
    mine = {} if team_id is None else {"team_id": team_id}
    if code is not None:
        team = start_team() if team_id is None else Team.by_id(team_id)
        if team is None:
            raise NotFound("There is no team.")
        return Source(team.id, code, "code", {"worker_id": worker_id} if worker_id else {})
    if deployment_id is not None:
        deployment = Deployment.find(id=deployment_id, **mine)
        if deployment is None:
            raise NotFound(f"Deployment {deployment_id} not found.", "deployment_id")
        return _deployed(deployment)
    flow = Flow.find(id=flow_id, **mine)
    if flow is None:
        raise NotFound(f"Flow {flow_id} not found.", "flow_id")
    return source_of_flow(flow)


def source_of_flow(flow: Flow) -> Source:
    """The flow's code as it is, with its variables."""
    columns = {"worker_id": flow.worker_id, "flow_id": flow.id}
    return Source(flow.team_id, flow.code, "flow_id", columns, flow.variables)


def _deployed(found: Deployment) -> Source:
    """The deployment's flow, in the version that it is pinned to, with its parameters over the variables."""
    deployment = look_up_deployment(found, found.id)
    flow = Flow.fetch(found, found.flow_id)
    shown = show_flow(flow, getattr(deployment, "flow_version_id", None), found.id)
    columns = {"worker_id": found.worker_id, "flow_id": flow.id, "deployment_id": found.id}
    channel = "voice" if found.type in VOICE else "chat"
    return Source(found.team_id, shown.code, "deployment_id", columns, shown.merged_parameters, channel)


def begin(
    world: World,
    team_id: str | None,
    *,
    variables: dict[str, Any] | None = None,
    state: dict[str, Any] | None = None,
    channel: str | None = None,
    seed: int = 0,
    say: str | None = None,
    **which: str,
) -> TalkSession:
    """Run a flow up to the first wait, and keep it. `which` is as for `source_of`; `say` was said before.

    Raises NotFound, Invalid for code that cannot run, Busy.
    """
    with world.reading():
        source = source_of(team_id, **which)
    if source.variables is not None or variables is not None:
        variables = {**(source.variables or {}), **(variables or {})}
    session = opened(world, source, variables=variables, state=state, channel=channel or source.channel, seed=seed)
    events = session.start(say)
    with world.transaction():
        return keep_new(source, session, events)


def opened(world: World, source: Source, **options: Any) -> Session:
    """A conversation, not started yet; the options are those of Engine.open. Raises Invalid."""
    engine = engine_of(world)
    try:
        return engine.open(engine.program(source.code, source.file), **options)
    except CodeRefused as refused:
        raise refusal(refused, source.member) from None


def keep_new(source: Source, session: Session, events: list[Event], **columns: Any) -> TalkSession:
    """The row of a conversation that has begun. Raises NotFound when what it belongs to is gone by now."""
    team = Team.by_id(source.team_id)
    if "worker_id" in source.columns:
        Worker.fetch(team, source.columns["worker_id"])
    told = [event.as_dict() for event in events]
    return TalkSession.begin(team, **source.columns, events=told, **kept(session), **columns)


def go_on(world: World, id: str, team_id: str | None, turn: Callable[[Session], list[Event]]) -> TalkSession:
    """Take a turn in a conversation.

    Raises NotFound, Conflict when it is over or went on meanwhile, Invalid for a condition that is not open, Busy.
    """
    with world.reading():
        row = find(id, team_id)
    session = resumed(world, row)
    try:
        events = [event.as_dict() for event in turn(session)]
    except SessionOver as over:
        raise Conflict(str(over)) from None
    except LookupError as unknown:
        raise Invalid(str(unknown.args[0]), "choose") from None
    with world.transaction():
        return row.go_on(events=events, **kept(session))


def find(id: str, team_id: str | None) -> TalkSession:
    """The conversation of this id; of this team only, where one is named. Raises NotFound."""
    row = TalkSession.find(id=id, **({} if team_id is None else {"team_id": team_id}))
    if row is None:
        raise NotFound(f"Conversation {id} not found.")
    return row


def resumed(world: World, row: TalkSession) -> Session:
    """The conversation as it was left. Raises Conflict when it was kept by another version of the engine."""
    try:
        return engine_of(world).load(bytes(row.dump))
    except NotLoadable as fault:
        raise Conflict(str(fault)) from None


def kept(session: Session) -> dict[str, Any]:
    """The columns that hold how far a conversation has come."""
    return {
        "waiting": session.waiting,
        "ended": session.ended,
        "failure": asdict(session.failure) if session.failure else None,
        "extracted": session.extracted,
        "state": session.state,
        "dump": session.dump(),
    }
