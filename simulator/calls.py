"""Complete, believable voice calls: the log and all that hangs on it. Contract: state.md, simulate; assumed beyond."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from math import ceil
from random import Random
from typing import Any

from dryline.models.calls_in_progress import CallInProgress, transcription
from dryline.models.recordings import neutral_address
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import create_deliveries
from dryline.models.webhook_payloads import ENDED, STARTED
from dryline.simulator import analysis
from dryline.simulator.conversation_batch import STEP, ConversationBatch, moments
from dryline.simulator.conversation_rows import ConversationRows, RowBuilder, analyze, hex_id, with_percentiles, write
from dryline.simulator.conversations import Conversation, Simulator
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.request import SimulationRequest
from dryline.storage.current_world import current
from dryline.world.clock import wire
from dryline.world.world import World

Report = tuple[str, int]  # of a transfer, by the carrier: a status, and its second


class _Times:
    """The times of a request's calls: each begins at its start, but the last one ends at `end` if none was sent."""

    def __init__(self, request: SimulationRequest, now: datetime, rng: Random, zone: str) -> None:
        start, self.latest_end = request.start_time, request.end_time
        self.end = self.latest_end or now
        if request.in_progress and self.latest_end is None:
            start = start or self.end
            self.end = max(start, self.end)
        after = request.after if start is None and self.latest_end is None else None
        self.starts = moments(Random(rng.getrandbits(64)), request.count, start, self.end, zone, after=after)
        self.last = request.count - 1 if start is None else None
        self.earliest_last: datetime | None = None  # the least start of the last call
        if after is not None:
            self.earliest_last = after + STEP if request.count == 1 else self.starts[-2]

    def flow_time(self, index: int) -> datetime:
        """Return the time at which the flow of a call is run: its start, or the end of the last one."""
        return self.end if index == self.last else self.starts[index]

    def start(self, index: int, duration: timedelta) -> datetime:
        """Return when a call of this duration begins, so that it is over by the end of all, if there is such a time."""
        start = self.end - duration if index == self.last else self.starts[index]
        if self.latest_end is not None:
            start = min(start, self.latest_end - duration)
        if self.earliest_last is not None and index == self.last:
            start = max(start, self.earliest_last)
        return start


def prepare_calls(world: World, deployment: DeploymentContext, request: SimulationRequest) -> ConversationBatch:
    """Prepare calls of a deployment. They follow its flow, which is run for each, or else scripts.

    Raises Invalid for a start after the end and for what the flow cannot do; Busy.
    """
    rng = request.random(world)
    times = _Times(request, world.now(), rng, deployment.zone)
    simulator = Simulator(deployment, rng, request.flow_of(world, deployment))
    llm_logs = request.has_llm_logs
    return ConversationBatch(
        (simulator.call(request, times.flow_time(index)) for index in range(request.count)),
        make=lambda index, call: make_call(deployment, rng, call, partial(times.start, index), llm_logs=llm_logs),
        keep=partial(store, in_progress=request.in_progress),
    )


def make_call(
    deployment: DeploymentContext,
    rng: Random,
    call: Conversation,
    start: Callable[[timedelta], datetime],
    *,
    metadata: Mapping[str, Any] | None = None,
    llm_logs: bool = True,
) -> ConversationRows:
    """Return the rows of a call, which begins at the `start` of its duration. `metadata` goes into its log."""
    record = call.record
    reports = random_transfer(rng) if call.outcome == "transferred" else []
    talked = ceil(record.seconds)
    duration = talked + (reports[-1][1] if reports else 0)
    starts = start(timedelta(seconds=duration))
    builder = RowBuilder(deployment, call, starts, duration)
    log = _log_row(builder)
    log["metadata"] = {"simulated": True, **(metadata or {})}
    if record.messages:
        if call.direction == "outbound":
            record.mention(analysis.KNOWN_CONTACT)
        extracted = analyze(deployment, call)
        log["extractions_data"] = extracted
        log["success_results"] = analysis.judge(deployment.profile.success_criteria, record, extracted, rng)
    log["data"] = _post_call_data(deployment, call, handed_over=talk_s(reports) > 0)
    if reports:
        numbers = {"fromNumber": deployment.number, "toNumber": record.transferred_to or deployment.desk_number}
        log["transfer_data"] = transfer_data(reports, starts + timedelta(seconds=talked), log, **numbers)
    rows = builder.rows(log, log["call_sid"], llm_logs=llm_logs)
    if not record.messages:  # ringing is no talking
        rows.log["duration"] = rows.session["minutes"] = 0
    return rows


def starting_at(moment: datetime) -> Callable[[timedelta], datetime]:
    """Return the `start` of a call that begins at a moment, however long it lasts."""
    return lambda duration: moment


