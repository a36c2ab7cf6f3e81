"""The page of one conversation: what its templates show."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dryline.blueprints.console import conversation, highlighting
from dryline.blueprints.console.conversation import Event, FailureEvent, ModelExchange, RunLine, Step, Turn
from dryline.blueprints.console.log_lists import CHANNEL_TITLES
from dryline.models.channels import Channel
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.llm_logs import LlmLog
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.workers import Worker
from dryline.schemas.logs import LogSchema
from dryline.schemas.logs_lookup import LOG_SCHEMAS

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
