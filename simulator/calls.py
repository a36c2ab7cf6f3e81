"""Complete, believable voice calls: the log and all that hangs on it. Contract: state.md, simulate; assumed beyond."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.models.deployments import Deployment
from dryline.models.llm_logs import LlmLog
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import announce
from dryline.simulator import analysis, scripts, traces
from dryline.simulator.lines import Line, line_of
from dryline.simulator.people import person_of
from dryline.simulator.scripts import Script, Turn
from dryline.simulator.talks import Talk, spoken, spread
from dryline.simulator.trades import Trade
from dryline.simulator.transfers import Handover, handover, hex_id, transfer_data
from dryline.world.clock import wire
from dryline.world.errors import Invalid
from dryline.world.world import World, current

OUTCOMES = ("completed", "transferred", "voicemail", "no-answer", "busy", "failed")
_SHARES = (64, 14, 8, 7, 3, 4)
_UNREACHED = {"no-answer": "dial_no_answer", "busy": "dial_busy", "failed": "dial_failed"}
_GREETINGS = (
    "Thank you for calling {business}, this is {agent}. How can I help you today?",
    "{business}, {agent} speaking. What can I do for you?",
    "Hello, you've reached {business}. My name is {agent}. How may I help?",
)
_INTRODUCTIONS = (
    "Hello {first}, this is {agent} from {business}. You left us a message, how can I help?",
    "Hi, {agent} from {business} here. You asked us to call you back, {first}?",
)
_DONE = "agent_hangup"
_NOTHING_SAID = Talk([], [], [], [], 0.0)
# The share of calls that an hour (UTC) lets through: daytime in the United States.
_BUSY_HOURS = (0.5, 0.3, 0.2, *[0.08] * 9, 0.2, 0.6, 0.9, 1, 1, 0.9, 0.9, 1, 1, 0.9, 0.8, 0.7)
LONGEST_S = 900  # no call is longer
LLM_LOGGED = 1000
AT_ONCE = 500  # conversations that are held in memory before they are written


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
    starts = moments(Random(rng.getrandbits(64)), count, start_time, end_time)
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


def moments(rng: Random, count: int, start: datetime | None, end: datetime) -> list[datetime]:
    """When `count` conversations begin, in order: more of them by day and on weekdays.

    With `start` the first begins then. Raises Invalid when it lies behind `end`, or a time outside of 1970 to 9000.
    """
    for border, name in ((start, "start_time"), (end, "end_time")):
        if border is not None and not 1970 <= border.year < 9000:
            raise Invalid("Conversations lie between the years 1970 and 9000.", name)
    if start is not None and start > end:
        raise Invalid("The start lies behind the end.", "start_time")
    begin = end - timedelta(days=1) if start is None else start
    room = max((end - begin).total_seconds() - LONGEST_S, 0.0)
    found = [] if start is None else [start]
    while len(found) < count:
        for _ in range(6):
            moment = begin + timedelta(seconds=rng.random() * room)
            if rng.random() < _BUSY_HOURS[moment.hour] * (1 if moment.weekday() < 5 else 0.4):
                break
        found.append(moment)
    return sorted(found)


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

    `customer_number` (E.164) and `row`, a campaign's contact row, tell whom it is with; `metadata` is kept in the log.
    """
    outcome = outcome or rng.choices(OUTCOMES, _SHARES)[0]
    direction = direction or _direction(outcome, rng)
    trade = line.trades[int(rng.random() * len(line.trades))]
    facts = line.facts(trade, rng, person_of(rng, row, customer_number))
    script, turns, ending = _course(trade, outcome, direction, rng)
    talk = spoken(turns, facts, rng) if turns else _NOTHING_SAID
    plan = handover(rng) if outcome == "transferred" else None
    talked = int(talk.seconds) + 1 if turns else 0
    duration = talked + (plan.seconds if plan else 0)
    if starts is None:
        starts = (ends or current().clock.now()) - timedelta(seconds=duration)
    solved = outcome == "completed" and ending == _DONE
    facts |= {"intent": script.intent, "summary": script.summary.format_map(facts)}
    facts["sentiment"] = analysis.mood(solved, rng)
    fault = traces.pick_fault(rng) if ending == "error" else None
    run = traces.Run(
        session_id=current().ids.new(Session.id_prefix),
        start=starts,
        end=starts + timedelta(seconds=duration),
        talk=talk,
        ended="failed" if fault else "completed" if turns else "not_connected",
        until=script.until if ending in (_DONE, "call_transfer") else None,
        fault=fault,
    )
    log = _log(line, run, outcome, direction, facts["phone"])
    if turns:
        definitions = line.extractions or analysis.default_definitions(trade.extracted)
        log["extractions_data"] = analysis.extract(definitions, facts, script.slots, solved, rng)
        log["success_results"] = analysis.judge(line.success_criteria, solved, rng)
    log["data"] = _data(line, talk, outcome, ending, facts, solved, rng)
    log["metadata"] = {"simulated": True, **(metadata or {})}
    if plan:
        log["transfer_data"] = _transfer_data(line, log, plan, starts + timedelta(seconds=talked))
    return _with_traces(log, line, run, llm_logs)


