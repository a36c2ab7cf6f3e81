"""The pages of one conversation: what their templates show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dryline.blueprints.console import conversation, highlighting
from dryline.blueprints.console.conversation import Event, FailureEvent, ModelExchange, RunLine, Step, Transfer, Turn
from dryline.blueprints.console.log_lists import CHANNEL_TITLES, LogListQuery
from dryline.models import voice_log_pages
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.channels import VOICE, Channel
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.models.workers import Worker
from dryline.schemas.logs import LogSchema
from dryline.schemas.logs_lookup import LOG_SCHEMAS
from dryline.simulator import recording_files
from dryline.storage.current_world import current
from dryline.web.links import base_url

MAX_DELIVERIES = 50
# The statuses of webhook messages that will never be delivered.
_NOT_DELIVERED = ("REFUSED", "FAILED")

# A drawing of a call is a thousand units wide.
_DRAWING_WIDTH = 1000
_SHORTEST_TURN = 2  # units

_CONVERSATION_TITLES = {
    "chat": "Chat",
    "chat-embed": "Chat widget conversation",
    "whatsapp": "WhatsApp conversation",
}


@dataclass
class ConversationPage:
    """The page of a conversation of any channel."""

    log: Log

    @property
    def channel(self) -> Channel:
        """The channel of the conversation."""
        return self.log.channel

    @property
    def channel_title(self) -> str:
        """The title of the list of this channel's conversations."""
        return CHANNEL_TITLES[self.channel.key]

    @property
    def title(self) -> str:
        """The name of a conversation of this channel."""
        return _CONVERSATION_TITLES.get(self.channel.key, self.channel_title)

    @property
    def list_title(self) -> str:
        """The title of the list of the worker's conversations."""
        return f"{self.channel_title} of {self.worker.name}" if self.worker else self.channel_title

    @property
    def is_outbound(self) -> bool:
        """Whether the agent called the person."""
        return getattr(self.log, "direction", None) == "outbound"

    @property
    def person(self) -> str | None:
        """The other party: its name, its id or its number. No channel has all of them."""
        number = "to_number" if self.is_outbound else "from_number"
        names = [getattr(self.log, name, None) for name in ("user_name", "user_id", number)]
        return next(filter(None, names), None)

    @property
    def status(self) -> str | None:
        """The status, which not every channel has."""
        return getattr(self.log, "status", None)

    @property
    def speaker_names(self) -> Mapping[str, str]:
        """The names of the speakers in the transcript."""
        return {"agent": "Agent", "caller": "User"}

    @cached_property
    def turns(self) -> list[Turn]:
        """The messages."""
        return conversation.read_turns(self.log)

    @cached_property
    def events(self) -> list[Event]:
        """The turns, the steps of the flow and its requests to language models in the order of time, then failures."""
        return [*conversation.events_in_order(self.turns, self._steps, self._exchanges), *self.failures]

    @cached_property
    def failures(self) -> list[FailureEvent]:
        """The errors of the flow, without warnings."""
        return conversation.read_failures(self.errors, self._steps)

    @property
    def failed_lines(self) -> dict[int, FailureEvent]:
        """The lines of the flow that failed, by their numbers."""
        return {failure.line: failure for failure in self.failures if failure.line is not None}

    @property
    def other_json(self) -> dict[str, Any]:
        """The messages and traces that have another shape than the page reads, by title."""
        trace = self.session.unreadable("trace") if self.session else None
        values = {
            "Messages": self.log.unreadable("messages"),
            "Session log data": self.log.unreadable("session_log_data"),
            "Trace of the session": trace,
        }
        return {title: value for title, value in values.items() if value is not None}

    @property
    def disconnection_reason(self) -> str | None:
        """The reason of the end of a call."""
        return (self.log.readable("data") or {}).get("disconnection_reason")

    @property
    def hidden_count(self) -> int:
        """The number of events that the page shows on demand: all but turns and failures."""
        return sum(not isinstance(event, Turn | FailureEvent) for event in self.events)

    @property
    def current_line(self) -> int | None:
        """The line of the flow that a conversation in progress ran last."""
        return None

    @property
    def lines_that_ran(self) -> dict[int, RunLine]:
        """The lines of the flow that ran, by their numbers."""
        return conversation.lines_that_ran(self.events)

    @cached_property
    def _steps(self) -> list[Step]:
        trace = self.session.readable("trace") if self.session else None
        return conversation.read_steps(trace or self.log.trace or ())

    @cached_property
    def _exchanges(self) -> list[ModelExchange]:
        return list(conversation.model_exchanges(self.log, LlmLog.of_conversation(self.log)))

    @property
    def has_exchanges(self) -> bool:
        """Whether there are requests to language models."""
        return bool(self._exchanges)

    @cached_property
    def session(self) -> Session | None:
        """The engine's session."""
        session_id, _ = self.log.engine_ids
        return Session.find(id=session_id, team_id=self.log.team_id) if session_id else None

    @cached_property
    def errors(self) -> list[RuntimeErrorRecord]:
        """The runtime errors."""
        return RuntimeErrorRecord.of_conversation(self.log)

    @cached_property
    def worker(self) -> Worker | None:
        """The worker, unless it was deleted."""
        return Worker.find(id=self.log.worker_id, team_id=self.log.team_id)

    @cached_property
    def deployment(self) -> Deployment | None:
        """The deployment, unless it was deleted."""
        if not self.log.deployment_id:
            return None
        return Deployment.find(id=self.log.deployment_id, team_id=self.log.team_id)

    @cached_property
    def flow(self) -> Flow | None:
        """The flow, unless it was deleted."""
        return Flow.find(id=self.log.flow_id, team_id=self.log.team_id) if self.log.flow_id else None

    @cached_property
    def flow_version(self) -> FlowVersion | None:
        """The newest committed version with the code that ran."""
        if not self.log.flow_id or self.log.code is None:
            return None
        versions = FlowVersion.listing(self.log, flow_id=self.log.flow_id, code=self.log.code)
        return next(iter(versions.slice(1)), None)

    @cached_property
    def code_lines(self) -> Sequence[Any]:
        """The lines of the code that ran, as HTML; none if it is not text."""
        return highlighting.highlight(self.log.code) if self.log.code is not None else []

    @property
    def has_current_code(self) -> bool:
        """Whether the flow still has the code that ran, so that its lines have the same numbers."""
        return self.flow is not None and self.flow.code == self.log.flow_snapshot

    @property
    def members_of_channel(self) -> list[tuple[str, Any]]:
        """The members that only the logs of this channel have, by the wire's names, without nulls."""
        shared = {*LogSchema().wire_names, "transcription", "status"}
        names = LOG_SCHEMAS[self.channel.key].wire_names.items()
        members = ((name, getattr(self.log, attribute)) for name, attribute in names if name not in shared)
        return [(name, value) for name, value in members if value is not None]


