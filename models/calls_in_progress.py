"""Calls in progress: the complete call, and what its log shows of it so far.

A call is generated whole when it is placed. While it lasts, its rows are updated at each turn (jobs/transitions.py), so
that lists, filters and totals need nothing but the rows.
"""

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Self

from peewee import SQL, IntegrityError, TextField, fn

from dryline.models.collection import ImportContext, StateCollection
from dryline.models.due import due_rows
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import create_deliveries
from dryline.models.webhook_payloads import ENDED, STARTED
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import JsonField, Record, tuples
from dryline.world.clock import parse, wire

Row = dict[str, Any]

_DEPLOYMENTS = ("voiceDeployments", "voicev1Deployments")
# The `status` of a call that has not ended. Assumed: the telephony provider's words.
UNDER_WAY = RINGING, TALKING = "ringing", "in-progress"
SPEAKERS = {"assistant": "Agent: ", "user": "User: "}
# Columns that are null until the call ends.
_NULL_UNTIL_END: Row = dict.fromkeys(
    ("end_time", "duration", "recording_url", "data", "extractions_data", "success_results", "transfer_data")
)
_SESSION_NULL_UNTIL_END: Row = dict.fromkeys(
    ("state", "input_tokens", "output_tokens", "minutes", "session_end", "error")
)
# Columns that change while a call lasts.
_LOG_COLUMNS = (
    *_NULL_UNTIL_END,
    *("status", "messages", "transcription", "session_log_data", "other_shapes", "updated_at"),
)
_SESSION_COLUMNS = (*_SESSION_NULL_UNTIL_END, "status", "messages", "trace", "other_shapes")


class CallInProgress(Record):
    """A call that has not ended. Its id is that of its log.

    `call` holds the complete rows by column names: `log`, `session`, `llm_logs`, `runtime_errors`. `due_at` is the time
    of the next update, `shown_until` that of the last one; None before the first.
    """

    id_prefix = "log"

    deployment_id = TextField()
    due_at = TextField()
    shown_until = TextField(null=True)
    call = JsonField()

    @classmethod
    def store_calls(cls, calls: Iterable[Row]) -> None:
        """Store these calls, each in the form of `call`, and write the logs of those that have begun."""
        now = current().stamp()
        copied = ("id", "team_id", "created_at", "deployment_id")
        rows = []
        for call in calls:
            log = call["log"]
            columns = {name: log[name] for name in copied}
            rows.append({**columns, "due_at": log["start_time"], "call": call})
        cls.add_many(rows)
        for row in rows:
            if row["due_at"] <= now:
                cls(**row).proceed(now)

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        # A call that has begun later than the moment, before the clock was set back, ends at once.
        return due_rows(cls._due_query, limit, moment=moment) or due_rows(cls._begun_later_query, limit, moment=moment)

    @classmethod
    def _due_query(cls, moment: str) -> Any:
        return cls.select().where(cls.due_at <= moment).order_by(cls.due_at, cls.id)

    @classmethod
    def _begun_later_query(cls, moment: str) -> Any:
        return cls.select().where(cls.shown_until > moment).order_by(cls.shown_until, cls.id)

    @classmethod
    def ended_call_conditions(cls, log: type[Log], team: Record) -> list[Any]:
        """Return conditions that leave the team's calls in progress out of a query on logs."""
        in_progress = cls.select(cls.id).where(cls.team_id == team.team_id)
        return [log.id.not_in(in_progress)] if log is VoiceLog else []

    @classmethod
    def logs(cls, team: Team, limit: int) -> list[VoiceLog]:
        """Return the logs of the team's calls in progress, latest start first."""
        ids = cls.select(cls.id).where(cls.team_id == team.id, cls.shown_until.is_null(False))
        newest = VoiceLog.start_time.desc(), VoiceLog.id.desc()
        return list(VoiceLog.select().where(VoiceLog.id.in_(ids)).order_by(*newest).limit(limit))

    @classmethod
    def count(cls, team: Team) -> int:
        """Return the number of the team's calls in progress."""
        return cls.select().where(cls.team_id == team.id, cls.shown_until.is_null(False)).count()

    @classmethod
    def ids_with_a_person(cls, team: Team) -> set[str]:
        """Return the ids of the team's calls in progress that a person has taken over after a transfer."""
        events = fn.json_each(cls.call, "$.log.transfer_data.transferEvents").alias("event")
        has_answered = (
            fn.json_extract(SQL("event.value"), "$.type") == "answered",
            fn.json_extract(SQL("event.value"), "$.timestamp") <= current().stamp(),
        )
        query = cls.select(cls.id).from_(cls, events).where(cls.team_id == team.id, *has_answered)
        return {id for (id,) in tuples(query)}

    def proceed(self, moment: str) -> None:
        """Update the rows to a moment. A call whose rows conflict with others is dropped; its log stays as it is."""
        try:
            with current().db.atomic():
                self._update_rows(moment)
        except (IntegrityError, sqlite3.IntegrityError):
            self.remove()

    def _update_rows(self, now: str) -> None:
        log, session = self._all_columns(VoiceLog, "log"), self._all_columns(Session, "session")
        shown_until = self.shown_until or ""
        ended = log["end_time"] <= now or shown_until > now
        if ended:
            self._write_log_and_session(log, session)
        else:
            self._write_log_and_session(log_at(log, now), session_at(session, log, now))
        for model, name in ((LlmLog, "llm_logs"), (RuntimeErrorRecord, "runtime_errors")):
            rows = [row for row in self.call[name] if row["created_at"] > shown_until]
            if not ended:
                rows = [row for row in rows if row["created_at"] <= now]
            model.add_many(rows)
        if self.shown_until is None:
            create_deliveries([log], STARTED)
        if ended:
            create_deliveries([log], ENDED)
            self.remove()
        else:
            self.change(due_at=next_update_time(log, now), shown_until=now)

    def _all_columns(self, model: type[Record], name: str) -> Row:
        return {**dict.fromkeys(model._meta.fields), **self.call[name]}

    def _write_log_and_session(self, log: Row, session: Row) -> None:
        if self.shown_until is None:
            VoiceLog.add_many([log])
            Session.add_many([session])
            return
        for model, row, columns in ((VoiceLog, log, _LOG_COLUMNS), (Session, session, _SESSION_COLUMNS)):
            same = model.id == row["id"], model.team_id == self.team_id
            model.update({name: row[name] for name in columns}).where(*same).execute()


