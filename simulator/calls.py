"""Complete, believable voice calls: the log and all that hangs on it. Contract: state.md, simulate; assumed beyond."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import accumulate
from math import ceil
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from dryline.models.deployments import Deployment
from dryline.models.llm_logs import LlmLog
from dryline.models.recordings import neutral_address
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.voice_logs import OUTCOMES, VoiceLog
from dryline.models.webhook_deliveries import announce
from dryline.simulator import analysis, traces
from dryline.simulator.courses import Course, call_course
from dryline.simulator.facts import Facts
from dryline.simulator.lines import Line, line_of
from dryline.simulator.people import facts_of_row
from dryline.simulator.talks import Talk, spoken, spread
from dryline.simulator.transfers import Handover, handover, hex_id, transfer_data
from dryline.world.errors import Invalid
from dryline.world.world import World, current

# How calls come out, in parts of a hundred: any call; one that comes in, where nobody dials and no machine answers.
_SHARES = tuple(accumulate((64, 14, 8, 7, 3, 4)))
_SHARES_INBOUND = tuple(accumulate((75, 16, 3, 2, 0, 4)))
_NOTHING_SAID = Talk([], [], [], [], 0.0)
# The share of calls that an hour lets through, on the wall clock of the business; less on a weekend.
_BUSY_HOURS = (*[0.02] * 6, 0.1, 0.3, 0.8, 1, 1, 1, 0.8, 0.8, 1, 1, 0.9, 0.7, 0.4, 0.3, 0.2, 0.1, 0.05, 0.03)
_DAY_S = 86_400
LONGEST_S = 900  # no call is longer
LLM_LOGGED = 1000
AT_ONCE = 100  # conversations that are held in memory before they are written


@dataclass(slots=True)
class Call:
    """One call as rows, by column names, ready for `store`."""

    log: dict[str, Any]
    session: dict[str, Any]
    llm_logs: list[dict[str, Any]] = field(default_factory=list)
    runtime_errors: list[dict[str, Any]] = field(default_factory=list)


def simulate_calls(
    world: World,
    deployment: Deployment,
    count: int,
    *,
    outcome: str | None = None,
    direction: str | None = None,
    seed: int | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    llm_logs: bool | None = None,
) -> list[str]:
    """Write `count` calls of a voice deployment in the running transaction. Returns their log ids, oldest call first.

    The calls lie between `start_time`, when the first one begins, and `end_time` (now); without `start_time`, in the
    24 hours before `end_time`, when the last one ends. The same `seed` gives the same conversations, people and
    outcomes; ids are always new. LLM logs, more than half of all that is written, are left out by default where
    there are more than LLM_LOGGED calls. Raises Invalid when `start_time` lies behind `end_time`.
    """
    llm_logs = count <= LLM_LOGGED if llm_logs is None else llm_logs
    rng = Random(world.ids.random.getrandbits(64) if seed is None else seed)
    line = line_of(deployment)
    end_time = end_time or world.clock.now()
    starts = moments(Random(rng.getrandbits(64)), count, start_time, end_time, line.zone)
    last = count - 1 if start_time is None else None
    ids: list[str] = []
    for first in range(0, count, AT_ONCE):
        calls = []
        for index in range(first, min(first + AT_ONCE, count)):
            starts_at, ends_at = (None, end_time) if index == last else (starts[index], None)
            calls.append(
                make_call(
                    line,
                    rng,
                    starts=starts_at,
                    ends=ends_at,
                    outcome=outcome,
                    direction=direction,
                    llm_logs=llm_logs,
                )
            )
        store(calls)
        ids += [call.log["id"] for call in calls]
    return ids


def moments(rng: Random, count: int, start: datetime | None, end: datetime, zone: str) -> list[datetime]:
    """When `count` conversations begin, in order: more of them by day, as the clocks of `zone` go, and on weekdays.

    With `start` the first begins then. Raises Invalid when it lies behind `end`, or a time outside of 1970 to 9000.
    """
    for border, name in ((start, "start_time"), (end, "end_time")):
        if border is not None and not 1970 <= border.year < 9000:
            raise Invalid("Conversations lie between the years 1970 and 9000.", name)
    if start is not None and start > end:
        raise Invalid("The start lies behind the end.", "start_time")
    begin = end - timedelta(days=1) if start is None else start
    room = max((end - begin).total_seconds() - LONGEST_S, 0.0)
    local = begin.astimezone(ZoneInfo(zone))  # daylight saving within the span is passed over: an hour is no matter
    first_s = local.weekday() * _DAY_S + local.hour * 3600 + local.minute * 60
    found = [] if start is None else [0.0]
    while len(found) < count:
        for _ in range(20):
            after_s = rng.random() * room
            days, second = divmod(first_s + after_s, _DAY_S)
            if rng.random() < _BUSY_HOURS[int(second // 3600)] * (1 if days % 7 < 5 else 0.4):
                break
        found.append(after_s)
    return [begin + timedelta(seconds=after_s) for after_s in sorted(found)]


def make_call(
    line: Line,
    rng: Random,
    *,
    starts: datetime | None = None,
    ends: datetime | None = None,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    row: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    llm_logs: bool = True,
) -> Call:
    """One call that begins at `starts` or is over at `ends`; nothing is written, see `store`.

    `customer_number` (E.164) and `row`, a campaign's contact row, tell whom it is with and what about; `metadata` is
    kept in the log.
    """
    outcome = outcome or _outcome(direction, rng)
    direction = direction or _direction(outcome, rng)
    trade = line.trades[int(rng.random() * len(line.trades))]
    facts = Facts(line, trade, rng, facts_of_row(row, customer_number))
    course, talk = _held(line, outcome, direction, facts, rng)
    plan = handover(rng) if outcome == "transferred" else None
    talked = ceil(talk.seconds)
    duration = talked + (plan.seconds if plan else 0)
    if starts is None:
        starts = (ends or current().clock.now()) - timedelta(seconds=duration)
    fault = facts.pick(line.program.faults) if course.ending == "error" else None
    run = traces.Run(
        session_id=current().ids.new(Session.id_prefix),
        start=starts,
        duration=duration,
        talk=talk,
        ended="failed" if fault else "completed" if course.steps else "not_connected",
        until=course.ended_by,
        fault=fault,
    )
    log = _log(line, run, outcome, direction, facts["phone"])
    log["metadata"] = {"simulated": True, **(metadata or {})}
    if course.steps:
        _find_out(log, line, course, facts, rng)
    log["data"] = _data(line, talk, outcome, course, facts, handed_over=plan is not None and plan.spoke > 0)
    if plan:
        log["transfer_data"] = _transfer_data(line, log, plan, starts + timedelta(seconds=talked))
    return _with_traces(log, line, run, llm_logs)


def _find_out(log: dict[str, Any], line: Line, course: Course, facts: Facts, rng: Random) -> None:
    """What is found out after the call; of a contact, the name is known before."""
    if log["direction"] == "outbound":
        course.told |= analysis.KNOWN_CONTACT
    facts |= {"intent": course.intent, "summary": course.summary, "sentiment": analysis.mood(course, facts)}
    log["extractions_data"] = analysis.extract(line.sought or facts.trade.sought, course, facts)
    log["success_results"] = analysis.judge(line.criteria, course, rng)


def _held(line: Line, outcome: str, direction: str, facts: Facts, rng: Random) -> tuple[Course, Talk]:
    """What happens in the call, and when: no longer than the line's longest call, unless a person takes over."""
    course = call_course(line, outcome, direction == "inbound", facts, rng)
    if not course.steps:
        return course, _NOTHING_SAID
    talk = spoken(course.steps, rng)
    if line.longest_s is not None and talk.seconds > line.longest_s and outcome == "completed":
        turns = talk.turns_within(line.longest_s)
        course, talk = course.shortened(turns), talk.shortened(turns, line.longest_s)
    return course, talk