def _log_row(builder: RowBuilder) -> dict[str, Any]:
    """Return the log's row without the results of the analysis."""
    call, record, number = builder.conversation, builder.record, builder.deployment.number
    call_sid = hex_id(current().ids.random, "CA")
    customer, is_inbound = call.facts["phone"], call.direction == "inbound"
    said = bool(record.messages)
    return builder.log_members(VoiceLog) | {
        "status": call.outcome,
        "messages": {"messages": record.messages} if said else None,
        "session_log_data": {"status": builder.ended, "until": record.ended_by, "trace": builder.trace},
        "bb_engine_session_id": builder.session_id,
        "external_call_id": call_sid,
        "direction": call.direction,
        "from_number": customer if is_inbound else number,
        "to_number": number if is_inbound else customer,
        "transcription": transcription(record.messages) if said else None,
        "recording_url": neutral_address(call_sid) if said else None,
        "telephony_source": "twilio",
        "call_sid": call_sid,
        "extractions_data": None,
        "success_results": None,
        "transfer_data": None,
    }


def _post_call_data(deployment: DeploymentContext, call: Conversation, *, handed_over: bool) -> dict[str, Any]:
    """Return the post-call data: latencies in milliseconds, for each answer and as percentiles, and the analysis."""
    record, facts = call.record, call.facts
    characters = sum(len(said["content"]) for said in record.messages if said["role"] == "assistant")
    profile = deployment.profile
    voice = {"provider": profile.voice_provider, "voiceId": profile.voice_id, "characters": characters}
    said = bool(record.messages)
    return {
        "latency": with_percentiles(record.answers_ms),
        "tts": voice | with_percentiles(record.voices_ms),
        "llm_websocket_network_rtt": round(18 + 40 * facts.random(), 1),
        "disposition": call.outcome,
        "disconnection_reason": record.ending,
        "call_analysis": {
            "call_summary": record.summary if said else None,
            "user_sentiment": facts["sentiment"] if said else None,
            "call_successful": record.done or handed_over,
            "in_voicemail": call.outcome == "voicemail",
        },
    }


def store(calls: Sequence[ConversationRows], *, in_progress: bool = False) -> None:
    """Write the calls in the running transaction, and announce them to the webhooks of their deployments.

    Calls `in_progress` that are not over yet are stored as such, and go on by the clock.
    """
    if in_progress:
        now = current().stamp()
        CallInProgress.store_calls(call.by_name() for call in calls if call.log["end_time"] > now)
        calls = [call for call in calls if call.log["end_time"] <= now]
    write(VoiceLog, calls)
    create_deliveries([call.log for call in calls], *((STARTED, ENDED) if in_progress else ()))


def random_transfer(rng: Random) -> list[Report]:
    """Return the carrier's status reports of a transfer; 88 % of them are answered."""
    reports = [("initiated", 0), ("ringing", 1)]
    if rng.random() < 0.88:
        answered, talk_s = 1 + rng.randrange(2, 9), rng.randrange(25, 150)
        return [*reports, ("answered", answered), ("completed", answered + talk_s)]
    return [*reports, ("busy" if rng.random() < 0.2 else "no-answer", rng.randrange(18, 30))]


def talk_s(reports: Sequence[Report]) -> int:
    """Return for how many seconds the two spoke."""
    seconds = dict(reports)
    return seconds.get("completed", 0) - seconds.get("answered", 0)


def transfer_data(reports: Sequence[Report], start: datetime, log: dict[str, Any], **numbers: str) -> dict[str, Any]:
    """Return the record of a call's transfer that begins at `start`; `numbers` are fromNumber and toNumber.

    Only the last report has a duration, the seconds that the two spoke, so that the minutes of the record and of its
    events agree.
    """
    ids = current().ids
    id, leg = ids.new("transfer"), hex_id(ids.random, "CA")
    events = []
    for kind, after in reports:
        reported_at = wire(start + timedelta(seconds=after))
        event = {
            "id": ids.new("event"),
            "createdAt": reported_at,
            "duration": str(talk_s(reports) if kind == "completed" else 0),
            **numbers,
            "callTransferId": id,
            "type": kind,
            "timestamp": reported_at,
            "parentCallSid": log["call_sid"],
            "callSid": leg,
        }
        events.append(event)
    minutes = round(talk_s(reports) / 60, 4)
    return {
        "id": id,
        "createdAt": events[0]["timestamp"],
        "updatedAt": events[-1]["timestamp"],
        "callSid": log["call_sid"],
        "voiceLogId": log["id"],
        "status": reports[-1][0],
        "duration": str(talk_s(reports)),
        "transferEvents": events,
        "metrics": {
            "transfers": 1,
            "transferMinutes": minutes,
            "transferEventMinutes": minutes,
            "transferEvents": len(events),
        },
    }
