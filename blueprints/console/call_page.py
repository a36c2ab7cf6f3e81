"""The page of one call: what its templates show beside what those of every conversation do."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from dryline.blueprints.console import conversation
from dryline.blueprints.console.conversation import Step, Transfer, Turn
from dryline.blueprints.console.conversation_page import ConversationPage
from dryline.blueprints.console.log_lists import LogListQuery
from dryline.models import voice_log_pages
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.channels import VOICE
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.simulator import recording_files
from dryline.storage.current_world import current
from dryline.web.links import base_url

MAX_DELIVERIES = 50
# The statuses of webhook messages that will never be delivered.
_NOT_DELIVERED = ("REFUSED", "FAILED")

# A drawing of a call is a thousand units wide.
_DRAWING_WIDTH = 1000
_SHORTEST_TURN = 2  # units


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

    # Its neighbours in the list.

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
                continue
            if not isinstance(event, Turn) or event.party == "other":
                continue
            if event.start is not None and event.end is not None:
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
    def recording_path(self) -> str | None:
        """The path of the recording on this server; None if it is on another one, or if there is none."""
        address = self.log.recording_url or ""
        if not address.startswith(f"{base_url()}/recordings/"):
            return None
        parts = urlsplit(address)
        return address.removeprefix(f"{parts.scheme}://{parts.netloc}")

    @property
    def other_recording_url(self) -> str | None:
        """The URL of a recording on another server, from which the page must not fetch anything."""
        address = self.log.recording_url or ""
        is_url = address.startswith(("https://", "http://"))
        return address if is_url and self.recording_path is None else None

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
        if campaign_id is None:  # which saves a query
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