def _with_traces(log: dict[str, Any], line: Line, run: traces.Run, llm_logs: bool) -> Call:
    """The call whose log this is, with what the engine left behind."""
    ids = current().ids
    call = Call(log, traces.session(line, run, log["extractions_data"] or {}))
    if llm_logs:
        call.llm_logs = traces.llm_logs(ids, line, run, log["call_sid"])
    if run.fault:
        call.runtime_errors.append(traces.runtime_error(ids, line, run, {"logId": log["id"]}))
    return call


def _direction(outcome: str, rng: Random) -> str:
    """Whom nobody reached was called; most others called."""
    share = 0.0 if outcome in ("voicemail", "no-answer", "busy") else 0.75
    return "inbound" if rng.random() < share else "outbound"


def _course(trade: Trade, outcome: str, direction: str, rng: Random) -> tuple[Script, list[Turn], str]:
    """What the call is about, its turns, and how it ends (`agent_hangup`, `dial_busy`, ...)."""
    inbound = direction == "inbound"
    if outcome == "voicemail":
        script = scripts.MESSAGE if inbound else scripts.VOICEMAIL
        return script, script.turns(rng), "voicemail_reached"
    if outcome == "transferred":
        return scripts.TRANSFER, _greeting(direction, rng) + scripts.TRANSFER.turns(rng), "call_transfer"
    choices = trade.inbound if inbound else trade.outbound
    script = choices[int(rng.random() * len(choices))]
    if outcome in ("no-answer", "busy") or (outcome == "failed" and not inbound and rng.random() < 0.5):
        return script, [], "user_hangup" if inbound and outcome == "no-answer" else _UNREACHED[outcome]
    turns = _greeting(direction, rng) + script.turns(rng) if inbound else script.turns(rng)
    if outcome == "failed":
        return script, _broken_off(turns, rng, "U"), "error"
    if rng.random() < 0.07:
        return script, _broken_off(turns, rng, "A"), "user_hangup"
    return script, turns, _DONE


def _greeting(direction: str, rng: Random) -> list[Turn]:
    greetings = _GREETINGS if direction == "inbound" else _INTRODUCTIONS
    return [("A", greetings[int(rng.random() * len(greetings))])]


def _broken_off(turns: list[Turn], rng: Random, who: str) -> list[Turn]:
    """The turns up to one of `who` somewhere past the first few."""
    cuts = [index for index, turn in enumerate(turns) if index > 2 and turn[0] == who] or [len(turns) - 1]
    return turns[: cuts[int(rng.random() * len(cuts))] + 1]


def _log(line: Line, run: traces.Run, outcome: str, direction: str, customer: str) -> dict[str, Any]:
    """The log's row, without what is found out after the call."""
    ids = current().ids
    id, call_sid = ids.new(VoiceLog.id_prefix), hex_id(ids.random, "CA")
    inbound = direction == "inbound"
    said = bool(run.talk.messages)
    return {
        "id": id,
        "team_id": line.team_id,
        "created_at": wire(run.start),
        "updated_at": wire(run.end),
        "worker_id": line.worker_id,
        "deployment_id": line.deployment_id,
        "flow_id": line.flow_id,
        "type": VoiceLog.kind,
        "start_time": wire(run.start),
        "end_time": wire(run.end),
        "status": outcome,
        "messages": {"messages": run.talk.messages} if said else None,
        "flow_snapshot": line.code,
        "session_log_data": {"status": run.ended, "until": run.until, "trace": traces.trace(run)},
        "bb_engine_session_id": run.session_id,
        "external_call_id": call_sid,
        "direction": direction,
        "from_number": customer if inbound else line.number,
        "to_number": line.number if inbound else customer,
        "transcription": run.talk.transcription if said else None,
        "recording_url": f"https://recordings.dryline.invalid/{call_sid}.mp3" if said else None,
        "telephony_source": "twilio",
        "call_sid": call_sid,
        "duration": int((run.end - run.start).total_seconds()),
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


def _data(
    line: Line, talk: Talk, outcome: str, ending: str, facts: dict[str, Any], solved: bool, rng: Random
) -> dict[str, Any]:
    """The post-call data: latencies in milliseconds for each answer and as percentiles, and the analysis."""
    voice = {"provider": line.voice, "voiceId": line.voice_id, "characters": talk.spoken("assistant")}
    return {
        "latency": spread(talk.answers_ms),
        "tts": voice | spread(talk.voices_ms),
        "llm_websocket_network_rtt": round(18 + 40 * rng.random(), 1),
        "disposition": outcome,
        "disconnection_reason": ending,
        "call_analysis": {
            "call_summary": facts["summary"] if talk.messages else None,
            "user_sentiment": facts["sentiment"] if talk.messages else None,
            "call_successful": solved or outcome == "transferred",
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
