"""Complete, believable voice calls: the log and all that hangs on it. Contract: state.md, simulate; assumed beyond."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from operator import itemgetter
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.deployments import Deployment
from dryline.models.llm_logs import LlmLog
from dryline.models.recordings import neutral_address
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.said_outcomes import said_outcome
from dryline.models.sessions import Session
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import ENDED, STARTED, announce
from dryline.simulator import analysis, traces
from dryline.simulator.following import Following, state_of
from dryline.simulator.lines import Line, line_of
from dryline.simulator.plans import Plan, plan_call
from dryline.simulator.talks import spread
from dryline.simulator.transfers import Handover, handover, hex_id, transfer_data
from dryline.world.errors import Invalid
from dryline.world.world import World, current

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


class Prepared:
    """Conversations that were settled, ready to be written. `make` gives the one of a number, `keep` writes some."""

    def __init__(self, count: int, make: Callable[[int], Any], keep: Callable[[list[Any]], None]) -> None:
        self._count, self._make, self._keep = count, make, keep

    def write(self) -> list[str]:
        """Write them in the running transaction. Returns their log ids, oldest first."""
        found: list[tuple[str, str]] = []
        for first in range(0, self._count, AT_ONCE):
            made = [self._make(index) for index in range(first, min(first + AT_ONCE, self._count))]
            self._keep(made)
            found += [(one.log["start_time"], one.log["id"]) for one in made]
        return [id for _, id in sorted(found, key=itemgetter(0))]


def simulate_calls(world: World, deployment: Deployment, count: int, **options: Any) -> list[str]:
    """Write `count` calls of a voice deployment in the running transaction. Returns their log ids, oldest call first.

    The options are those of `prepare_calls`, which is for who does not want the flow to be run in a transaction.
    """
    return prepare_calls(world, line_of(deployment), count, **options).write()


def prepare_calls(
    world: World,
    line: Line,
    count: int,
    *,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    seed: int | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    llm_logs: bool | None = None,
    follow: str | None = None,
    branch: Sequence[str] = (),
    in_progress: bool = False,
) -> Prepared:
    """Settle `count` calls on a line. They follow its flow, which is run for each, or else scripts.

    The calls lie between `start_time`, when the first one begins, and `end_time`; without `start_time`, in the 24 hours
    before `end_time` (now), when the last one ends. None ends after an `end_time`: one that does not fit begins before
    `start_time`. Calls `in_progress` go on by the clock, and without times begin now.

    They are with `customer_number` (E.164), else everybody with a number of their own; without an `outcome` that number
    may say one (models/said_outcomes.py). The same `seed` gives the same conversations, people and outcomes; ids are
    always new. LLM logs, more than half of all that is written, are left out by default where there are more than
    LLM_LOGGED calls. `follow` (flow, script) and `branch` are as with Following. Raises Invalid when `start_time` lies
    behind `end_time` and for what the flow cannot do; Busy.
    """
    outcome = outcome or said_outcome(customer_number)
    llm_logs = count <= LLM_LOGGED if llm_logs is None else llm_logs
    rng = Random(world.ids.random.getrandbits(64) if seed is None else seed)
    by, end_time = end_time, end_time or world.clock.now()
    if in_progress and by is None:
        start_time = start_time or end_time
        end_time = max(start_time, end_time)
    starts = moments(Random(rng.getrandbits(64)), count, start_time, end_time, line.zone)
    last = count - 1 if start_time is None else None
    state = state_of(line.number, None)
    following = Following(world, line, "voice", state, follow=follow, branch=branch, outcome=outcome)

    def planned(index: int) -> Plan:
        at = end_time if index == last else starts[index]
        asked: dict[str, Any] = {"outcome": outcome, "direction": direction, "customer_number": customer_number}
        plan = plan_call(line, rng, **asked, following=following, at=at)
        return plan if llm_logs else plan.lean()

    plans = [] if following.why else [planned(index) for index in range(count)]

    def made(index: int) -> Call:
        plan = plans[index] if plans else planned(index)
        starts_at, ends_at = (None, end_time) if index == last else (starts[index], None)
        settled: dict[str, Any] = {"llm_logs": llm_logs, "plan": plan, "rings": in_progress}
        return make_call(line, rng, starts=starts_at, ends=ends_at, by=by, **settled)

    return Prepared(count, made, partial(store, in_progress=in_progress))


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
    by: datetime | None = None,
    rings: bool = False,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    row: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    llm_logs: bool = True,
    plan: Plan | None = None,
) -> Call:
    """One call that begins at `starts` or is over at `ends`; nothing is written, see `store`.

    It begins earlier where it would not be over `by` then. With `rings` it rings first, else it is answered at once.
    `customer_number` (E.164) and `row`, a campaign's contact row, tell whom it is with and what about; `metadata` is
    kept in the log. A `plan` has settled all this before; without one the call follows a script.
    """
    plan = plan or plan_call(line, rng, outcome=outcome, direction=direction, customer_number=customer_number, row=row)
    if rings:
        plan = plan.ringing(rng)
    reports = handover(rng) if plan.outcome == "transferred" else None
    talked = ceil(plan.talk.seconds)
    duration = talked + (reports.seconds if reports else 0)
    if starts is None:
        starts = (ends or current().clock.now()) - timedelta(seconds=duration)
    if by is not None:
        starts = min(starts, by - timedelta(seconds=duration))
    run = _run(line, plan, starts, duration)
    log = _log(line, run, plan.outcome, plan.direction, plan.facts["phone"])
    log["metadata"] = {"simulated": True, **(metadata or {})}
    if plan.course.steps:
        _find_out(log, line, plan, rng)
    log["data"] = _data(line, plan, handed_over=reports is not None and reports.spoke > 0)
    if reports:
        to_number = (plan.told and plan.told.transferred_to) or line.transfers_to
        log["transfer_data"] = _transfer_data(line, log, reports, starts + timedelta(seconds=talked), to_number)
    call = _with_traces(log, line, run, llm_logs)
    if rings and not plan.course.steps:  # ringing is no talking
        call.log["duration"] = call.session["minutes"] = 0
    return call


def _run(line: Line, plan: Plan, start: datetime, duration: int) -> traces.Run:
    """The run of the flow, which one that follows a script may come to grief in, too."""
    fault = plan.told.fault if plan.told else None
    if plan.course.ending == "error" and plan.told is None:
        fault = plan.facts.pick(line.program.faults)
    return traces.Run(
        session_id=current().ids.new(Session.id_prefix),
        start=start,
        duration=duration,
        talk=plan.talk,
        ended="failed" if fault else "completed" if plan.course.steps else "not_connected",
        until=plan.course.ended_by,
        fault=fault,
        told=plan.told,
        why=plan.why,
    )


def _find_out(log: dict[str, Any], line: Line, plan: Plan, rng: Random) -> None:
    """What is found out after the call; of a contact, the name is known before. What a flow extracts goes first."""
    course, facts = plan.course, plan.facts
    if log["direction"] == "outbound":
        course.told |= analysis.KNOWN_CONTACT
    facts |= {"intent": course.intent, "summary": course.summary, "sentiment": analysis.mood(course, facts)}
    log["extractions_data"] = extractions(line, plan)
    log["success_results"] = analysis.judge(line.criteria, course, rng)


def extractions(line: Line, plan: Plan) -> dict[str, Any]:
    """What the deployment looks for, and over it what its flow extracted. Contract: based.md, section 4."""
    if plan.told is None:
        return analysis.extract(line.sought or plan.facts.trade.sought, plan.course, plan.facts)
    return {**analysis.extract(line.sought or (), plan.course, plan.facts), **plan.told.extracted}


def _with_traces(log: dict[str, Any], line: Line, run: traces.Run, llm_logs: bool) -> Call:
    """The call whose log this is, with what the engine left behind."""
    ids = current().ids
    asked = traces.llm_logs(ids, line, run, log["call_sid"]) if llm_logs else None
    call = Call(log, traces.session(line, run, log["extractions_data"] or {}, asked), asked or [])
    if run.fault:
        call.runtime_errors.append(traces.runtime_error(ids, line, run, {"logId": log["id"]}))
    return call


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


def _transfer_data(
    line: Line, log: dict[str, Any], reports: Handover, start: datetime, to_number: str
) -> dict[str, Any]:
    """The transfer record of the log."""
    return transfer_data(
        current().ids,
        reports,
        start,
        log_id=log["id"],
        call_sid=log["call_sid"],
        from_number=line.number,
        to_number=to_number,
    )


def _data(line: Line, plan: Plan, *, handed_over: bool) -> dict[str, Any]:
    """The post-call data: latencies in milliseconds for each answer and as percentiles, and the analysis."""
    course, talk, facts = plan.course, plan.talk, plan.facts
    voice = {"provider": line.voice, "voiceId": line.voice_id, "characters": talk.spoken("assistant")}
    said = bool(course.steps)
    return {
        "latency": spread(talk.answers_ms),
        "tts": voice | spread(talk.voices_ms),
        "llm_websocket_network_rtt": round(18 + 40 * facts.random(), 1),
        "disposition": plan.outcome,
        "disconnection_reason": course.ending,
        "call_analysis": {
            "call_summary": course.summary if said else None,
            "user_sentiment": facts["sentiment"] if said else None,
            "call_successful": course.done or handed_over,
            "in_voicemail": plan.outcome == "voicemail",
        },
    }


def store(calls: Sequence[Call], *, in_progress: bool = False) -> None:
    """Write the calls in the running transaction, and tell the webhooks of their deployments.

    Calls `in_progress` that are not over by now are seen as far as they have come, and go on by the clock.
    """
    if in_progress:
        now = current().clock.stamp()
        CallInProgress.place(asdict(call) for call in calls if call.log["end_time"] > now)
        calls = [call for call in calls if call.log["end_time"] <= now]
    VoiceLog.add_many([call.log for call in calls])
    Session.add_many([call.session for call in calls])
    LlmLog.add_many([row for call in calls for row in call.llm_logs])
    RuntimeErrorRecord.add_many([row for call in calls for row in call.runtime_errors])
    announce([call.log for call in calls], *((STARTED, ENDED) if in_progress else ()))
