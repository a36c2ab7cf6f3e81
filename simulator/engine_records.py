"""The engine's rows of a conversation: session, LLM logs, runtime errors."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import orjson

from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import MAX_BYTES, FlowError
from dryline.simulator.flow_timeline import Timeline
from dryline.simulator.timeline import TimedDialogue
from dryline.world.clock import wire
from dryline.world.ids import Ids


@dataclass(slots=True)
class EngineRun:
    """One run of the flow. `ended` is completed, failed or, where nobody was reached, not_connected."""

    session_id: str
    start: datetime
    duration: int  # seconds
    talk: TimedDialogue
    ended: str
    until: str | None = None  # the condition that ended it
    fault: FlowError | None = None
    timeline: Timeline | None = None  # where the flow was followed
    why: str | None = None  # why it was not
    starts: str = field(init=False)
    ends: str = field(init=False)
    trace: list[dict[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        """Compute the times and the trace, whose `at` is in seconds from the start."""
        self.starts = wire(self.start)
        self.ends = wire(self.start + timedelta(seconds=self.duration))
        talk = self.talk
        steps: list[dict[str, Any]] = [{"at": 0.0, "step": "start"}]
        after = round(talk.seconds, 2)
        if self.timeline:
            steps += self.timeline.trace
        else:
            if self.why:
                steps.append({"at": 0.0, "step": "script", "why": self.why})
            if talk.messages:
                steps.append({"at": talk.messages[0]["start"], "step": "loop"})
            steps += [{"at": at, "step": "call", "function": name} for name, at in talk.functions]
            if self.fault:
                steps.append({"at": after, "step": "error", "type": self.fault.type})
            elif self.until:
                steps.append({"at": after, "step": "until", "condition": self.until})
        steps.append({"at": after, "step": "end"})
        self.trace = steps


def session(
    line: DeploymentContext, run: EngineRun, state: dict[str, Any], llm_rows: list[dict[str, Any]] | None
) -> dict[str, Any]:
    """Return the session's row. `llm_rows` are those of its LLM logs, None where there are none."""
    talk = run.talk
    fault = run.fault
    error = fault and {"type": fault.type, "message": fault.message, "function": fault.function, "line": fault.line}
    return {
        "id": run.session_id,
        "team_id": line.team_id,
        "created_at": run.starts,
        "worker_id": line.worker_id,
        "flow_id": line.flow_id,
        "status": run.ended,
        "state": run.timeline.state if run.timeline else state,
        "messages": talk.plain(),
        "trace": run.trace,
        **(_guessed_tokens(run) if llm_rows is None else _tokens(llm_rows)),
        "minutes": round(run.duration / 60, 4),
        "session_start": run.starts,
        "session_end": run.ends,
        "error": error,
    }


def llm_logs(ids: Ids, line: DeploymentContext, run: EngineRun, call_id: str | None) -> list[dict[str, Any]]:
    """Return the rows of the gateway's two hooks around each answer, oldest first. The requests name no model."""
    if run.timeline:
        return _sent(ids, line, run, run.timeline, call_id)
    rows: list[dict[str, Any]] = []
    prompt = {"role": "system", "content": f"You are {line.agent}, the voice agent of {line.business}."}
    said = run.talk.plain()
    messages = run.talk.messages
    roles = [one["role"] for one in said]
    answers = [index for index, pair in enumerate(pairwise(roles), 1) if pair == ("user", "assistant")]
    for index, answer_ms in zip(answers, run.talk.answers_ms, strict=True):
        spoken_at = run.start + timedelta(seconds=messages[index]["start"])
        asked_at = wire(spoken_at - timedelta(milliseconds=answer_ms))
        answer = said[index]
        tokens_in = 320 + sum([len(one["content"]) for one in said[:index]]) // 4
        tokens_out = len(answer["content"]) // 4
        request = {"request": {"json": {"messages": [prompt, *said[:index]], "temperature": 0.3, "stream": True}}}
        usage = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
        choices = [{"index": 0, "message": answer, "finish_reason": "stop"}]
        response = {"response": {"statusCode": 200, "json": {"choices": choices, "usage": usage}}}
        rows += _hooks(ids, line, run, call_id, (asked_at, request), (wire(spoken_at), response))
    return rows


def _guessed_tokens(run: EngineRun) -> dict[str, int]:
    """Estimate tokens: each answer reads the prompt and all messages before it; four characters make a token."""
    answers = run.timeline.request_count if run.timeline else len(run.talk.answers_ms)
    agent = run.talk.spoken("assistant")
    said = (run.talk.spoken("user") + agent) // 4
    return {"input_tokens": answers * (320 + said // 2), "output_tokens": agent // 4}


def _tokens(llm_rows: list[dict[str, Any]]) -> dict[str, int]:
    used = [row["data"]["response"]["json"]["usage"] for row in llm_rows if row["event_type"] == "afterRequestHook"]
    return {
        "input_tokens": sum(each["prompt_tokens"] for each in used),
        "output_tokens": sum(each["completion_tokens"] for each in used),
    }


def _sent(
    ids: Ids, line: DeploymentContext, run: EngineRun, timeline: Timeline, call_id: str | None
) -> list[dict[str, Any]]:
    """Return the rows of a flow's model requests, the first ones if they are too large for one conversation.

    No model was involved, so `decidedBy` names the one who decided.
    """
    rows: list[dict[str, Any]] = []
    said, left = run.talk.plain(), MAX_BYTES - timeline.row_bytes
    for one in timeline.sent:
        before, after = one.bodies(said)
        left -= len(orjson.dumps((before, after)))
        if left < 0:
            break
        asked_at = wire(run.start + timedelta(seconds=one.asked_at))
        answered_at = wire(run.start + timedelta(seconds=one.answered_at))
        request = {"request": {"json": before}, "decidedBy": one.by}
        response = {"response": {"statusCode": 200, "json": after}, "decidedBy": one.by}
        rows += _hooks(ids, line, run, call_id, (asked_at, request), (answered_at, response))
    return rows


def _hooks(
    ids: Ids,
    line: DeploymentContext,
    run: EngineRun,
    call_id: str | None,
    before: tuple[str, Any],
    after: tuple[str, Any],
) -> Iterator[dict[str, Any]]:
    """Yield the two rows of one request."""
    for event, (at, data) in (("beforeRequestHook", before), ("afterRequestHook", after)):
        yield {
            "id": ids.new("llmlog"),
            "team_id": line.team_id,
            "created_at": at,
            "updated_at": at,
            "worker_id": line.worker_id,
            "event_type": event,
            "call_id": call_id,
            "session_id": run.session_id,
            "data": data,
        }


def runtime_error(ids: Ids, line: DeploymentContext, run: EngineRun, metadata: dict[str, Any]) -> dict[str, Any]:
    fault = run.fault
    assert fault is not None
    return {
        "id": ids.new("rterr"),
        "team_id": line.team_id,
        "created_at": run.ends,
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "error": fault.message,
        "service": "based_engine",
        "type": fault.type,
        "severity": "critical" if fault.type == "LlmConnectionError" else "error",
        "function_name": fault.function,
        "line_number": fault.line,
        "bb_engine_session_id": run.session_id,
        "traceback": fault.traceback,
        "metadata": metadata,
    }
