"""The timeline of a flow's run: turns with their times, the trace, and the requests to a language model."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

import orjson

from dryline.engine.events import Event
from dryline.simulator.flow_runner import FlowError, FlowRun, ModelRequest, is_request
from dryline.simulator.timeline import CENTISECONDS_A_CHARACTER, TimedDialogue

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
# Durations in hundredths of a second: the least, and how much more it can be. Assumed.
_FIRST, _THINKS, _ASKS, _CALLS, _TURNS, _VOICE_MS = (60, 100), (35, 60), (25, 40), (8, 32), (60, 140), (90, 160)


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


class _TimelineBuilder:
    """Builds a timeline event by event. Time runs in whole hundredths of a second."""

    def __init__(self, run: FlowRun, rng: Random, *, typed: bool) -> None:
        self.random = rng.random
        self.typed = typed
        self.pace = CENTISECONDS_A_CHARACTER * (0.85 + 0.3 * self.random())
        self.now = 0
        self.user_ended: int | None = None  # when the user stopped speaking, if nobody has spoken since
        self.talk = TimedDialogue([], [], [], [], 0.0)
        self.trace: list[dict[str, Any]] = []
        self.sent: list[ModelCall] = []
        self._requests = iter(run.requests)

    def advance(self, least: int, more: int) -> None:
        self.now += int(least + more * self.random())

    def agent(self, text: str) -> float:
        """Add words of the agent, after the time that the voice needs. Return when they begin, in seconds."""
        if not self.typed:
            voice_ms = int(_VOICE_MS[0] + _VOICE_MS[1] * self.random())
            self.talk.voices_ms.append(voice_ms)
            self.now += voice_ms // 10
            if not self.talk.messages:
                self.advance(*_FIRST)
        if self.user_ended is not None:
            self.talk.answers_ms.append(10 * (self.now - self.user_ended))
            self.user_ended = None
        return self._say("assistant", text)

    def user(self, text: str) -> None:
        """Add words of the user, who in a chat reads and types."""
        if self.typed:
            self.now += int(200 + len(text) * (15 + 15 * self.random()))
        else:
            self.advance(*_TURNS)
        self._say("user", text)
        self.user_ended = self.now

    def _say(self, role: str, text: str) -> float:
        start = self.now
        self.now += 0 if self.typed else int(40 + len(text) * self.pace)
        self.talk.messages.append({"role": role, "content": text, "start": start / 100, "end": self.now / 100})
        return start / 100

    def say_for_channel(self, text: str) -> None:
        """Add a sentence of the channel, which the agent says."""
        self.trace.append({"at": self.agent(text), "step": "say", "by": "channel"})

    def add_event(self, event: Event) -> None:
        if is_request(event):
            asked_at = self.now
            self.advance(*(_ASKS if event.type == "asked" else _THINKS))
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
            self.talk.functions.append((function, self.now / 100))
            self.advance(*_CALLS)
        details = event.details
        self.trace.append(entry | {name: details[name] for name in members if name in details})


def build_timeline(
    run: FlowRun, rng: Random, *, opening: str | None = None, closing: str | None = None, typed: bool = False
) -> Timeline:
    """Return the timeline of a run by phone, or in a chat (`typed`).

    `opening` and `closing` are the channel's own sentences. The closing is said where the flow came to its end.
    """
    builder = _TimelineBuilder(run, rng, typed=typed)
    if opening:
        builder.say_for_channel(opening)
    for event in run.events:
        builder.add_event(event)
    if closing and comes_to_its_end(run):
        builder.say_for_channel(closing)
    builder.talk.seconds = builder.now / 100 + typed
    number = next((event["number"] for event in run.events if event.type == "transferred"), None)
    return Timeline(
        builder.talk,
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
