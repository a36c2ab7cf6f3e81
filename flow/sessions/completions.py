"""Conversations through the engine's endpoint, and their logs. Contract: based.md, 4 and 5.1."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dryline.flow.language.events import Message
from dryline.flow.language.interpreter import CHARACTERS
from dryline.flow.sessions import conversations
from dryline.flow.sessions.conversations import FlowSource, source_of_flow
from dryline.models.flows import Flow
from dryline.models.message_logs import ApiLog
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.talk_sessions import TalkSession
from dryline.models.workers import Worker
from dryline.storage.current_world import WorldLocal, current
from dryline.storage.errors import Conflict, Invalid
from dryline.storage.record import Record
from dryline.world.clock import parse
from dryline.world.world import World

LONGEST_WAIT_S = 30.0  # for another turn of the same session
_SPEAKERS = {"user": "user", "assistant": "agent"}  # roles of OpenAI's messages, and who speaks in a flow's
_ROLES = {"heard": "user", "said": "assistant"}  # roles by types of events


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request. `session` is the caller's id of the conversation; `state` is used in its first request only."""

    worker_id: str
    session: str
    messages: list[dict[str, str]]
    model: str
    flow_id: str | None = None
    state: dict[str, Any] | None = None

    @property
    def utterance(self) -> str | None:
        """The last message of the user, which is the new one."""
        utterances = [message["content"] for message in self.messages if message["role"] == "user"]
        return utterances[-1] if utterances else None

    @property
    def tokens(self) -> int:
        """The number of tokens in all messages."""
        return sum(_tokens(message["content"]) for message in self.messages)

    @property
    def history(self) -> list[dict[str, str]]:
        """The messages of user and agent before the new one."""
        messages = [message for message in self.messages if message["role"] in _SPEAKERS]
        user_indexes = [index for index, message in enumerate(messages) if message["role"] == "user"]
        last = user_indexes[-1] if user_indexes else len(messages)
        return messages[:last]


@dataclass(frozen=True, slots=True)
class Completion:
    """The agent's answer, one piece for each utterance, and the error if the flow failed."""

    pieces: list[str]
    prompt_tokens: int
    failure: str | None = None

    @property
    def content(self) -> str:
        """The whole answer."""
        return "\n".join(self.pieces)

    @property
    def usage(self) -> dict[str, int]:
        """The token counts in OpenAI's form."""
        tokens = _tokens(self.content)
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": tokens,
            "total_tokens": self.prompt_tokens + tokens,
        }


