"""Calls in progress: all that will be known of a call, and as much of it in its log as the clock has come to.

A call is made whole when it is placed. Until it is over its rows are brought up to date at each turn (jobs/moves.py):
lists, filters and totals read nothing but rows.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any, Self

from peewee import FloatField, IntegerField, IntegrityError, TextField

from dryline.models.collection import Collection, Neighbours
from dryline.models.due import due_rows
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import ENDED, STARTED, announce
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import JsonField, Record, connection, connection_execute
from dryline.world.clock import parse, wire

Row = dict[str, Any]

_DEPLOYMENTS = ("voiceDeployments", "voicev1Deployments")
# The `status` of a call that is not over. Assumed: the words of its telephony source.
UNDER_WAY = RINGING, TALKING = "ringing", "in-progress"
SPEAKERS = {"assistant": "Agent: ", "user": "User: "}
# What is found out once a call is over.
_LATER: Row = dict.fromkeys(
    ("end_time", "duration", "recording_url", "data", "extractions_data", "success_results", "transfer_data")
)
_SESSION_LATER: Row = dict.fromkeys(("state", "input_tokens", "output_tokens", "minutes", "session_end", "error"))
# A log whose status changes gets a new row number: the bitmaps of lists take it in as a new one (see there).
_MOVE_ON = (
    "UPDATE voice_log SET rowid = (SELECT max(rowid) + 1 FROM voice_log), status = ?, end_time = ?, duration = ?"
    " WHERE id = ? AND team_id = ?"
)


class CallInProgress(Record):
    """A call that is not over. The id is its log's.

    `call` holds its rows as they will be, by column names: `log`, `session`, `llm_logs`, `runtime_errors`. `due_at` is
    when more of it is to be shown, `shown_until` up to when it is; None while it has not begun.
    """

    id_prefix = "log"

    deployment_id = TextField()
    due_at = TextField()
    shown_until = TextField(null=True)
    call = JsonField()

    @classmethod
    def place(cls, calls: Iterable[Row]) -> None:
        """Have these calls, as `call` holds them, go on by the clock; what is due of them is there at once."""
        now = current().clock.stamp()
        rows = [
            {
                "id": call["log"]["id"],
                "team_id": call["log"]["team_id"],
                "created_at": call["log"]["created_at"],
                "deployment_id": call["log"]["deployment_id"],
                "due_at": call["log"]["start_time"],
                "call": call,
            }
            for call in calls
        ]
        cls.add_many(rows)
        for row in rows:
            if row["due_at"] <= now:
                cls(**row).proceed()

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` calls of which more is to be shown at a moment."""
        return due_rows(cls, "due_at <= :moment", "due_at, id", limit, moment=moment)

    @classmethod
    def over(cls, log: type[Log], team: Record) -> list[Any]:
        """The conditions under which a log of the team's stands for a conversation that is over."""
        sql = "SELECT EXISTS (SELECT 1 FROM call_in_progress WHERE team_id = ?)"
        if log is not VoiceLog or not connection().execute(sql, (team.team_id,)).fetchone()[0]:
            return []
        return [log.id.not_in(cls.select(cls.id).where(cls.team_id == team.team_id))]

    @classmethod
    def logs(cls, team: Team, limit: int) -> list[VoiceLog]:
        """The logs of the team's calls in progress, those that began last first."""
        mine = cls.select(cls.id).where(cls.team_id == team.id, cls.shown_until.is_null(False))
        newest = VoiceLog.start_time.desc(), VoiceLog.id.desc()
        return list(VoiceLog.select().where(VoiceLog.id.in_(mine)).order_by(*newest).limit(limit))

    def proceed(self) -> None:
        """Bring its rows up to the present. One that came in and cannot go on stays as it is."""
        try:
            with current().db.atomic():
                self._proceed(current().clock.stamp())
        except (IntegrityError, sqlite3.IntegrityError):
            self.remove()

    def _proceed(self, now: str) -> None:
        log, session = (self._whole(model, name) for model, name in ((VoiceLog, "log"), (Session, "session")))
        over = log["end_time"] <= now
        self._show(log if over else log_at(log, now), session if over else session_at(session, log, now))
        for model, name in ((LlmLog, "llm_logs"), (RuntimeErrorRecord, "runtime_errors")):
            model.add_many(row for row in self.call[name] if (self.shown_until or "") < row["created_at"] <= now)
        if self.shown_until is None:
            announce([log], STARTED)
        if over:
            announce([log], ENDED)
            self.remove()
        else:
            self.change(due_at=next_moment(log, now), shown_until=now)

    def _whole(self, model: type[Record], name: str) -> Row:
        return {**dict.fromkeys(model._meta.fields), **self.call[name]}

    def _show(self, log: Row, session: Row) -> None:
        if self.shown_until is None:
            VoiceLog.add_many([log])
            Session.add_many([session])
            return
        moved = connection_execute(
            "SELECT 1 FROM voice_log WHERE id = ? AND status IS NOT ?", (log["id"], log["status"])
        ).fetchone()
        if moved:
            state = log["status"], log["end_time"], log["duration"]
            connection_execute(_MOVE_ON, (*state, log["id"], self.team_id))
        changed = (*_LATER, "messages", "transcription", "session_log_data", "updated_at")
        values = {name: log[name] for name in changed if name not in ("end_time", "duration")}
        VoiceLog.update(values).where(VoiceLog.id == log["id"], VoiceLog.team_id == self.team_id).execute()
        values = {name: session[name] for name in (*_SESSION_LATER, "status", "messages", "trace")}
        Session.update(values).where(Session.id == session["id"], Session.team_id == self.team_id).execute()


