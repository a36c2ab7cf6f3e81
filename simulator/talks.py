"""From a script to what was said: turns with their times, the functions called, how fast the agent answered."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from dryline.simulator.scripts import Turn

_SECONDS_A_CHARACTER = 1 / 15  # about 150 words a minute


@dataclass(slots=True)
class Talk:
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
        return "\n".join(
            [f"{'Agent' if said['role'] == 'assistant' else 'User'}: {said['content']}" for said in self.messages]
        )

    def spoken(self, role: str) -> int:
        """How many characters the role has said."""
        return sum([len(said["content"]) for said in self.messages if said["role"] == role])

    def plain(self) -> list[dict[str, str]]:
        """The messages as a language model sees them."""
        return [{"role": said["role"], "content": said["content"]} for said in self.messages]


def spoken(turns: Sequence[Turn], facts: Mapping[str, Any], rng: Random) -> Talk:
    """The conversation as it would go by phone."""
    random = rng.random
    pace = _SECONDS_A_CHARACTER * (0.85 + 0.3 * random())
    now = 0.6 + random()
    messages: list[dict[str, Any]] = []
    functions, answers, voices = [], [], []
    waited = 0.0
    for who, text in turns:
        if who == "T":
            functions.append((text, round(now, 2)))
            waited += 0.2 + 0.6 * random()
            continue
        content = text.format_map(facts) if "{" in text else text
        if who == "A":
            voice = int(90 + 160 * random())
            answer = int(480 + 620 * random() * random() + voice + 1000 * waited)
            if messages:
                now += answer / 1000
                answers.append(answer)
            voices.append(voice)
            waited = 0.0
        else:
            now += 0.3 + 0.9 * random()
        start = round(now, 2)
        now += 0.4 + len(content) * pace
        role = "assistant" if who == "A" else "user"
        messages.append({"role": role, "content": content, "start": start, "end": round(now, 2)})
    return Talk(messages, functions, answers, voices, now)


def typed(turns: Sequence[Turn], facts: Mapping[str, Any], rng: Random) -> Talk:
    """The conversation as it would go in a chat: people read and type, the agent answers at once."""
    random = rng.random
    now = 0.0
    messages: list[dict[str, Any]] = []
    functions, answers = [], []
    for who, text in turns:
        if who == "T":
            functions.append((text, round(now, 2)))
            continue
        content = text.format_map(facts) if "{" in text else text
        if who == "A":
            answer = int(500 + 1400 * random() * random())
            if messages:
                now += answer / 1000
                answers.append(answer)
        else:
            now += 2 + len(content) * (0.15 + 0.15 * random())
        role = "assistant" if who == "A" else "user"
        messages.append({"role": role, "content": content, "start": round(now, 2), "end": round(now, 2)})
    return Talk(messages, functions, answers, [], now + 1)


def spread(values: Sequence[int]) -> dict[str, Any]:
    """A list of milliseconds with its percentiles (nearest rank), null where there is nothing."""
    ranked = sorted(values)
    count = len(ranked)
    found: dict[str, Any] = {
        "values": list(values),
        "num": count,
        "min": ranked[0] if count else None,
        "max": ranked[-1] if count else None,
    }
    for percent in (50, 90, 95, 99):
        found[f"p{percent}"] = ranked[-(-percent * count // 100) - 1] if count else None
    return found
