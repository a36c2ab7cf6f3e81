"""What the engine leaves behind a conversation: its session, its requests to a language model, its errors."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.simulator.lines import Line
from dryline.simulator.talks import Talk
from dryline.world.clock import wire
from dryline.world.ids import Ids

# (type, message, function): what goes wrong in a running flow.
FAULTS = (
    ("ApiTimeoutError", "Request timed out after 10.0 s: POST https://api.example.com/v1/records", "api.post_req"),
    ("ApiStatusError", "503 Service Unavailable from https://api.example.com/v1/customers", "api.get_req"),
    ("LlmConnectionError", "Connection to the language model was closed before the first token", "talk"),
    ("KeyError", "'customer_id'", "res.ask"),
)


@dataclass(slots=True)
class Run:
    """One run of the flow. `ended` is how: completed, failed or, where nobody was reached, not_connected."""

    session_id: str
    start: datetime
    end: datetime
    talk: Talk
    ended: str
    until: str | None = None  # the condition that ended it
    fault: tuple[str, str, str] | None = None


def session(line: Line, run: Run, state: dict[str, Any]) -> dict[str, Any]:
    """The session's row."""
    talk = run.talk
    answers = len(talk.answers_ms)
    # Each answer reads the prompt and all that was said before; four characters make a token.
    said = (talk.spoken("user") + talk.spoken("assistant")) // 4
    error = None
    if run.fault:
        kind, message, function = run.fault
        error = {"type": kind, "message": message, "function": function, "line": failing_line(line.code, function)}
    return {
        "id": run.session_id,
        "team_id": line.team_id,
        "created_at": wire(run.start),
        "worker_id": line.worker_id,
        "flow_id": line.flow_id,
        "status": run.ended,
        "state": state,
        "messages": talk.plain(),
        "trace": trace(run),
        "input_tokens": answers * (320 + said // 2),
        "output_tokens": talk.spoken("assistant") // 4,
        "minutes": round((run.end - run.start).total_seconds() / 60, 4),
        "session_start": wire(run.start),
        "session_end": wire(run.end),
        "error": error,
    }


def trace(run: Run) -> list[dict[str, Any]]:
    """The steps of the flow, `at` in seconds from the start."""
    steps: list[dict[str, Any]] = [{"at": 0.0, "step": "start"}]
    if run.talk.messages:
        steps.append({"at": run.talk.messages[0]["start"], "step": "loop"})
    steps += [{"at": at, "step": "call", "function": name} for name, at in run.talk.functions]
    after = round(run.talk.seconds, 2)
    if run.fault:
        steps.append({"at": after, "step": "error", "type": run.fault[0]})
    elif run.until:
        steps.append({"at": after, "step": "until", "condition": run.until})
    steps.append({"at": after, "step": "end"})
    return steps


def llm_logs(ids: Ids, line: Line, run: Run, call_id: str | None) -> list[dict[str, Any]]:
    """The rows of the gateway's two hooks around each answer, oldest first. The model is left out of the request."""
    rows = []
    prompt = {"role": "system", "content": f"You are {line.agent}, the voice agent of {line.business}."}
    said = run.talk.plain()
    messages = run.talk.messages
    answers = [index for index, one in enumerate(said) if index and one["role"] == "assistant"]
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
        for event, at, data in (
            ("beforeRequestHook", asked_at, request),
            ("afterRequestHook", wire(spoken_at), response),
        ):
            rows.append(
                {
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
            )
    return rows


def runtime_error(ids: Ids, line: Line, run: Run, metadata: dict[str, Any]) -> dict[str, Any]:
    """The row of the error that ended the run."""
    assert run.fault is not None
    kind, message, function = run.fault
    number = failing_line(line.code, function)
    source = line.code.splitlines()[number - 1].strip() if line.code and number else ""
    return {
        "id": ids.new("rterr"),
        "team_id": line.team_id,
        "created_at": wire(run.end),
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "error": message,
        "service": "based_engine",
        "type": kind,
        "severity": "critical" if kind == "LlmConnectionError" else "error",
        "function_name": function,
        "line_number": number,
        "bb_engine_session_id": run.session_id,
        "traceback": f'Traceback (most recent call last):\n  File "main.based", line {number}, in <flow>\n'
        f"    {source}\n{kind}: {message}",
        "metadata": metadata,
    }


def failing_line(code: str | None, function: str) -> int | None:
    """The line of the flow that calls the function, or its first talk, or its first; None without code."""
    lines = (code or "").splitlines()
    for sought in (f"{function}(", f"{function.split('.')[-1]}(", "talk("):
        for number, text in enumerate(lines, 1):
            if sought in text:
                return number
    return 1 if lines else None


def pick_fault(rng: Random) -> tuple[str, str, str]:
    """What goes wrong this time."""
    return FAULTS[int(rng.random() * len(FAULTS))]
