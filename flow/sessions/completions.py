"""Conversations through the engine's endpoint. Contract: based.md, 5.1."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from dryline.flow.language.events import Event
from dryline.flow.language.interpreter import CHARACTERS
from dryline.flow.language.session import FlowSession
from dryline.flow.sessions.completion_request import Completion, CompletionRequest
from dryline.flow.sessions.conversations import (
    FlowSource,
    load_session,
    open_session,
    session_columns,
    source_of_flow,
    store_session,
)
from dryline.flow.sessions.logs import create_log, update_log
from dryline.models.flows import Flow
from dryline.models.message_logs import ApiLog
from dryline.models.talk_sessions import TalkSession
from dryline.models.workers import Worker
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import Conflict, Invalid
from dryline.storage.record import Record
from dryline.world.world import World

LONGEST_WAIT_S = 30.0  # for another turn of the same session


def complete(world: World, team: Record, request: CompletionRequest) -> Completion:
    """Begin or continue a conversation. After its end the answer is empty.

    Turns of one session wait for each other. Raises NotFound, Conflict for a worker without a flow, Invalid, Busy.
    """
    if sum(len(message["content"]) for message in request.messages) > CHARACTERS:
        raise Invalid(f"More than {CHARACTERS:,} characters.", "messages")
    with world.reading():
        worker = Worker.fetch(team, request.worker_id)
    with _TURNS.of(world).hold((worker.id, request.session)):
        with world.reading():
            row = TalkSession.find(worker_id=worker.id, name=request.session)
            source = None if row else source_of_flow(_flow(worker, request.flow_id))
        if row is not None:
            return _continue(world, row, request)
        assert source is not None
        return _begin(world, worker, source, request)


class _TurnLocks:
    """A lock for each session with a running turn, so that turns of one session wait for each other."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[tuple[str, str], tuple[threading.Lock, int]] = {}

    @contextmanager
    def hold(self, key: tuple[str, str]) -> Iterator[None]:
        """Wait until the session has no other turn. Raises Conflict if that takes too long."""
        with self._guard:
            lock, users = self._locks.get(key, (threading.Lock(), 0))
            self._locks[key] = lock, users + 1
        has_lock = lock.acquire(timeout=LONGEST_WAIT_S)
        try:
            if not has_lock:
                raise Conflict(f"The session {key[1]} has had another turn for {LONGEST_WAIT_S:g} s. Try again later.")
            yield
        finally:
            with self._guard:
                lock, users = self._locks.pop(key)
                if users > 1:
                    self._locks[key] = lock, users - 1
            if has_lock:
                lock.release()


_TURNS = WorldLocal(lambda world: _TurnLocks())


def _begin(world: World, worker: Worker, source: FlowSource, request: CompletionRequest) -> Completion:
    session = open_session(world, source, state=request.state, channel="api")
    session.messages = request.history
    events = session.start(request.utterance or None)
    completion = _completion(request, session, events)
    with world.transaction():
        log = create_log(worker, request, session, source.columns["flow_id"])
        update_log(log, request, completion, session, events)
        store_session(source, session, events, name=request.session, log_id=log.id)
    return completion


def _continue(world: World, row: TalkSession, request: CompletionRequest) -> Completion:
    if row.ended:
        return Completion([], request.tokens, row.failure["sentence"] if row.failure else None)
    if request.utterance is None:
        raise Invalid("A message with role user is missing.", "messages")
    session = load_session(world, row)
    events = session.say(request.utterance)
    completion = _completion(request, session, events)
    with world.transaction():
        row.go_on(events=[event.as_dict() for event in events], **session_columns(session))
        log = ApiLog.find(id=row.log_id)
        if log is not None:
            update_log(log, request, completion, session, events)
    return completion


def _flow(worker: Worker, flow_id: str | None) -> Flow:
    """Return the named flow, else the worker's flow that was updated last. Assumed: based.md, 5.1."""
    if flow_id is not None:
        return Flow.fetch(worker, flow_id, worker_id=worker.id)
    flows = sorted(Flow.listing(worker, worker_id=worker.id), key=lambda flow: (flow.updated_at, flow.id))
    if not flows:
        raise Conflict(f"Worker {worker.id} has no flow.")
    return flows[-1]


def _completion(request: CompletionRequest, session: FlowSession, events: list[Event]) -> Completion:
    pieces = [event["text"] for event in events if event.type == "said"]
    return Completion(pieces, request.tokens, session.failure.sentence if session.failure else None)