# A call at a moment


def next_update_time(log: Row, now: str | None) -> str:
    """Return when a call next changes after `now`: at its start, at the start of a turn, or at its end."""
    start = parse(log["start_time"])
    turns = [wire(start + timedelta(seconds=message["start"])) for message in _messages(log)]
    moments = [log["start_time"], *turns, log["end_time"]]
    if now is not None:
        moments = [moment for moment in moments if moment > now]
    return min(moments)


def log_at(log: Row, now: str) -> Row:
    """Return a call's log at a moment before its end: RINGING until the first turn, then TALKING."""
    elapsed_s = _elapsed_s(log, now)
    messages = [message for message in _messages(log) if message["start"] <= elapsed_s]
    trace = (log.get("session_log_data") or {}).get("trace")
    return {
        **log,
        **_NULL_UNTIL_END,
        "status": TALKING if messages else RINGING,
        "messages": {"messages": messages} if messages else None,
        "transcription": transcription(messages) if messages else None,
        "session_log_data": {"status": "running", "until": None, "trace": _steps_until(trace, elapsed_s)},
        "updated_at": now,
    }


def session_at(session: Row, log: Row, now: str) -> Row:
    """Return a call's session at a moment before its end."""
    elapsed_s = _elapsed_s(log, now)
    count = sum(message["start"] <= elapsed_s for message in _messages(log))
    messages = (session.get("messages") or [])[:count]
    trace = _steps_until(session.get("trace"), elapsed_s)
    return {**session, **_SESSION_NULL_UNTIL_END, "status": "running", "messages": messages, "trace": trace}


def transcription(messages: Iterable[Mapping[str, Any]]) -> str:
    """Return the messages as one text, a line a turn."""
    return "\n".join([SPEAKERS[message["role"]] + message["content"] for message in messages])


def _messages(log: Row) -> list[Row]:
    return (log.get("messages") or {}).get("messages") or []


def _steps_until(trace: list[Row] | None, elapsed_s: float) -> list[Row]:
    return [step for step in trace or () if step["at"] <= elapsed_s]


def _elapsed_s(log: Row, now: str) -> float:
    return (parse(now) - parse(log["start_time"])).total_seconds()


# From a state document


def complete_imported_call(row: Row, rows: ImportContext) -> None:
    """Set when an imported call is next updated. Raises Invalid for a call that could not go on."""
    deployment: Row = {}
    for name in _DEPLOYMENTS:
        deployment = deployment or rows.find_row(name, row["deployment_id"])
    shown = rows.find_row("voiceLogs", row["id"])
    if not shown:
        row["shown_until"] = None
    try:
        call = rows.with_shifted_times(row["call"])
        log, session = call["log"], call["session"]
        for member in (log, session, *call["llm_logs"], *call["runtime_errors"]):
            if (member["team_id"], member["worker_id"]) != (row["team_id"], deployment["worker_id"]):
                raise ValueError("one of its rows belongs to another worker")
        if (log["id"], log["deployment_id"]) != (row["id"], row["deployment_id"]):
            raise ValueError("its log belongs to another call")
        if shown and shown.get("start_time") != log["start_time"]:
            raise ValueError("its log has another startTime")
        if (row.get("shown_until") or log["start_time"]) < log["start_time"]:
            raise ValueError("shown_until is before its start")
        row["due_at"] = next_update_time(log, row.get("shown_until"))
        log_at(log, log["end_time"])
        session_at(session, log, log["end_time"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise Invalid(f"Not a call that could go on: {error!r}.", "call") from None


STATE = {
    "callsInProgress": StateCollection(
        CallInProgress, required_links={"deployment_id": _DEPLOYMENTS}, complete=complete_imported_call
    )
}
