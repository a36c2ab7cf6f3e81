"""The database rows of a generated conversation: log, session, LLM logs, runtime errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

import orjson

from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.simulator import analysis
from dryline.simulator.conversation_plans import ConversationPlan
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import FlowError
from dryline.simulator.timeline import ModelCall
from dryline.storage.current_world import current
from dryline.world.clock import wire

_LLM_LOG_BYTES = 1_000_000  # of one conversation: each request holds all messages before it


@dataclass(slots=True)
class ConversationRows:
    """The rows of one conversation, by column name, ready for `write`."""

    log: dict[str, Any]
    session: dict[str, Any]
    llm_logs: list[dict[str, Any]] = field(default_factory=list)
    runtime_errors: list[dict[str, Any]] = field(default_factory=list)


class RowBuilder:
    """Builds the rows of a planned conversation, which begins at `start` and lasts for `duration` seconds."""

    def __init__(self, deployment: DeploymentContext, plan: ConversationPlan, start: datetime, duration: int) -> None:
        self.deployment, self.plan, self.start, self.duration = deployment, plan, start, duration
        self.session_id = current().ids.new(Session.id_prefix)
        self.starts, self.ends = wire(start), wire(start + timedelta(seconds=duration))
        self.fault = plan.run.fault if plan.run else None
        if plan.dialogue.ending == "error" and plan.run is None:  # a scripted call can fail, too
            self.fault = _lost_model(deployment.code)
        self.ended = "failed" if self.fault else "completed" if plan.dialogue.steps else "not_connected"
        self.trace = self._trace()

    def _trace(self) -> list[dict[str, Any]]:
        """Return the steps of the conversation, whose `at` is in seconds from the start."""
        plan, after = self.plan, round(self.plan.timeline.seconds, 2)
        steps: list[dict[str, Any]] = [{"at": 0.0, "step": "start"}]
        if plan.why:
            steps.append({"at": 0.0, "step": "script", "why": plan.why})
        steps += plan.timeline.trace
        if self.fault and plan.run is None:
            steps.append({"at": after, "step": "error", "type": self.fault.type})
        elif plan.run is None and plan.dialogue.ended_by:
            steps.append({"at": after, "step": "until", "condition": plan.dialogue.ended_by})
        return [*steps, {"at": after, "step": "end"}]

    def _columns(self, id: str, at: str) -> dict[str, Any]:
        about = {"team_id": self.deployment.team_id, "worker_id": self.deployment.worker_id}
        return {"id": id, "created_at": at, **about}

    def log_members(self, model: type[Log]) -> dict[str, Any]:
        """Return the members that the logs of all channels share."""
        deployment = self.deployment
        return self._columns(current().ids.new(model.id_prefix), self.starts) | {
            "updated_at": self.ends,
            "deployment_id": deployment.deployment_id,
            "flow_id": deployment.flow_id,
            "type": model.channel.type,
            "start_time": self.starts,
            "end_time": self.ends,
            "duration": self.duration,
            "flow_snapshot": deployment.code,
        }

    def rows(self, log: dict[str, Any], call_id: str, *, llm_logs: bool) -> ConversationRows:
        """Return all rows, given that of the log. `call_id` is stored in the LLM logs."""
        rows = ConversationRows(log, self._session(log["extractions_data"] or {}))
        if llm_logs:
            rows.llm_logs = self._llm_logs(call_id)
        if self.fault:
            rows.runtime_errors.append(self._runtime_error(self.fault, log["id"]))
        return rows

    def _session(self, extracted: dict[str, Any]) -> dict[str, Any]:
        fault, plan = self.fault, self.plan
        tokens = plan.timeline.tokens()
        return self._columns(self.session_id, self.starts) | {
            "flow_id": self.deployment.flow_id,
            "status": self.ended,
            "state": plan.run.state if plan.run else extracted,
            "messages": plan.timeline.plain(),
            "trace": self.trace,
            "input_tokens": sum([tokens_in for tokens_in, _ in tokens]),
            "output_tokens": sum([tokens_out for _, tokens_out in tokens]),
            "minutes": round(self.duration / 60, 4),
            "session_start": self.starts,
            "session_end": self.ends,
            "error": fault
            and {"type": fault.type, "message": fault.message, "function": fault.function, "line": fault.line},
        }

    def _llm_logs(self, call_id: str) -> list[dict[str, Any]]:
        """Return the rows of the gateway's two hooks around each request, as many as fit, oldest first."""
        timeline = self.plan.timeline
        rows: list[dict[str, Any]] = []
        said, left = timeline.plain(), _LLM_LOG_BYTES
        for call, tokens in zip(timeline.model_calls, timeline.tokens(), strict=True):
            bodies = _request_body(call, said), _response_body(call, *tokens)
            left -= len(orjson.dumps(bodies))
            if left < 0:
                break
            hooks = ("beforeRequestHook", call.asked_at, "request"), ("afterRequestHook", call.answered_at, "response")
            for (event, seconds, name), body in zip(hooks, bodies, strict=True):
                at = wire(self.start + timedelta(seconds=seconds))
                row = self._columns(current().ids.new("llmlog"), at) | {
                    "updated_at": at,
                    "event_type": event,
                    "call_id": call_id,
                    "session_id": self.session_id,
                    "data": {name: body, "decidedBy": call.request.by},
                }
                rows.append(row)
        return rows

    def _runtime_error(self, fault: FlowError, log_id: str) -> dict[str, Any]:
        return self._columns(current().ids.new("rterr"), self.ends) | {
            "deployment_id": self.deployment.deployment_id,
            "flow_id": self.deployment.flow_id,
            "error": fault.message,
            "service": "based_engine",
            "type": fault.type,
            "severity": "critical" if fault.type == "LlmConnectionError" else "error",
            "function_name": fault.function,
            "line_number": fault.line,
            "bb_engine_session_id": self.session_id,
            "traceback": fault.traceback,
            "metadata": {"logId": log_id},
        }


