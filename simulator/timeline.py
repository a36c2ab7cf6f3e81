"""The timeline of a conversation: turns with their times, function calls, the trace, and the requests to a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from random import Random
from typing import Any, NamedTuple

import orjson

from dryline.flow.language.events import Event
from dryline.simulator.flow_runner import FlowRun, ModelRequest
from dryline.simulator.scripts import Step
from dryline.simulator.tables import table

_CENTISECONDS_A_CHARACTER = 100 / 14  # about 140 words a minute
_DIGIT = 4  # the number of characters that take as long as a spoken digit
_DIGITS = re.compile(r"\d")
# Durations in hundredths of a second: the least, and how much more it can be. Assumed.
_THINKS, _ASKS = (25, 45), (20, 30)  # before an answer of the agent; for a question about a text
_FIRST, _CALLS, _TURNS, _VOICE_MS = (60, 100), (10, 40), (110, 220), (90, 160)


class ModelCall(NamedTuple):
    """A request to a language model, the event that it led to, and its times, in seconds from the start."""

    request: ModelRequest
    event: Event
    asked_at: float
    answered_at: float

    @property
    def answer(self) -> dict[str, Any]:
        """The message that the model answered with."""
        event = self.event
        if event.type == "taken":
            arguments = orjson.dumps(event.details.get("arguments") or {}).decode()
            function = {"name": f"until_{event['index']}", "arguments": arguments}
            calls = [{"id": f"call_{event.line}", "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}
        content = orjson.dumps(event["value"]).decode() if event.type == "asked" else event["text"]
        return {"role": "assistant", "content": content}


@dataclass(slots=True)
class Timeline:
    """The timed turns of a conversation. Times in it are seconds from the start, latencies milliseconds.

    `messages` are `{"role", "content", "start", "end"}`, role `assistant` or `user`; `functions` are `(name, when)`.
    """

    messages: list[dict[str, Any]] = field(default_factory=list)
    functions: list[tuple[str, float]] = field(default_factory=list)
    answers_ms: list[int] = field(default_factory=list)
    voices_ms: list[int] = field(default_factory=list)
    trace: list[dict[str, Any]] = field(default_factory=list)
    model_calls: list[ModelCall] = field(default_factory=list)
    seconds: float = 0.0

    def plain(self) -> list[dict[str, str]]:
        """Return the messages as a language model gets them."""
        return [{"role": said["role"], "content": said["content"]} for said in self.messages]

    def tokens(self) -> list[tuple[int, int]]:
        """Estimate the tokens of each request and of its answer: four characters make one."""
        heard = [0, *accumulate(len(said["content"]) for said in self.messages)]
        counts = []
        for call in self.model_calls:
            request, answer = call.request, call.answer
            before = heard[min(request.heard, len(self.messages))] if request.about is None else len(request.about)
            counts.append(((len(request.prompt) + before) // 4, len(answer["content"] or str(answer)) // 4))
        return counts

    def turns_within(self, seconds: float) -> int:
        """Count the turns that are over by then."""
        return sum([said["end"] <= seconds for said in self.messages])

    def delayed(self, seconds: float) -> Timeline:
        """Return the timeline of a conversation that begins later."""

        def later(entry: dict[str, Any], *names: str) -> dict[str, Any]:
            return entry | {name: round(entry[name] + seconds, 2) for name in names}

        return replace(
            self,
            messages=[later(said, "start", "end") for said in self.messages],
            functions=[(name, round(at + seconds, 2)) for name, at in self.functions],
            trace=[later(step, "at") for step in self.trace],
            model_calls=[
                call._replace(asked_at=call.asked_at + seconds, answered_at=call.answered_at + seconds)
                for call in self.model_calls
            ],
            seconds=round(self.seconds + seconds, 2),
        )

    def ended_at(self, seconds: float) -> Timeline:
        """Return the timeline of a call that ended then: nothing is said later."""
        messages = self.messages[: self.turns_within(seconds)]
        roles = [said["role"] for said in messages]
        return replace(
            self,
            messages=messages,
            functions=[(name, at) for name, at in self.functions if at <= seconds],
            answers_ms=self.answers_ms[: sum(pair == ("user", "assistant") for pair in pairwise(roles))],
            voices_ms=self.voices_ms[: roles.count("assistant")],
            trace=[step | {"at": min(step["at"], seconds)} for step in self.trace],
            model_calls=[call for call in self.model_calls if call.answered_at <= seconds],
            seconds=seconds,
        )


class _TimelineBuilder:
    """Builds a timeline turn by turn: of a call, or of a chat (`typed`), where people read and type.

    Time runs in whole hundredths of a second.
    """

    def __init__(self, rng: Random, *, typed: bool) -> None:
        self.random, self.typed = rng.random, typed
        self.pace = _CENTISECONDS_A_CHARACTER * (0.85 + 0.3 * self.random())
        self.now = 0
        self.user_ended: int | None = None  # when the user stopped speaking, if nobody has spoken since
        self.timeline = Timeline()

    def advance(self, least: int, more: int) -> None:
        """Let `least` hundredths of a second pass, and up to `more`."""
        self.now += int(least + more * self.random())

    def agent(self, text: str, step: str = "", **details: Any) -> None:
        """Add words of the agent, after the time that the voice needs, and a step of the trace for them."""
        if not self.typed:
            voice_ms = int(_VOICE_MS[0] + _VOICE_MS[1] * self.random())
            self.timeline.voices_ms.append(voice_ms)
            self.now += voice_ms // 10
            if not self.timeline.messages:
                self.advance(*_FIRST)
        if self.user_ended is not None:
            self.timeline.answers_ms.append(10 * (self.now - self.user_ended))
            self.user_ended = None
        if step:
            self.timeline.trace.append({"at": self.now / 100, "step": step, **details})
        self._say("assistant", text)

    def user(self, text: str) -> None:
        """Add words of the user."""
        if self.typed:
            self.now += int(200 + len(text) * (15 + 15 * self.random()))
        else:
            self.advance(*_TURNS)
        self._say("user", text)
        self.user_ended = self.now

    def call(self, function: str, **details: Any) -> None:
        """Add a call of a function."""
        self.timeline.trace.append({"at": self.now / 100, "step": "call", "function": function, **details})
        self.timeline.functions.append((function, self.now / 100))
        self.advance(*_CALLS)

    def ask_model(self, request: ModelRequest, event: Event) -> None:
        """Add a request to a language model, which takes time."""
        asked_at = self.now / 100
        self.advance(*(_ASKS if event.type == "asked" else _THINKS))
        self.timeline.model_calls.append(ModelCall(request, event, asked_at, self.now / 100))

    def add_event(self, event: Event) -> None:
        if event.type == "said":
            self.agent(event["text"], event["by"], line=event.line)
        elif event.type == "heard":
            self.user(event["text"])
        elif event.type in table("steps"):  # as the trace names it, with the details that it has
            step, *members = table("steps")[event.type]
            details = {name: event.details[name] for name in members if name in event.details}
            if step == "call":
                self.call(_function(event), line=event.line, **details)
            else:
                self.timeline.trace.append({"at": self.now / 100, "step": step, "line": event.line, **details})

    def finish(self) -> Timeline:
        """Return the whole timeline. A chat ends a second after its last turn."""
        self.timeline.seconds = self.now / 100 + self.typed
        return self.timeline

    def _say(self, role: str, text: str) -> None:
        start = self.now
        characters = len(text) + (_DIGIT - 1) * len(_DIGITS.findall(text))
        self.now += 0 if self.typed else int(40 + characters * self.pace)
        self.timeline.messages.append({"role": role, "content": text, "start": start / 100, "end": self.now / 100})


def script_timeline(steps: Sequence[Step], rng: Random, prompt: str, *, typed: bool = False) -> Timeline:
    """Return the timeline of a script's steps. A model with this prompt would have given each answer."""
    builder = _TimelineBuilder(rng, typed=typed)
    for who, text, _ in steps:
        if who == "A":
            if builder.user_ended is not None:
                event = Event("said", None, {"by": "talk", "text": text})
                builder.ask_model(ModelRequest(prompt, len(builder.timeline.messages), by="script"), event)
            elif builder.timeline.messages:
                builder.advance(*_THINKS)
            builder.agent(text)
        elif who == "U":
            builder.user(text)
        elif who == "T":
            builder.call(text)
    messages = builder.timeline.messages
    builder.timeline.trace[:0] = [{"at": said["start"], "step": "loop"} for said in messages[:1]]
    return builder.finish()


