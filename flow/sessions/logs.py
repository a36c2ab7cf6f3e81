"""Logs of conversations through the engine's endpoint. Contract: based.md, section 4."""

from typing import Any

from dryline.flow.language.errors import Failure
from dryline.flow.language.events import Event
from dryline.flow.language.session import FlowSession
from dryline.flow.sessions.completion_request import Completion, CompletionRequest
from dryline.models import sessions
from dryline.models.message_logs import ApiLog
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.world.clock import parse


def create_log(worker: Worker, request: CompletionRequest, session: FlowSession, flow_id: str) -> ApiLog:
    """Create a log and its session, whose id is in the log's metadata. Raises NotFound."""
    worker = Worker.fetch(worker, worker.id)  # it may have been deleted meanwhile
    now = current().clock.stamp()
    run = sessions.Session.add(
        worker, worker_id=worker.id, flow_id=flow_id, session_start=now, input_tokens=0, output_tokens=0, minutes=0
    )
    roles = {"user": "user", "agent": "assistant"}
    earlier = [{"role": roles[message.who], "content": message.text} for message in request.history]
    return ApiLog.add(
        worker,
        worker_id=worker.id,
        flow_id=flow_id,
        start_time=now,
        messages={"messages": earlier},
        session_log_data={"trace": []},
        metadata={"sessionId": request.session, "bbEngineSessionId": run.id},
        flow_snapshot=session.program.source,
    )


def update_log(
    log: ApiLog, request: CompletionRequest, completion: Completion, session: FlowSession, events: list[Event]
) -> None:
    """Add one request to the log, and a runtime error if the flow failed."""
    now = current().clock.stamp()
    status = "failed" if session.failure else "completed" if session.ended else "running"
    trace = [*log.session_log_data["trace"], *(event.as_dict() for event in events)]
    messages = [*log.messages["messages"], *_messages(events, now)]
    log.change(
        end_time=now if session.ended else None,
        messages={"messages": messages},
        extractions_data=session.extracted,
        session_log_data={"status": status, "trace": trace},
        request_model=request.model,
        request_messages={"messages": request.messages},
        response_content=completion.content,
        **completion.usage,
    )
    run = sessions.Session.find(id=log.metadata["bbEngineSessionId"])
    if run is None:
        return
    seconds = (parse(now) - parse(log.start_time or now)).total_seconds()
    run.change(
        status=status,
        state=session.state,
        messages=[{"role": message["role"], "content": message["content"]} for message in messages],
        trace=trace,
        input_tokens=(run.input_tokens or 0) + completion.prompt_tokens,
        output_tokens=(run.output_tokens or 0) + completion.usage["completion_tokens"],
        minutes=round(seconds / 60, 4),
        session_end=now if session.ended else None,
        error=_error(session.failure) if session.failure else None,
    )
    if session.failure:
        _add_error(log, run.id, session.failure)


def _messages(events: list[Event], now: str) -> list[dict[str, Any]]:
    roles = {"heard": "user", "said": "assistant"}
    return [
        {"role": roles[event.type], "content": event["text"], "timestamp": now}
        for event in events
        if event.type in roles
    ]


def _error(failure: Failure) -> dict[str, Any]:
    return {
        "type": failure.exception,
        "message": failure.error,
        "function": failure.function,
        "line": failure.line,
    }


def _add_error(log: ApiLog, session_id: str, failure: Failure) -> None:
    RuntimeErrorRecord.add(
        log,
        worker_id=log.worker_id,
        error=failure.error or failure.exception,
        service="based_engine",
        type=failure.exception,
        flow_id=log.flow_id,
        function_name=failure.function,
        line_number=failure.line,
        bb_engine_session_id=session_id,
        traceback=failure.traceback,
        metadata={"logId": log.id},
    )