def _request_body(call: ModelCall, said: list[dict[str, str]]) -> dict[str, Any]:
    """Return what a model would have been sent; it names no model. `said` are all messages of the conversation."""
    request = call.request
    messages = [{"role": "system", "content": request.prompt}]
    messages += [{"role": "user", "content": request.about}] if request.about is not None else said[: request.heard]
    body: dict[str, Any] = {"messages": messages, "temperature": 0.3, "stream": call.event.type == "said"}
    if request.tools:
        functions = ({"name": f"until_{index}", "description": text} for index, text in enumerate(request.tools))
        body["tools"] = [{"type": "function", "function": function} for function in functions]
    return {"json": body}


def _response_body(call: ModelCall, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    reason = "tool_calls" if call.event.type == "taken" else "stop"
    usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
    choices = [{"index": 0, "message": call.answer, "finish_reason": reason}]
    return {"statusCode": 200, "json": {"choices": choices, "usage": usage}}


def _lost_model(code: str | None) -> FlowError:
    """Return the error of a connection to the language model that broke at the first talk."""
    type_name, message = "LlmConnectionError", "Connection to the language model was closed before the first token"
    lines = (code or "").splitlines()
    line = next((number for number, text in enumerate(lines, 1) if "talk(" in text), None)
    frame = f'  File "main.based", line {line}, in <flow>\n    {lines[line - 1].strip()}\n' if line else ""
    traceback = f"Traceback (most recent call last):\n{frame}{type_name}: {message}"
    return FlowError(type_name, message, "talk", line, traceback)


def analyze(deployment: DeploymentContext, plan: ConversationPlan) -> dict[str, Any]:
    """Add intent, summary and sentiment to the facts of a plan, and return its extractions.

    Those of the flow overwrite the deployment's. Contract: based.md, section 4.
    """
    dialogue, facts = plan.dialogue, plan.facts
    facts |= {"intent": dialogue.intent, "summary": dialogue.summary, "sentiment": analysis.mood(dialogue, facts)}
    if plan.run is None:
        return analysis.extract(deployment.profile.extractions or deployment.industry.extractions, dialogue, facts)
    return {**analysis.extract(deployment.profile.extractions or {}, dialogue, facts), **plan.run.extracted}


def write(logs: type[Log], conversations: Sequence[ConversationRows]) -> None:
    """Insert the conversations of one channel in the running transaction."""
    logs.add_many([one.log for one in conversations])
    Session.add_many([one.session for one in conversations])
    LlmLog.add_many([row for one in conversations for row in one.llm_logs])
    RuntimeErrorRecord.add_many([row for one in conversations for row in one.runtime_errors])


def hex_id(rng: Random, prefix: str) -> str:
    """Return a telephony id: the prefix and 32 hex digits."""
    return f"{prefix}{rng.getrandbits(128):032x}"