def _with_traces(log: dict[str, Any], line: Line, run: traces.Run, llm_logs: bool) -> Call:
    """The call whose log this is, with what the engine left behind."""
    ids = current().ids
    call = Call(log, traces.session(line, run, log["extractions_data"] or {}))
    if llm_logs:
        call.llm_logs = traces.llm_logs(ids, line, run, log["call_sid"])
    if run.fault:
        call.runtime_errors.append(traces.runtime_error(ids, line, run, {"logId": log["id"]}))
    return call


def _outcome(direction: str | None, rng: Random) -> str:
    return OUTCOMES[bisect(_SHARES_INBOUND if direction == "inbound" else _SHARES, 100 * rng.random())]


def _direction(outcome: str, rng: Random) -> str:
    """Whom nobody reached was called; most others called."""
    share = 0.0 if outcome in ("voicemail", "no-answer", "busy") else 0.75
    return "inbound" if rng.random() < share else "outbound"


def _log(line: Line, run: traces.Run, outcome: str, direction: str, customer: str) -> dict[str, Any]:
    """The log's row, without what is found out after the call."""
    ids = current().ids
    id, call_sid = ids.new(VoiceLog.id_prefix), hex_id(ids.random, "CA")
    inbound = direction == "inbound"
    said = bool(run.talk.messages)
    return {
        "id": id,
        "team_id": line.team_id,
        "created_at": run.starts,
        "updated_at": run.ends,
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "type": VoiceLog.kind,
        "start_time": run.starts,
        "end_time": run.ends,
        "status": outcome,
        "messages": {"messages": run.talk.messages} if said else None,
        "flow_snapshot": line.code,
        "session_log_data": {"status": run.ended, "until": run.until, "trace": run.trace},
        "bb_engine_session_id": run.session_id,
        "external_call_id": call_sid,
        "direction": direction,
        "from_number": customer if inbound else line.number,
        "to_number": line.number if inbound else customer,
        "transcription": run.talk.transcription if said else None,
        "recording_url": neutral_address(call_sid) if said else None,
        "telephony_source": "twilio",
        "call_sid": call_sid,
        "duration": run.duration,
        "extractions_data": None,
        "success_results": None,
        "transfer_data": None,
    }


