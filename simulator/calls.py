"""Complete, believable voice calls: the log and all that hangs on it. Contract: state.md, simulate; assumed beyond."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from random import Random
from typing import Any, Self

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.recordings import neutral_address
from dryline.models.scripted_outcomes import scripted_outcome
from dryline.models.sessions import Session
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import announce
from dryline.models.webhook_payloads import ENDED, STARTED
from dryline.simulator import analysis, engine_records
from dryline.simulator.conversation_batch import (
    AT_ONCE,
    LLM_LOGGED,
    STEP,
    WITH_WEBHOOKS_AT_ONCE,
    ConversationBatch,
    moments,
)
from dryline.simulator.conversation_plans import ConversationPlan, plan_call
from dryline.simulator.conversation_rows import (
    ConversationRows,
    hex_id,
    random_transfer,
    transfer_data,
    write,
)
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.flow_runner import lost_model
from dryline.simulator.followed import FollowedFlow
from dryline.simulator.timeline import spread
from dryline.storage.current_world import current
from dryline.world.world import World


@dataclass(slots=True)
class _Times:
    """The times of calls: each begins at its `starts`, but the `last` one ends at `end`. None ends after `by`.

    None begins before `least`.
    """

    starts: list[datetime]
    last: int | None
    end: datetime
    by: datetime | None
    least: datetime | None

    @classmethod
    def draw(
        cls,
        world: World,
        line: DeploymentContext,
        rng: Random,
        count: int,
        *,
        start: datetime | None,
        by: datetime | None,
        after: datetime | None,
        now: bool,
    ) -> Self:
        """Return the times of `count` calls, which begin after `after` if they have neither `start` nor `by`.

        With `now` these begin now.
        """
        end = by or world.clock.now()
        if now and by is None:
            start = start or end
            end = max(start, end)
        after = after if start is None and by is None else None
        starts = moments(Random(rng.getrandbits(64)), count, start, end, line.zone, after=after)
        least = None if after is None else after + STEP if count == 1 else starts[-2]
        return cls(starts, count - 1 if start is None else None, end, by, least)

    def flow_time(self, index: int) -> datetime:
        """Return the time at which the flow of a call is run: its start, or the end of the last one."""
        return self.end if index == self.last else self.starts[index]

    def of(self, index: int) -> dict[str, Any]:
        """Return the arguments of `make_call` that place a call in time."""
        is_last = index == self.last
        least = self.least if is_last else None
        return {"ends" if is_last else "starts": self.flow_time(index), "by": self.by, "least": least}


def prepare_calls(
    world: World,
    line: DeploymentContext,
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
    shares: Mapping[str, float] | None = None,
    in_progress: bool = False,
    after: datetime | None = None,
) -> ConversationBatch:
    """Plan `count` calls on a line. They follow its flow, which is run for each, or else scripts.

    The calls lie between `start_time`, when the first one begins, and `end_time`; without `start_time`, in the 24 hours
    before `end_time` (now), when the last one ends. None ends after an `end_time`: one that does not fit begins before
    `start_time`. Calls `in_progress` go on by the clock, and without times begin now, others `after` the newest call.

    The other party has `customer_number` (E.164), else each call another number. Without an `outcome` the number may
    determine it (models/scripted_outcomes.py). The same `seed` gives the same conversations, people and outcomes; ids
    are always new. LLM logs are more than half of all rows, so more than LLM_LOGGED calls have none by default.
    `follow` (flow, script), `branch` and `shares` are those of FollowedFlow. Raises Invalid for a `start_time` after
    `end_time` and for what the flow cannot do; Busy.
    """
    outcome = outcome or scripted_outcome(customer_number)
    llm_logs = count <= LLM_LOGGED if llm_logs is None else llm_logs
    rng = Random(world.ids.random.getrandbits(64) if seed is None else seed)
    times = _Times.draw(world, line, rng, count, start=start_time, by=end_time, after=after, now=in_progress)
    following = FollowedFlow(world, line, "voice", follow=follow, branch=branch, outcome=outcome, shares=shares)
    person: dict[str, Any] = {"outcome": outcome, "direction": direction, "customer_number": customer_number}
    plans: Iterable[ConversationPlan] = (
        plan_call(line, rng, **person, following=following, at=times.flow_time(index)) for index in range(count)
    )
    return ConversationBatch(
        plans,
        make=lambda index, plan: make_call(line, rng, **times.of(index), llm_logs=llm_logs, plan=plan),
        keep=partial(store, in_progress=in_progress),
        runs_flow=following.why is None,
        llm_logs=llm_logs,
        at_once=WITH_WEBHOOKS_AT_ONCE if line.has_webhook else AT_ONCE,
    )


def make_call(
    line: DeploymentContext,
    rng: Random,
    *,
    starts: datetime | None = None,
    ends: datetime | None = None,
    by: datetime | None = None,
    least: datetime | None = None,
    outcome: str | None = None,
    direction: str | None = None,
    customer_number: str | None = None,
    row: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    llm_logs: bool = True,
    plan: ConversationPlan | None = None,
) -> ConversationRows:
    """Return a call that begins at `starts` or is over at `ends`. `store` writes it.

    It begins earlier if it would last longer than until `by`, but never before `least`.
    `customer_number` (E.164) and `row`, a campaign's contact row, describe the other party; `metadata` goes into the
    log. Without a `plan` the call follows a script.
    """
    plan = plan or plan_call(line, rng, outcome=outcome, direction=direction, customer_number=customer_number, row=row)
    reports = random_transfer(rng) if plan.outcome == "transferred" else None
    talked = ceil(plan.talk.seconds)
    duration = talked + (reports.seconds if reports else 0)
    starts = _start(starts, ends, by, timedelta(seconds=duration))
    starts = starts if least is None else max(starts, least)
    run = _engine_run(line, plan, starts, duration)
    log = _log_row(line, run, plan.outcome, plan.direction, plan.facts["phone"])
    log["metadata"] = {"simulated": True, **(metadata or {})}
    if plan.dialogue.steps:
        _add_analysis(log, line, plan, rng)
    log["data"] = _post_call_data(line, plan, handed_over=reports is not None and reports.talk_s > 0)
    if reports:
        to_number = (plan.timeline and plan.timeline.transferred_to) or line.desk_number
        at, numbers = starts + timedelta(seconds=talked), {"from_number": line.number, "to_number": to_number}
        log["transfer_data"] = transfer_data(current().ids, reports, at, log=log, **numbers)
    call = ConversationRows.of(log, line, run, call_id=log["call_sid"], llm_logs=llm_logs)
    if not plan.dialogue.steps:  # ringing is no talking
        call.log["duration"] = call.session["minutes"] = 0
    return call


def _start(starts: datetime | None, ends: datetime | None, by: datetime | None, duration: timedelta) -> datetime:
    """Return when a call begins that is over by `by`, if there is such a time."""
    if starts is None:
        starts = (ends or current().clock.now()) - duration
    return starts if by is None else min(starts, by - duration)


def _engine_run(
    line: DeploymentContext, plan: ConversationPlan, start: datetime, duration: int
) -> engine_records.EngineRun:
    """Return the run of the flow. A scripted call can fail, too: then the connection to the model was lost."""
    fault = plan.timeline.fault if plan.timeline else None
    if plan.dialogue.ending == "error" and plan.timeline is None:
        fault = lost_model(line.code)
    return engine_records.EngineRun(
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


def _add_analysis(log: dict[str, Any], line: DeploymentContext, plan: ConversationPlan, rng: Random) -> None:
    """Add extractions and success results to a log. The name of a contact is known without being said."""
    dialogue, facts = plan.dialogue, plan.facts
    if log["direction"] == "outbound":
        dialogue.mentioned |= analysis.KNOWN_CONTACT
    facts |= {"intent": dialogue.intent, "summary": dialogue.summary, "sentiment": analysis.mood(dialogue, facts)}
    log["extractions_data"] = extractions(line, plan)
    log["success_results"] = analysis.judge(line.criteria, dialogue, log["extractions_data"], rng)


def extractions(line: DeploymentContext, plan: ConversationPlan) -> dict[str, Any]:
    """Return the deployment's extractions, overwritten by those of its flow. Contract: based.md, section 4."""
    if plan.timeline is None:
        return analysis.extract(line.extraction_rules or line.industry.extraction_rules, plan.dialogue, plan.facts)
    return {**analysis.extract(line.extraction_rules or (), plan.dialogue, plan.facts), **plan.timeline.extracted}