class LaneTurn(NamedTuple):
    """A turn in the drawing of a call: a rectangle in the lane of its speaker."""

    turn: Turn
    x: float
    width: float


class LaneStep(NamedTuple):
    """A step of the flow in the drawing of a call."""

    step: Step
    x: float


class LatencyBar(NamedTuple):
    """A turn with its latency as a bar: `width` is its share of the longest, in percent."""

    turn: Turn
    width: float


@dataclass
class CallPage(ConversationPage):
    """The page of a call. `list_query` is the list of calls that it was opened from."""

    log: VoiceLog
    list_query: LogListQuery

    @property
    def title(self) -> str:
        """The direction of the call."""
        return "Call to" if self.is_outbound else "Call from"

    @property
    def person_title(self) -> str:
        """The part that the other party has in the call."""
        return "Called" if self.is_outbound else "Caller"

    @property
    def speaker_names(self) -> Mapping[str, str]:
        """The names of the speakers in the transcript."""
        return {"agent": "Agent", "caller": self.person_title}

    # The call while it runs.

    @cached_property
    def is_running(self) -> bool:
        """Whether the call is in progress."""
        return CallInProgress.find(id=self.log.id) is not None

    @property
    def elapsed_s(self) -> float:
        """The time since the call began."""
        return conversation.elapsed_s(self.log)

    @property
    def current_line(self) -> int | None:
        """The line of the flow that a call in progress ran last."""
        return conversation.last_line_that_ran(self.events) if self.is_running else None

    @property
    def latest_turn(self) -> str:
        """The last turn of a call in progress, for a screen reader."""
        if not self.is_running or not self.turns:
            return ""
        turn = [event for event in self.events if isinstance(event, Turn)][-1]
        speaker = "Agent" if turn.speaker == "agent" else "Caller"
        return f"{speaker}: {turn.text}"

    # Its place in the list.

    @cached_property
    def _neighbours(self) -> tuple[str | None, str | None]:
        filters = self.list_query.filters if self.list_query.channel is VOICE else {}
        return voice_log_pages.find_neighbours(self.log, filters, self.list_query.owner)

    @property
    def before(self) -> str | None:
        """The id of the call before this one in the list."""
        return self._neighbours[0]

    @property
    def after(self) -> str | None:
        """The id of the call after this one in the list."""
        return self._neighbours[1]

    @property
    def query(self) -> dict[str, Any]:
        """The parameters of the list, which the links to its other calls keep."""
        return self.list_query.args()

    @property
    def worker_query(self) -> dict[str, Any]:
        """The parameters of the list of the worker's calls."""
        return {**self.query, "worker": self.log.worker_id}

    # The drawing: a lane with the turns of each speaker, and the steps of the flow between them.

    @cached_property
    def length_s(self) -> float:
        """The length of the call, at least up to the end of its last turn."""
        return conversation.length_s(self.log, self.turns)

    @property
    def has_lanes(self) -> bool:
        """Whether the call can be drawn."""
        return bool(self.length_s) and any(turn.start is not None for turn in self.turns)

    def _x(self, seconds: float) -> float:
        return seconds * (_DRAWING_WIDTH / self.length_s)

    @property
    def lane_marks(self) -> list[LaneTurn | LaneStep]:
        """The turns and steps of the drawing, in the order of time."""
        marks: list[LaneTurn | LaneStep] = []
        for event in self.events:
            if isinstance(event, Step):
                marks.append(LaneStep(event, round(self._x(event.start or 0), 1)))
            elif (
                isinstance(event, Turn) and event.party != "other" and event.start is not None and event.end is not None
            ):
                width = max(self._x(event.end - event.start), _SHORTEST_TURN)
                marks.append(LaneTurn(event, round(self._x(event.start), 1), round(width, 1)))
        return marks

    @property
    def ticks_s(self) -> list[float]:
        """The times below the drawing: its start, its end and the quarters between."""
        return [self.length_s * quarter / 4 for quarter in range(5)]

    @cached_property
    def transfer(self) -> Transfer | None:
        """The first transfer of the call."""
        return conversation.first_transfer(self.log)

    @property
    def transfer_x(self) -> float | None:
        """The position of the transfer in the drawing; None if it is not in it."""
        if self.transfer is None or self.transfer.start >= self.length_s:
            return None
        return self._x(self.transfer.start)

    # The recording.

    @property
    def recording(self) -> dict[str, str] | None:
        """The recording's address: `src` on this server, `elsewhere` on another, which the page must not fetch."""
        address = self.log.recording_url
        if not address:
            return None
        if address.startswith(f"{base_url()}/recordings/"):
            parts = urlsplit(address)
            return {"src": address.removeprefix(f"{parts.scheme}://{parts.netloc}")}
        return {"elsewhere": address} if address.startswith(("https://", "http://")) else None

    @property
    def voices_end_s(self) -> float | None:
        """The end of the last turn."""
        return max((turn.end for turn in self.turns if turn.end is not None), default=None)

    @property
    def speaks_words(self) -> bool:
        """Whether recordings of this server have words."""
        return recording_files.speaks_words(current())

    # Facts about the call.

    @cached_property
    def analysis(self) -> dict[str, Any]:
        """The analysis of the call, such as its summary and sentiment."""
        return self.log.analysis

    @cached_property
    def criteria(self) -> list[dict[str, Any]] | None:
        """The success results by criterion; None if there are none, or if they have another shape."""
        return conversation.success_criteria(self.log.readable("success_results"), self.turns)

    @cached_property
    def latency_bars(self) -> list[LatencyBar]:
        """The latency of each turn that has one."""
        delayed = [event for event in self.events if isinstance(event, Turn) and event.latency_ms is not None]
        longest = max((turn.latency_ms or 0 for turn in delayed), default=0)
        bars = []
        for turn in delayed:
            width = round(100 * (turn.latency_ms or 0) / longest, 1) if longest else 0
            bars.append(LatencyBar(turn, width))
        return bars

    @property
    def latency_percentiles(self) -> list[tuple[str, int]]:
        """The percentiles of the latency in milliseconds, by name."""
        return conversation.latency_percentiles(self.log)

    @cached_property
    def campaign(self) -> OutboundCampaign | None:
        """The campaign that made the call."""
        campaign_id = (self.log.readable("metadata") or {}).get("campaignId")
        if campaign_id is None:
            return None
        return OutboundCampaign.find(id=campaign_id, team_id=self.log.team_id)

    @cached_property
    def deliveries(self) -> list[WebhookDelivery]:
        """The webhook messages about the call, up to `MAX_DELIVERIES`."""
        return WebhookDelivery.search(MAX_DELIVERIES, log_id=self.log.id, team_id=self.log.team_id)

    @property
    def has_delivered(self) -> bool:
        """Whether a webhook message was delivered, or still may be."""
        return any(delivery.status not in _NOT_DELIVERED for delivery in self.deliveries)