def flow_timeline(
    run: FlowRun, rng: Random, *, opening: str | None = None, closing: str | None = None, typed: bool = False
) -> Timeline:
    """Return the timeline of a flow's run by phone, or in a chat (`typed`).

    `opening` and `closing` are the channel's own sentences. The closing is said where the flow came to its end.
    """
    builder = _TimelineBuilder(rng, typed=typed)
    request, heard = ModelRequest(""), 0
    if opening:
        builder.agent(opening, "say", by="channel")
    for event in run.events:
        if event.type == "model":
            request = event["request"]
        elif event.type == "said" and event.details.get("exact") is False:
            builder.ask_model(ModelRequest(f"Say in your own words: {event['text']}", heard), event)
        elif event.type in ("taken", "asked", "summarized") or (event.type == "said" and event["by"] == "talk"):
            builder.ask_model(request, event)
        heard += event.type in ("said", "heard")
        builder.add_event(event)
    if closing and run.came_to_its_end:
        builder.agent(closing, "say", by="channel")
    return builder.finish()


def _function(event: Event) -> str:
    if event.type == "requested":
        return f"requests.{str(event['method']).lower()}"
    if event.type == "integrated":
        return f"integrations.{event['app']}.{event['action']}"
    return table("functions")[event.type]


def spread(values: Sequence[int]) -> dict[str, Any]:
    """Return milliseconds with their percentiles (nearest rank), which are None for an empty list."""
    ranked: Sequence[int | None] = sorted(values) or [None]
    ranks = {f"p{percent}": ranked[-(-percent * len(values) // 100) - 1] for percent in (50, 90, 95, 99)}
    return {"values": list(values), "num": len(values), "min": ranked[0], "max": ranked[-1], **ranks}