def _log_row(
    line: DeploymentContext, run: engine_records.EngineRun, outcome: str, direction: str, customer: str
) -> dict[str, Any]:
    """Return the log's row without the results of the analysis."""
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


def _post_call_data(line: DeploymentContext, plan: ConversationPlan, *, handed_over: bool) -> dict[str, Any]:
    """Return the post-call data: latencies in milliseconds, for each answer and as percentiles, and the analysis."""
    dialogue, talk, facts = plan.dialogue, plan.talk, plan.facts
    voice = {"provider": line.voice, "voiceId": line.voice_id, "characters": talk.spoken("assistant")}
    said = bool(dialogue.steps)
    return {
        "latency": spread(talk.answers_ms),
        "tts": voice | spread(talk.voices_ms),
        "llm_websocket_network_rtt": round(18 + 40 * facts.random(), 1),
        "disposition": plan.outcome,
        "disconnection_reason": dialogue.ending,
        "call_analysis": {
            "call_summary": dialogue.summary if said else None,
            "user_sentiment": facts["sentiment"] if said else None,
            "call_successful": dialogue.done or handed_over,
            "in_voicemail": plan.outcome == "voicemail",
        },
    }


def store(calls: Sequence[ConversationRows], *, in_progress: bool = False) -> None:
    """Write the calls in the running transaction, and announce them to the webhooks of their deployments.

    Calls `in_progress` that are not over yet are stored as such, and go on by the clock.
    """
    if in_progress:
        now = current().clock.stamp()
        CallInProgress.place(asdict(call) for call in calls if call.log["end_time"] > now)
        calls = [call for call in calls if call.log["end_time"] <= now]
    write(VoiceLog, calls)
    announce([call.log for call in calls], *((STARTED, ENDED) if in_progress else ()))