def _tokens(text: str) -> int:
    """Return the number of tokens, assuming four characters for each."""
    return -(-len(text) // 4)


def complete(world: World, team: Record, request: CompletionRequest) -> Completion:
    """Begin or continue a conversation. After its end the answer is empty.

    Turns of one session wait for each other. Raises NotFound, Conflict for a worker without a flow, Invalid, Busy.
    """
    if sum(len(message["content"]) for message in request.messages) > CHARACTERS:
        raise Invalid(f"More than {CHARACTERS:,} characters.", "messages")
    with world.reading():
        worker = Worker.fetch(team, request.worker_id)
    with _only_turn(world, (worker.id, request.session)):
        with world.reading():
            row = TalkSession.find(worker_id=worker.id, name=request.session)
        source = None
        if row is None:
            with world.reading():
                source = source_of_flow(_find_flow(worker, request.flow_id))
            row = conversations.begin_from_source(
                world,
                source,
                request.utterance or None,
                messages=[Message(_SPEAKERS[one["role"]], one["content"]) for one in request.history],
                name=request.session,
                state=request.state,
                channel="api",
            )
        elif row.ended:
            return Completion([], request.tokens, row.failure["sentence"] if row.failure else None)
        elif request.utterance is None:
            raise Invalid("A message with role user is missing.", "messages")
        else:
            row = conversations.take_turn(world, row.id, team.id, say=request.utterance)
        pieces = [event["text"] for event in row.events if event["type"] == "said"]
        completion = Completion(pieces, request.tokens, row.failure["sentence"] if row.failure else None)
        with world.transaction():
            _update_log(row, request, completion, source)
        return completion


_TURNS = WorldLocal[tuple[threading.Condition, set[tuple[str, str]]]](lambda world: (threading.Condition(), set()))


@contextmanager
def _only_turn(world: World, key: tuple[str, str]) -> Iterator[None]:
    """Wait until the session has no other turn. Raises Conflict if that takes too long."""
    changed, running = _TURNS.of(world)
    with changed:
        if not changed.wait_for(lambda: key not in running, LONGEST_WAIT_S):
            raise Conflict(f"The session {key[1]} has had another turn for {LONGEST_WAIT_S:g} s. Try again later.")
        running.add(key)
    try:
        yield
    finally:
        with changed:
            running.discard(key)
            changed.notify_all()


def _find_flow(worker: Worker, flow_id: str | None) -> Flow:
    """Return the named flow, else the worker's flow that was updated last. Assumed: based.md, 5.1."""
    if flow_id is not None:
        return worker.child(Flow, flow_id)
    flow = max(Flow.listing(worker, worker_id=worker.id), key=lambda flow: (flow.updated_at, flow.id), default=None)
    if flow is None:
        raise Conflict(f"Worker {worker.id} has no flow.")
    return flow


def _create_log(row: TalkSession, request: CompletionRequest, source: FlowSource) -> ApiLog:
    """Create a log and its session, whose id is in the log's metadata."""
    now = current().stamp()
    ids = {"worker_id": row.worker_id, "flow_id": row.flow_id}
    run = Session.add(row, **ids, session_start=now, input_tokens=0, output_tokens=0, minutes=0)
    log = ApiLog.add(
        row,
        **ids,
        start_time=now,
        messages={"messages": request.history},
        session_log_data={"trace": []},
        metadata={"sessionId": request.session, "bbEngineSessionId": run.id},
        flow_snapshot=source.code,
    )
    row.change(log_id=log.id)
    return log


def _status_of(row: TalkSession) -> str:
    if row.failure:
        return "failed"
    return "completed" if row.ended else "running"


def _update_log(
    row: TalkSession, request: CompletionRequest, completion: Completion, source: FlowSource | None
) -> None:
    """Add one request to the log and its session, and a runtime error if the flow failed. A new one has a `source`."""
    log = _create_log(row, request, source) if source else ApiLog.find(id=row.log_id)
    if log is None:
        return
    now = current().stamp()
    end = now if row.ended else None
    status = _status_of(row)
    trace = [*log.session_log_data["trace"], *row.events]
    spoken = [(_ROLES[event["type"]], event["text"]) for event in row.events if event["type"] in _ROLES]
    messages = [{"role": role, "content": text, "timestamp": now} for role, text in spoken]
    log.change(
        end_time=end,
        messages={"messages": [*log.messages["messages"], *messages]},
        extractions_data=row.extracted,
        session_log_data={"status": status, "trace": trace},
        request_model=request.model,
        request_messages={"messages": request.messages},
        response_content=completion.content,
        **completion.usage,
    )
    run = Session.find(id=log.metadata["bbEngineSessionId"])
    if run is None:
        return
    run.change(
        status=status,
        state=row.state,
        messages=[{"role": each["role"], "content": each["content"]} for each in log.messages["messages"]],
        trace=trace,
        input_tokens=(run.input_tokens or 0) + completion.prompt_tokens,
        output_tokens=(run.output_tokens or 0) + completion.usage["completion_tokens"],
        minutes=round((parse(now) - parse(log.start_time or now)).total_seconds() / 60, 4),
        session_end=end,
    )
    if row.failure:
        _add_runtime_error(log, run, row.failure)


def _add_runtime_error(log: ApiLog, run: Session, failure: dict[str, Any]) -> None:
    kind, message, function, line = (failure[name] for name in ("exception", "error", "function", "line"))
    run.change(error={"type": kind, "message": message, "function": function, "line": line})
    RuntimeErrorRecord.add(
        log,
        worker_id=log.worker_id,
        error=message or kind,
        service="based_engine",
        type=kind,
        flow_id=log.flow_id,
        function_name=function,
        line_number=line,
        bb_engine_session_id=run.id,
        traceback=failure["traceback"],
        metadata={"logId": log.id},
    )
