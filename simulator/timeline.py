"""The timeline of a scripted dialogue: turns with their times, function calls and latencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from dryline.models import calls_in_progress
from dryline.simulator.scripts import Step

CENTISECONDS_A_CHARACTER = 100 / 15  # about 150 words a minute


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
        answers = sum([said["role"] == "assistant" for said in self.messages[1:turns]])
        voices = answers + (self.messages[0]["role"] == "assistant") if turns else 0
        functions = [(name, at) for name, at in self.functions if at <= seconds]
        return TimedDialogue(
            self.messages[:turns], functions, self.answers_ms[:answers], self.voices_ms[:voices], seconds
        )


def spoken(steps: Sequence[Step], rng: Random) -> TimedDialogue:
    """Return the timeline of a call.

    Time runs in whole hundredths of a second: rounding each time would take a tenth of the work for a call.
    """
    random = rng.random
    pace = CENTISECONDS_A_CHARACTER * (0.85 + 0.3 * random())
    now = int(60 + 100 * random())
    messages: list[dict[str, Any]] = []
    functions, answers, voices = [], [], []
    waited_ms = 0.0
    for who, text, _ in steps:
        if who == "A":
            voice_ms = int(90 + 160 * random())
            if messages:
                answer_ms = int(480 + 620 * random() * random() + voice_ms + waited_ms) // 10 * 10
                now += answer_ms // 10
                answers.append(answer_ms)
            voices.append(voice_ms)
            waited_ms = 0.0
            role = "assistant"
        elif who == "U":
            now += int(30 + 90 * random())
            role = "user"
        else:
            if who == "T":
                functions.append((text, now / 100))
                waited_ms += 200 + 600 * random()
            continue
        start = now
        now += int(40 + len(text) * pace)
        messages.append({"role": role, "content": text, "start": start / 100, "end": now / 100})
    return TimedDialogue(messages, functions, answers, voices, now / 100)


def typed(steps: Sequence[Step], rng: Random) -> TimedDialogue:
    """Return the timeline of a chat: people read and type, the agent answers at once."""
    random = rng.random
    now = 0.0
    messages: list[dict[str, Any]] = []
    functions, answers = [], []
    for who, text, _ in steps:
        if who == "A":
            answer = int(500 + 1400 * random() * random())
            if messages:
                now += answer / 1000
                answers.append(answer)
            role = "assistant"
        elif who == "U":
            now += 2 + len(text) * (0.15 + 0.15 * random())
            role = "user"
        else:
            if who == "T":
                functions.append((text, round(now, 2)))
            continue
        messages.append({"role": role, "content": text, "start": round(now, 2), "end": round(now, 2)})
    return TimedDialogue(messages, functions, answers, [], now + 1)


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
