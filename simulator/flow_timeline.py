"""The timeline of a flow's run: turns with their times, the trace, and the requests to a language model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

import orjson

from dryline.flow.language.events import Event
from dryline.simulator.flow_runner import FlowError, FlowRun, ModelRequest, is_request
from dryline.simulator.timeline import THINKS, TimedDialogue, TimelineBuilder

# Events as the trace names them, with the details that it has. The rest is in the messages.
_STEPS: dict[str, tuple[str, tuple[str, ...]]] = {
    "taken": ("until", ("condition", "index", "why", "sure", "by", "arguments")),
    "asked": ("ask", ("question", "value")),
    "summarized": ("summarize", ("text",)),
    "extracted": ("extract", ("key", "value")),
    "printed": ("print", ("text",)),
    "requested": ("call", ("method", "url", "status", "error")),
    "integrated": ("call", ("app", "action", "arguments")),
    "sms": ("call", ("from", "to", "content")),
    "digits": ("call", ("digits",)),
    "image": ("call", ("url",)),
    "transferred": ("transfer", ("number", "extension", "pauseSeconds", "sipDomain", "message")),
    "waiting": ("done", ()),
    "failed": ("error", ("exception", "error", "function")),
}
_FUNCTIONS = {"requested": "requests", "sms": "send_sms", "digits": "click_ivr", "image": "send_image"}
_ASKS = (20, 30)  # hundredths of a second for a question about a text: the least, and how much more. Assumed.


class ModelCall(NamedTuple):
    """A request to a language model, the event that it led to, and its times, in seconds from the start."""

    request: ModelRequest
    event: Event
    asked_at: float
    answered_at: float

    def bodies(self, said: list[dict[str, str]]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the bodies of request (without its model) and answer; `said` are all messages of the conversation."""
        request = self.request
        messages = [{"role": "system", "content": request.prompt}]
        messages += [{"role": "user", "content": request.about}] if request.about is not None else said[: request.heard]
        before: dict[str, Any] = {"messages": messages, "temperature": 0.3, "stream": self.event.type == "said"}
        if request.tools:
            before["tools"] = [
                {"type": "function", "function": {"name": f"until_{index}", "description": text}}
                for index, text in enumerate(request.tools)
            ]
        message, reason = self._answer()
        tokens_in = sum(len(each["content"]) for each in messages) // 4
        tokens_out = len(str(message.get("content") or message)) // 4
        usage = {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }
        return before, {"choices": [{"index": 0, "message": message, "finish_reason": reason}], "usage": usage}

    @property
    def by(self) -> str:
        """The one who decided in the model's place: the simulated caller, or the built-in model."""
        return "built-in" if self.event.type in ("said", "summarized") else "caller"

    def _answer(self) -> tuple[dict[str, Any], str]:
        event = self.event
        if event.type == "taken":
            arguments = orjson.dumps(event.details.get("arguments") or {}).decode()
            function = {"name": f"until_{event['index']}", "arguments": arguments}
            calls = [{"id": f"call_{event.line}", "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls"
        content = orjson.dumps(event["value"]).decode() if event.type == "asked" else event["text"]
        return {"role": "assistant", "content": content}, "stop"


@dataclass(slots=True)
class Timeline:
    """The timed turns, trace and model requests of one flow run, and its results.

    `request_count` counts the requests in `sent`, which may be left out. `row_bytes` is that of its run.
    """

    talk: TimedDialogue
    trace: list[dict[str, Any]]
    sent: list[ModelCall]
    request_count: int
    extracted: dict[str, Any]
    state: dict[str, Any]
    fault: FlowError | None
    transferred_to: str | None
    row_bytes: int

    @property
    def size(self) -> int:
        """About the memory that it takes, in bytes."""
        return self.row_bytes + sum(one.request.size for one in self.sent)

    def delayed(self, seconds: float) -> Timeline:
        """Return the timeline of a run that begins later."""
        trace = [{**step, "at": round(step["at"] + seconds, 2)} for step in self.trace]
        sent = [
            one._replace(asked_at=one.asked_at + seconds, answered_at=one.answered_at + seconds) for one in self.sent
        ]
        return replace(self, talk=self.talk.delayed(seconds), trace=trace, sent=sent)

    def ended_at(self, seconds: float) -> Timeline:
        """Return the timeline of a call that ended then: nothing is said later."""
        trace = [{**step, "at": min(step["at"], seconds)} for step in self.trace]
        return replace(self, talk=self.talk.shortened(self.talk.turns_within(seconds), seconds), trace=trace)


class _RunTimelineBuilder(TimelineBuilder):
    """Builds the timeline of a run event by event, with its trace and its requests to a model."""

    def __init__(self, run: FlowRun, rng: Random, *, typed: bool) -> None:
        super().__init__(rng, typed=typed)
        self.trace: list[dict[str, Any]] = []
        self.sent: list[ModelCall] = []
        self._requests = iter(run.requests)

    def say_for_channel(self, text: str) -> None:
        """Add a sentence of the channel, which the agent says."""
        self.trace.append({"at": self.agent(text), "step": "say", "by": "channel"})

    def add_event(self, event: Event) -> None:
        if is_request(event):
            asked_at = self.now
            self.advance(*(_ASKS if event.type == "asked" else THINKS))
            self.sent.append(ModelCall(next(self._requests), event, asked_at / 100, self.now / 100))
        if event.type == "said":
            self.trace.append({"at": self.agent(event["text"]), "step": event["by"], "line": event.line})
        elif event.type == "heard":
            self.user(event["text"])
        elif event.type in _STEPS:
            self._step(event)

    def _step(self, event: Event) -> None:
        step, members = _STEPS[event.type]
        entry: dict[str, Any] = {"at": self.now / 100, "step": step, "line": event.line}
        if step == "call":
            entry["function"] = function = _function(event)
            self.call(function)
        details = event.details
        self.trace.append(entry | {name: details[name] for name in members if name in details})


def build_timeline(
    run: FlowRun, rng: Random, *, opening: str | None = None, closing: str | None = None, typed: bool = False
) -> Timeline:
    """Return the timeline of a run by phone, or in a chat (`typed`).

    `opening` and `closing` are the channel's own sentences. The closing is said where the flow came to its end.
    """
    builder = _RunTimelineBuilder(run, rng, typed=typed)
    if opening:
        builder.say_for_channel(opening)
    for event in run.events:
        builder.add_event(event)
    if closing and comes_to_its_end(run):
        builder.say_for_channel(closing)
    number = next((event["number"] for event in run.events if event.type == "transferred"), None)
    return Timeline(
        builder.finish(),
        builder.trace,
        builder.sent,
        len(builder.sent),
        run.extracted,
        run.state,
        run.fault,
        number,
        run.row_bytes,
    )


def _function(event: Event) -> str:
    if event.type == "requested":
        return f"requests.{str(event['method']).lower()}"
    return f"integrations.{event['app']}.{event['action']}" if event.type == "integrated" else _FUNCTIONS[event.type]


def comes_to_its_end(run: FlowRun) -> bool:
    """Return whether the flow came to its end: no error, and nobody hung up."""
    return run.ended in ("end of the flow", "end_call") and not run.fault
