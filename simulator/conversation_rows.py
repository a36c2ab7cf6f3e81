"""The database rows of a generated conversation: log, session, LLM logs, runtime errors, transfer record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.simulator import analysis, engine_records
from dryline.simulator.conversation_plans import ConversationPlan
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.engine_records import EngineRun
from dryline.simulator.flow_runner import lost_model
from dryline.storage.current_world import current
from dryline.world.clock import wire
from dryline.world.ids import Ids


@dataclass(slots=True)
class ConversationRows:
    """The rows of one conversation, by column name, ready for `write`."""

    log: dict[str, Any]
    session: dict[str, Any]
    llm_logs: list[dict[str, Any]] = field(default_factory=list)
    runtime_errors: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        log: dict[str, Any],
        line: DeploymentContext,
        run: EngineRun,
        *,
        call_id: str,
        llm_logs: bool,
    ) -> ConversationRows:
        """Return the rows of a conversation, given its log. `call_id` is stored in its LLM logs."""
        ids = current().ids
        llm_rows = engine_records.llm_logs(ids, line, run, call_id) if llm_logs else None
        rows = cls(log, engine_records.session(line, run, log["extractions_data"] or {}, llm_rows), llm_rows or [])
        if run.fault:
            rows.runtime_errors.append(engine_records.runtime_error(ids, line, run, {"logId": log["id"]}))
        return rows


def engine_run(line: DeploymentContext, plan: ConversationPlan, start: datetime, duration: int) -> EngineRun:
    """Return the run of the flow. A scripted call can fail, too: then the connection to the model was lost."""
    fault = plan.timeline.fault if plan.timeline else None
    if plan.dialogue.ending == "error" and plan.timeline is None:
        fault = lost_model(line.code)
    return EngineRun(
        session_id=current().ids.new(Session.id_prefix),
        start=start,
        duration=duration,
        talk=plan.talk,
        ended="failed" if fault else "completed" if plan.dialogue.steps else "not_connected",
        until=plan.dialogue.ended_by,
        fault=fault,
        timeline=plan.timeline,
        why=plan.why,
    )


def shared_members(model: type[Log], line: DeploymentContext, run: EngineRun) -> dict[str, Any]:
    """Return the members that the logs of all channels share."""
    return {
        "id": current().ids.new(model.id_prefix),
        "team_id": line.team_id,
        "created_at": run.starts,
        "updated_at": run.ends,
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "type": model.kind,
        "start_time": run.starts,
        "end_time": run.ends,
        "duration": run.duration,
        "flow_snapshot": line.code,
    }


def analyze(line: DeploymentContext, plan: ConversationPlan) -> dict[str, Any]:
    """Add intent, summary and sentiment to the facts of a plan, and return its extractions.

    Those of the flow overwrite the deployment's. Contract: based.md, section 4.
    """
    dialogue, facts = plan.dialogue, plan.facts
    facts |= {"intent": dialogue.intent, "summary": dialogue.summary, "sentiment": analysis.mood(dialogue, facts)}
    if plan.timeline is None:
        return analysis.extract(line.extractions or line.industry.extractions, dialogue, facts)
    return {**analysis.extract(line.extractions or {}, dialogue, facts), **plan.timeline.extracted}


def write(logs: type[Log], conversations: Sequence[ConversationRows]) -> None:
    """Insert the conversations of one channel in the running transaction."""
    logs.add_many([one.log for one in conversations])
    Session.add_many([one.session for one in conversations])
    LlmLog.add_many([row for one in conversations for row in one.llm_logs])
    RuntimeErrorRecord.add_many([row for one in conversations for row in one.runtime_errors])


def hex_id(rng: Random, prefix: str) -> str:
    """Return a telephony id: the prefix and 32 hex digits."""
    return f"{prefix}{rng.getrandbits(128):032x}"


@dataclass(frozen=True, slots=True)
class TransferReports:
    """The carrier's status reports of a transfer, each with its second, and how long the two spoke."""

    statuses: tuple[tuple[str, int], ...]
    talk_s: int

    @property
    def seconds(self) -> int:
        """Seconds from the first report to the last."""
        return self.statuses[-1][1]


def random_transfer(rng: Random) -> TransferReports:
    """Return the reports of a transfer; 88 % of them are answered."""
    if rng.random() < 0.88:
        answered, talk_s = 1 + rng.randrange(2, 9), rng.randrange(25, 150)
        statuses = (("initiated", 0), ("ringing", 1), ("answered", answered), ("completed", answered + talk_s))
        return TransferReports(statuses, talk_s)
    end = "busy" if rng.random() < 0.2 else "no-answer"
    return TransferReports((("initiated", 0), ("ringing", 1), (end, rng.randrange(18, 30))), 0)


def transfer_data(
    ids: Ids, reports: TransferReports, start: datetime, *, log: dict[str, Any], from_number: str, to_number: str
) -> dict[str, Any]:
    """Return the record of a transfer that begins at `start`. Contract: transfer_data.

    Only the last report has a duration, the seconds that the two spoke, so that the minutes of the record and of its
    events agree.
    """
    id, leg = ids.new("transfer"), hex_id(ids.random, "CA")
    events = []
    for kind, after in reports.statuses:
        at = wire(start + timedelta(seconds=after))
        event = {
            "id": ids.new("event"),
            "createdAt": at,
            "duration": str(reports.talk_s if kind == "completed" else 0),
            "toNumber": to_number,
            "fromNumber": from_number,
            "callTransferId": id,
            "type": kind,
            "timestamp": at,
            "parentCallSid": log["call_sid"],
            "callSid": leg,
        }
        events.append(event)
    minutes = round(reports.talk_s / 60, 4)
    return {
        "id": id,
        "createdAt": events[0]["timestamp"],
        "updatedAt": events[-1]["timestamp"],
        "callSid": log["call_sid"],
        "voiceLogId": log["id"],
        "status": reports.statuses[-1][0],
        "duration": str(reports.talk_s),
        "transferEvents": events,
        "metrics": {
            "transfers": 1,
            "transferMinutes": minutes,
            "transferEventMinutes": minutes,
            "transferEvents": len(events),
        },
    }