# A call as of a moment


def next_moment(log: Row, now: str | None) -> str:
    """When a call has something new to show: at its start, at each turn as it begins, and at its end."""
    start = parse(log["start_time"])
    turns = [wire(start + timedelta(seconds=said["start"])) for said in _messages(log)]
    return min(at for at in (log["start_time"], *turns, log["end_time"]) if now is None or at > now)


def log_at(log: Row, now: str) -> Row:
    """A call's log as it stands at a moment before its end: RINGING until somebody speaks, then TALKING."""
    after_s = _after_s(log, now)
    said = [message for message in _messages(log) if message["start"] <= after_s]
    kept = log.get("session_log_data") or {}
    return {
        **log,
        **_LATER,
        "status": TALKING if said else RINGING,
        "messages": {"messages": said} if said else None,
        "transcription": transcription(said) if said else None,
        "session_log_data": {"status": "running", "until": None, "trace": _until(kept.get("trace"), after_s)},
        "updated_at": now,
    }


def session_at(session: Row, log: Row, now: str) -> Row:
    """A call's session as it stands at a moment before its end."""
    after_s = _after_s(log, now)
    said = sum(message["start"] <= after_s for message in _messages(log))
    shown = {"messages": (session.get("messages") or [])[:said], "trace": _until(session.get("trace"), after_s)}
    return {**session, **_SESSION_LATER, "status": "running", **shown}


def transcription(messages: Iterable[Mapping[str, Any]]) -> str:
    """What was said as one text, a line a turn."""
    return "\n".join([SPEAKERS[said["role"]] + said["content"] for said in messages])


def _messages(log: Row) -> list[Row]:
    return (log.get("messages") or {}).get("messages") or []


def _until(trace: list[Row] | None, after_s: float) -> list[Row]:
    return [step for step in trace or () if step["at"] <= after_s]


def _after_s(log: Row, now: str) -> float:
    return (parse(now) - parse(log["start_time"])).total_seconds()


# From a state document


def complete_call(row: Row, rows: Neighbours) -> None:
    """When it goes on. Raises Invalid where it is no call of its deployment that could."""
    deployment = next(filter(None, (rows.row(name, row["deployment_id"]) for name in _DEPLOYMENTS)), {})
    if not rows.row("voiceLogs", row["id"]):
        row["shown_until"] = None
    call = row["call"]
    try:
        log, session = call["log"], call["session"]
        groups = (VoiceLog, [log]), (Session, [session]), (LlmLog, call["llm_logs"])
        for model, found in (*groups, (RuntimeErrorRecord, call["runtime_errors"])):
            for one in found:
                _demand_columns(model, one)
                if (one["team_id"], one["worker_id"]) != (row["team_id"], deployment["worker_id"]):
                    raise ValueError("a row of it is another worker's")
        if (log["id"], log["deployment_id"]) != (row["id"], row["deployment_id"]):
            raise ValueError("its log is of another call")
        row["due_at"] = next_moment(log, row.get("shown_until"))
        log_at(log, log["end_time"])
        session_at(session, log, log["end_time"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Invalid(f"Not a call that could go on: {error!r}.", "call") from None


def _demand_columns(model: type[Record], row: Row) -> None:
    """Raises ValueError where the row is none of the model's."""
    fields = model._meta.fields
    if unknown := row.keys() - fields:
        raise ValueError(f"{min(unknown)} is no column of {model.noun()}")
    for name, field in fields.items():
        value = row.get(name)
        kinds = (int, float) if isinstance(field, IntegerField | FloatField) else str
        fits = isinstance(field, JsonField) or isinstance(value, kinds)
        if not (field.null if value is None else fits):
            raise ValueError(f"{name} of {model.noun()} cannot be {value!r}")


STATE = {"callsInProgress": Collection(CallInProgress, needs={"deployment_id": _DEPLOYMENTS}, complete=complete_call)}
