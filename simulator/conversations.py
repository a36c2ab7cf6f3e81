"""A conversation of any channel as rows: its log, and what the engine left behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.simulator import engine_records
from dryline.simulator.deployment_context import Line
from dryline.storage.current_world import current


@dataclass(slots=True)
class Conversation:
    """One conversation as rows, by column names, ready for `write`."""

    log: dict[str, Any]
    session: dict[str, Any]
    llm_logs: list[dict[str, Any]] = field(default_factory=list)
    runtime_errors: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(
        cls, log: dict[str, Any], line: Line, run: engine_records.Run, *, call_id: str, llm_logs: bool
    ) -> Conversation:
        """The one whose log this is; `call_id` is how its LLM logs name it."""
        ids = current().ids
        asked = engine_records.llm_logs(ids, line, run, call_id) if llm_logs else None
        made = cls(log, engine_records.session(line, run, log["extractions_data"] or {}, asked), asked or [])
        if run.fault:
            made.runtime_errors.append(engine_records.runtime_error(ids, line, run, {"logId": log["id"]}))
        return made


def write(logs: type[Log], conversations: Sequence[Conversation]) -> None:
    """Write conversations of one channel in the running transaction."""
    logs.add_many([one.log for one in conversations])
    Session.add_many([one.session for one in conversations])
    LlmLog.add_many([row for one in conversations for row in one.llm_logs])
    RuntimeErrorRecord.add_many([row for one in conversations for row in one.runtime_errors])
