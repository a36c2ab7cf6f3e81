"""The database rows of a generated conversation: log, session, LLM logs, runtime errors."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from math import ceil
from random import Random
from typing import Any

import orjson

from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.simulator import analysis
from dryline.simulator.conversations import Conversation
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.record import FlowError
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

    def by_name(self) -> dict[str, Any]:
        """Return the rows by the names above. They are not copied, which would take a fifth of the time of a call."""
        return {name: getattr(self, name) for name in self.__slots__}


class RowBuilder:
    """Builds the rows of a conversation, which begins at `start` and lasts for `duration` seconds."""

    def __init__(
        self, deployment: DeploymentContext, conversation: Conversation, start: datetime, duration: int
    ) -> None:
        self.deployment, self.conversation, self.start, self.duration = deployment, conversation, start, duration
        self.record = conversation.record
        self.session_id = current().ids.new(Session.id_prefix)
        self.starts, self.ends = wire(start), wire(start + timedelta(seconds=duration))
        if self.record.fault:
            self.ended = "failed"
        elif self.record.messages:
            self.ended = "completed"
        else:
            self.ended = "not_connected"
        self.trace = self._trace()

    def _trace(self) -> list[dict[str, Any]]:
        """Return the steps of the conversation, whose `at` is in seconds from the start."""
        steps: list[dict[str, Any]] = [{"at": 0.0, "step": "start"}]
        if self.conversation.why:
            steps.append({"at": 0.0, "step": "script", "why": self.conversation.why})
        return [*steps, *self.record.trace, {"at": round(self.record.seconds, 2), "step": "end"}]

    def _columns(self, id: str, created_at: str) -> dict[str, Any]:
        about = {"team_id": self.deployment.team_id, "worker_id": self.deployment.worker_id}
        return {"id": id, "created_at": created_at, **about}

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
        if self.record.fault:
            rows.runtime_errors.append(self._runtime_error(self.record.fault, log["id"]))
        return rows

    def _session(self, extracted: dict[str, Any]) -> dict[str, Any]:
        fault, state = self.record.fault, self.conversation.state
        tokens = self.record.tokens()
        return self._columns(self.session_id, self.starts) | {
            "flow_id": self.deployment.flow_id,
            "status": self.ended,
            "state": extracted if state is None else state,
            "messages": self.record.plain_messages(),
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
        rows: list[dict[str, Any]] = []
        messages, left = self.record.plain_messages(), _LLM_LOG_BYTES
        for call, tokens in zip(self.record.model_calls, self.record.tokens(), strict=True):
            bodies = call.request_body(messages), call.response_body(*tokens)
            left -= len(orjson.dumps(bodies))
            if left < 0:
                break
            hooks = ("beforeRequestHook", call.asked_at, "request"), ("afterRequestHook", call.answered_at, "response")
            for (event, seconds, name), body in zip(hooks, bodies, strict=True):
                logged_at = wire(self.start + timedelta(seconds=seconds))
                row = self._columns(current().ids.new("llmlog"), logged_at) | {
                    "updated_at": logged_at,
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


def analyze(deployment: DeploymentContext, conversation: Conversation) -> dict[str, Any]:
    """Add intent, summary and sentiment to the facts of a conversation, and return its extractions.

    Those of the flow overwrite the deployment's. Contract: based.md, section 4.
    """
    record, facts, definitions = conversation.record, conversation.facts, deployment.profile.extractions
    facts |= {"intent": record.purpose, "summary": record.summary, "sentiment": analysis.mood(record, facts)}
    if not conversation.follows_flow:
        return analysis.extract(definitions or deployment.industry.extractions, record, facts)
    return {**analysis.extract(definitions or {}, record, facts), **record.extracted}


def write(logs: type[Log], conversations: Sequence[ConversationRows]) -> None:
    """Insert the conversations of one channel in the running transaction."""
    logs.add_many([one.log for one in conversations])
    Session.add_many([one.session for one in conversations])
    LlmLog.add_many([row for one in conversations for row in one.llm_logs])
    RuntimeErrorRecord.add_many([row for one in conversations for row in one.runtime_errors])


def hex_id(rng: Random, prefix: str) -> str:
    """Return a telephony id: the prefix and 32 hex digits."""
    return f"{prefix}{rng.getrandbits(128):032x}"


def with_percentiles(values_ms: Sequence[int]) -> dict[str, Any]:
    """Return milliseconds with their percentiles (nearest rank), which are None for an empty list."""
    if not values_ms:
        nothing = dict.fromkeys(("min", "max", "p50", "p90", "p95", "p99"))
        return {"values": [], "num": 0, **nothing}
    ranked = sorted(values_ms)
    percentiles = {}
    for percent in (50, 90, 95, 99):
        rank = ceil(percent * len(ranked) / 100)
        percentiles[f"p{percent}"] = ranked[rank - 1]
    return {"values": list(values_ms), "num": len(ranked), "min": ranked[0], "max": ranked[-1], **percentiles}
