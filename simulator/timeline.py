"""Timed dialogues: turns with their times, function calls and latencies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any

from dryline.models import calls_in_progress
from dryline.simulator.scripts import Step

_CENTISECONDS_A_CHARACTER = 100 / 14  # about 140 words a minute
_DIGIT = 4  # the number of characters that take as long as a spoken digit
_DIGITS = re.compile(r"\d")
# Requests of the agent that callers carry out, or look up, before they answer.
_TO_DO = re.compile(
    r"\bplease (?:unplug|plug|push|pull|hold|press|restart|switch|turn|put|look|open|click|try)\b", re.IGNORECASE
)
_TO_LOOK_UP = re.compile(r"\b(?:number|code|e-mail address|reading|date of birth)\b[^.?!]*\?", re.IGNORECASE)
# Durations in hundredths of a second: the least, and how much more it can be. Assumed.
THINKS = (25, 45)  # before an answer of the agent
_FIRST, _CALLS, _TURNS, _VOICE_MS = (60, 100), (10, 40), (110, 220), (90, 160)
_DOES, _LOOKS_UP = (1200, 3000), (150, 450)


@dataclass(slots=True)
class TimedDialogue:
    """One conversation. Times in it are seconds from the start, latencies milliseconds.

    `messages` are `{"role", "content", "start", "end"}`, role `assistant` or `user`; `functions` are `(name, when)`.
    """

    messages: list[dict[str, Any]]
    functions: list[tuple[str, float]]
    answers_ms: list[int]
    voices_ms: list[int]
    seconds: float

    @property
    def transcription(self) -> str:
        """The messages as one text, a line a turn."""
        return calls_in_progress.transcription(self.messages)

    def spoken(self, role: str) -> int:
        """Count the characters that the role has said."""
        return sum([len(said["content"]) for said in self.messages if said["role"] == role])

    def plain(self) -> list[dict[str, str]]:
        """Return the messages as a language model gets them."""
        return [{"role": said["role"], "content": said["content"]} for said in self.messages]

    def turns_within(self, seconds: float) -> int:
        """Count the turns that are over by then."""
        return sum([said["end"] <= seconds for said in self.messages])

    def delayed(self, seconds: float) -> TimedDialogue:
        """Return the conversation when it begins later."""
        messages = [
            {**said, "start": round(said["start"] + seconds, 2), "end": round(said["end"] + seconds, 2)}
            for said in self.messages
        ]
        functions = [(name, round(at + seconds, 2)) for name, at in self.functions]
        return TimedDialogue(messages, functions, self.answers_ms, self.voices_ms, round(self.seconds + seconds, 2))

    def shortened(self, turns: int, seconds: float) -> TimedDialogue:
        """Return the conversation cut after `turns`, with its end at `seconds`."""
        roles = [said["role"] for said in self.messages[:turns]]
        voices = roles.count("assistant")
        answers = sum([pair == ("user", "assistant") for pair in pairwise(roles)])
        functions = [(name, at) for name, at in self.functions if at <= seconds]
        return TimedDialogue(
            self.messages[:turns], functions, self.answers_ms[:answers], self.voices_ms[:voices], seconds
        )


class TimelineBuilder:
    """Builds a timed dialogue turn by turn: of a call, or of a chat (`typed`), where people read and type.

    Time runs in whole hundredths of a second.
    """

    def __init__(self, rng: Random, *, typed: bool = False) -> None:
        self.random = rng.random
        self.typed = typed
        self.pace = _CENTISECONDS_A_CHARACTER * (0.85 + 0.3 * self.random())
        self.now = 0
        self.user_ended: int | None = None  # when the user stopped speaking, if nobody has spoken since
        self.talk = TimedDialogue([], [], [], [], 0.0)

    def advance(self, least: int, more: int) -> None:
        """Let `least` hundredths of a second pass, and up to `more`."""
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
        """Add words of the user."""
        if self.typed:
            self.now += int(200 + len(text) * (15 + 15 * self.random()))
        else:
            self.advance(*_pause_after(self.talk.messages[-1]["content"] if self.talk.messages else ""))
        self._say("user", text)
        self.user_ended = self.now

    def call(self, function: str) -> None:
        """Add a call of a function."""
        self.talk.functions.append((function, self.now / 100))
        self.advance(*_CALLS)

    def finish(self) -> TimedDialogue:
        """Return the whole dialogue. A chat ends a second after its last turn."""
        self.talk.seconds = self.now / 100 + self.typed
        return self.talk

    def _say(self, role: str, text: str) -> float:
        start = self.now
        characters = len(text) + (_DIGIT - 1) * len(_DIGITS.findall(text))
        self.now += 0 if self.typed else int(40 + characters * self.pace)
        self.talk.messages.append({"role": role, "content": text, "start": start / 100, "end": self.now / 100})
        return start / 100


def timed(steps: Sequence[Step], rng: Random, *, is_typed: bool = False) -> TimedDialogue:
    """Return the steps of a script with their times."""
    builder = TimelineBuilder(rng, typed=is_typed)
    for who, text, _ in steps:
        if who == "A":
            if builder.talk.messages:
                builder.advance(*THINKS)
            builder.agent(text)
        elif who == "U":
            builder.user(text)
        elif who == "T":
            builder.call(text)
    return builder.finish()


def spread(values: Sequence[int]) -> dict[str, Any]:
    """Return milliseconds with their percentiles (nearest rank), which are None for an empty list."""
    count = len(values)
    ranked: Sequence[int | None] = sorted(values) or [None]
    return {
        "values": list(values),
        "num": count,
        "min": ranked[0],
        "max": ranked[-1],
        "p50": ranked[-(-50 * count // 100) - 1],
        "p90": ranked[-(-90 * count // 100) - 1],
        "p95": ranked[-(-95 * count // 100) - 1],
        "p99": ranked[-(-99 * count // 100) - 1],
    }


def _pause_after(agent_said: str) -> tuple[int, int]:
    """Return the time that callers take before they answer."""
    if _TO_DO.search(agent_said):
        return _DOES
    return _LOOKS_UP if _TO_LOOK_UP.search(agent_said) else _TURNS
