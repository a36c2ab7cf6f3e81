"""Conversations through the engine's own endpoint. Contract: based.md, 5.1."""

from __future__ import annotations

from dryline.engine.events import Event
from dryline.engine.session import Session
from dryline.flow_sessions.conversations import Source, keep_new, kept, opened, resumed, source_of_flow
from dryline.flow_sessions.forms import Asked, Completion
from dryline.flow_sessions.logs import begin_log, keep_log
from dryline.models.api_logs import ApiLog
from dryline.models.flows import Flow
from dryline.models.talk_sessions import TalkSession
from dryline.models.workers import Worker
from dryline.storage.errors import Conflict, Invalid
from dryline.storage.record import Record
from dryline.world.world import World


def complete(world: World, team: Record, asked: Asked) -> Completion:
    """Begin or go on with a conversation. After its end nothing is said any more.

    Raises NotFound, Conflict for a worker without a flow or when another request came between, Invalid, Busy.
    """
    with world.reading():
        worker = Worker.fetch(team, asked.worker_id)
        row = TalkSession.find(worker_id=worker.id, name=asked.session)
        source = None if row else source_of_flow(_flow(worker, asked.flow_id))
    if row is not None:
        return _go_on(world, row, asked)
    assert source is not None
    return _begin(world, worker, source, asked)


def _begin(world: World, worker: Worker, source: Source, asked: Asked) -> Completion:
    session = opened(world, source, state=asked.state, channel="api")
    session.messages = asked.history
    events = session.start(asked.said or None)
    completion = _completion(asked, session, events)
    with world.transaction():
        if TalkSession.find(worker_id=worker.id, name=asked.session) is not None:
            raise Conflict(f"The session {asked.session} began meanwhile: one request at a time.")
        log = begin_log(worker, asked, session, source.columns["flow_id"])
        keep_log(log, asked, completion, session, events)
        keep_new(source, session, events, name=asked.session, log_id=log.id)
    return completion


def _go_on(world: World, row: TalkSession, asked: Asked) -> Completion:
    if row.ended:
        return Completion([], asked.tokens, row.failure["sentence"] if row.failure else None)
    if asked.said is None:
        raise Invalid("There is no message of the user.", "messages")
    session = resumed(world, row)
    events = session.say(asked.said)
    completion = _completion(asked, session, events)
    with world.transaction():
        row.go_on(events=[event.as_dict() for event in events], **kept(session))
        log = ApiLog.find(id=row.log_id)
        if log is not None:
            keep_log(log, asked, completion, session, events)
    return completion


def _flow(worker: Worker, flow_id: str | None) -> Flow:
    """The flow that is named, else the worker's newest updated one. Assumed: based.md, 5.1."""
    if flow_id is not None:
        return Flow.fetch(worker, flow_id, worker_id=worker.id)
    flows = sorted(Flow.listing(worker, worker_id=worker.id), key=lambda flow: (flow.updated_at, flow.id))
    if not flows:
        raise Conflict(f"Worker {worker.id} has no flow.")
    return flows[-1]


def _completion(asked: Asked, session: Session, events: list[Event]) -> Completion:
    pieces = [event["text"] for event in events if event.type == "said"]
    return Completion(pieces, asked.tokens, session.failure.sentence if session.failure else None)