def _transfer_data(line: Line, log: dict[str, Any], plan: Handover, start: datetime) -> dict[str, Any]:
    """The transfer record of the log."""
    return transfer_data(
        current().ids,
        plan,
        start,
        log_id=log["id"],
        call_sid=log["call_sid"],
        from_number=line.number,
        to_number=line.transfers_to,
    )


def _data(line: Line, talk: Talk, outcome: str, course: Course, facts: Facts, *, handed_over: bool) -> dict[str, Any]:
    """The post-call data: latencies in milliseconds for each answer and as percentiles, and the analysis."""
    voice = {"provider": line.voice, "voiceId": line.voice_id, "characters": talk.spoken("assistant")}
    said = bool(course.steps)
    return {
        "latency": spread(talk.answers_ms),
        "tts": voice | spread(talk.voices_ms),
        "llm_websocket_network_rtt": round(18 + 40 * facts.random(), 1),
        "disposition": outcome,
        "disconnection_reason": course.ending,
        "call_analysis": {
            "call_summary": course.summary if said else None,
            "user_sentiment": facts["sentiment"] if said else None,
            "call_successful": course.done or handed_over,
            "in_voicemail": outcome == "voicemail",
        },
    }


def store(calls: Sequence[Call]) -> None:
    """Write the calls in the running transaction, and tell the webhooks of their deployments."""
    VoiceLog.add_many([call.log for call in calls])
    Session.add_many([call.session for call in calls])
    LlmLog.add_many([row for call in calls for row in call.llm_logs])
    RuntimeErrorRecord.add_many([row for call in calls for row in call.runtime_errors])
    announce([call.log for call in calls])
