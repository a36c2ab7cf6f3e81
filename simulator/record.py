"""The record of one conversation: it takes each event once, and then knows all that the rows need.

These are the turns with their times, the trace, the requests to a language model, facts, milestones, summary, ending.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate, pairwise
from random import Random
from typing import Any

from dryline.flow.language.events import Event
from dryline.flow.model.caller_words import UNUSUAL_ROLES, first_clause, predicate, role_of
from dryline.simulator.analysis import KNOWN, KNOWN_CONTACT, fact_of
from dryline.simulator.endings import IS_OVER, REASONS, milestones_of_run
from dryline.simulator.facts import Facts
from dryline.simulator.flow_source import TOO_LONG
from dryline.simulator.model_requests import ModelCall, ModelRequest
from dryline.simulator.tables import table

_CENTISECONDS_A_CHARACTER = 100 / 14  # about 140 words a minute
_DIGIT = 4  # the number of characters that take as long as a spoken digit
_DIGITS = re.compile(r"\d")
# Durations in hundredths of a second: the least, and how much more it can be. Assumed.
_THINKS, _ASKS = (25, 45), (20, 30)  # before an answer of the agent; for a question about a text
_FIRST, _CALLS, _TURNS, _VOICE_MS = (60, 100), (10, 40), (110, 220), (90, 160)
_STEPS = {"channel": "say", "say": "say", "talk": "talk"}  # of the trace, by who speaks


@dataclass(frozen=True, slots=True)
class FlowError:
    """An error that ended a call: `line` is that of the flow's code, None without code."""

    type: str
    message: str
    function: str
    line: int | None
    traceback: str
    sentence: str


class ConversationRecord:
    """The record of a conversation: a call, or a chat (`typed`), where people read and type.

    Somebody, or a machine (`is_machine`), answers after `answered_s`. Times are seconds from the start, latencies
    milliseconds. `messages` are `{"role", "content", "start", "end"}`, role `assistant` or `user`; `functions` are
    `(name, seconds)`. What the caller gives to a flow is added to `facts`.
    """

    def __init__(
        self, facts: Facts, rng: Random, *, answered_s: float = 0.0, typed: bool = False, is_machine: bool = False
    ) -> None:
        self.facts, self.typed, self.is_machine = facts, typed, is_machine
        self.messages: list[dict[str, Any]] = []
        self.functions: list[tuple[str, float]] = []
        self.answers_ms: list[int] = []
        self.voices_ms: list[int] = []
        self.trace: list[dict[str, Any]] = []
        self.model_calls: list[ModelCall] = []
        self.extracted: dict[str, Any] = {}  # by the flow
        self.taken: list[str] = []  # conditions
        self.lines_taken: set[int] = set()  # of the flow's code
        self.wishes: list[str] = []  # those of them that are no answers to the agent's questions
        self.fault: FlowError | None = None
        self.ended = ""  # the engine's word for it, or the reason why nobody answered
        self.transferred_to: str | None = None
        self.intent: str | None = None  # of a script
        # By the number of messages before: a conversation that is cut off loses what comes later.
        self._mentioned: list[tuple[int, str]] = []
        self._milestones: list[tuple[int, str]] = []
        self._summaries: list[tuple[int, str]] = []
        # Time runs in whole hundredths of a second.
        self._random = rng.random
        self._pace = _CENTISECONDS_A_CHARACTER * (0.85 + 0.3 * self._random())
        self._now = round(answered_s * 100)
        self._cut_off_s: float | None = None
        self._user_ended: int | None = None  # when the user stopped speaking, if nobody has spoken since
        self._request: ModelRequest | None = None  # which no event has answered yet

    def add(self, event: Event) -> None:
        """Take the next event."""
        if event.type == "model":
            self._request = event["request"]
            return
        if self._request is not None:
            self._add_model_call(self._request, event)
            self._request = None
        match event.type:
            case "said":
                self._say(event)
            case "heard":
                self._hear(event)
            case "called":
                self._call(event["function"], event)
            case _:
                self._add_step(event)
        self._learn(event)

    def cut_off(self, seconds: float) -> None:
        """End the call then, because it has reached its longest duration: nothing is said later.

        What a flow has done stays in the trace, as it cannot be undone.
        """
        count = sum(said["end"] <= seconds for said in self.messages)
        self.messages = self.messages[:count]

        roles = [said["role"] for said in self.messages]
        answer_count = sum(pair == ("user", "assistant") for pair in pairwise(roles))
        self.answers_ms = self.answers_ms[:answer_count]
        self.voices_ms = self.voices_ms[: roles.count("assistant")]

        self.functions = [(name, called_s) for name, called_s in self.functions if called_s <= seconds]
        is_scripted = self.intent is not None
        steps = [step for step in self.trace if step["at"] <= seconds or not is_scripted]
        self.trace = [step | {"at": min(step["at"], seconds)} for step in steps]
        self.model_calls = [call for call in self.model_calls if call.answered_at <= seconds]

        self._mentioned = _entries_before(count, self._mentioned)
        self._milestones = _entries_before(count, self._milestones)
        self._summaries = _entries_before(count, self._summaries)
        self.ended, self._cut_off_s = TOO_LONG, seconds

    def mention(self, names: Iterable[str]) -> None:
        """Note facts that are known without being said."""
        self._mentioned += [(-1, name) for name in names]

    # The conversation as it is known.

    @property
    def seconds(self) -> float:
        """Its duration. A chat ends a second after its last turn."""
        if self._cut_off_s is not None:
            return self._cut_off_s
        return self._now / 100 + (1 if self.typed else 0)

    @property
    def outcome(self) -> str:
        """The status of a call that was answered."""
        if self.fault:
            return "failed"
        if self.is_machine:
            return "voicemail"
        return "transferred" if self.ended == "transfer" else "completed"

    @property
    def is_too_long(self) -> bool:
        """Whether the caller hung up because of the longest duration."""
        return self.ended == TOO_LONG

    @property
    def ending(self) -> str:
        """The reason of the end, such as `agent_hangup` or `dial_busy`."""
        if self.is_machine:
            return "voicemail_reached"
        if self.typed and self.ended == "hung up":
            return "user_left"
        return REASONS.get(self.ended, self.ended)

    @property
    def reached(self) -> set[str]:
        """The milestones (`booked`, `done`, …): a script's own, or those that a flow's conditions and values name."""
        if self._milestones:
            return {name for _, name in self._milestones}
        if self.is_machine:
            return {"voicemail"}
        if self.fault:
            return set()
        return milestones_of_run(self.ended, self.taken, self.extracted)

    @property
    def done(self) -> bool:
        """Whether the matter was settled."""
        return "done" in self.reached

    @property
    def ended_by(self) -> str | None:
        """The condition with which it ended; None if it broke off before."""
        return self.taken[-1] if self.taken and not self.reached.isdisjoint(IS_OVER) else None

    @property
    def mentioned(self) -> set[str]:
        """The names of the facts that were said. A name tells the first and the last one."""
        names = {name for _, name in self._mentioned}
        return names | KNOWN_CONTACT if "name" in names else names

    @property
    def purpose(self) -> str:
        """The name of what the other party wants."""
        if self.intent is not None:
            return self.intent
        return "_".join(re.findall(r"\w+", predicate(self.taken[0]).lower())) if self.taken else "unknown"

    @property
    def summary(self) -> str:
        """The matter, and how the conversation broke off if it was not settled."""
        last_words = "" if self.done else table("last words").get(self.ending, "")
        return f"{self._matter()} {last_words}".strip()

    def plain_messages(self) -> list[dict[str, str]]:
        """Return the messages as a language model gets them."""
        return [{"role": said["role"], "content": said["content"]} for said in self.messages]

    def tokens(self) -> list[tuple[int, int]]:
        """Estimate the tokens of each request to a model and of its answer."""
        before = [0, *accumulate(len(said["content"]) for said in self.messages)]
        return [call.tokens(before) for call in self.model_calls]

    # Events.

    def _pass_time(self, least: int, more: int) -> None:
        """Let `least` hundredths of a second pass, and up to `more`."""
        self._now += int(least + more * self._random())

    def _add_model_call(self, request: ModelRequest, event: Event) -> None:
        """Add a request to a language model, which the event answers, and let the time pass that it takes."""
        asked_at = self._now / 100
        least, more = _ASKS if event.type == "asked" else _THINKS
        self._pass_time(least, more)
        self.model_calls.append(ModelCall(request, event, asked_at, self._now / 100))

    def _say(self, event: Event) -> None:
        """Add words of the agent, after the time that the voice needs, and a step of the trace for them."""
        by = event["by"]
        if by == "script" and self.messages and self._user_ended is None:
            self._pass_time(*_THINKS)
        if not self.typed:
            voice_ms = int(_VOICE_MS[0] + _VOICE_MS[1] * self._random())
            self.voices_ms.append(voice_ms)
            self._now += voice_ms // 10
            if not self.messages:
                self._pass_time(*_FIRST)
        if self._user_ended is not None:
            self.answers_ms.append(10 * (self._now - self._user_ended))
            self._user_ended = None
        if by in _STEPS:
            details = {"by": "channel"} if by == "channel" else {"line": event.line}
            self.trace.append({"at": self._now / 100, "step": _STEPS[by], **details})
        self._add_message("assistant", event["text"])

    def _hear(self, event: Event) -> None:
        """Add words of the user."""
        if self.typed:
            self._now += int(200 + len(event["text"]) * (15 + 15 * self._random()))
        else:
            self._pass_time(*_TURNS)
        self._add_message("user", event["text"])
        self._user_ended = self._now

    def _add_message(self, role: str, text: str) -> None:
        start = self._now
        characters = len(text) + (_DIGIT - 1) * len(_DIGITS.findall(text))
        self._now += 0 if self.typed else int(40 + characters * self._pace)
        self.messages.append({"role": role, "content": text, "start": start / 100, "end": self._now / 100})

    def _add_step(self, event: Event) -> None:
        """Add a step of the trace with the details that it has, if the trace has steps for such events."""
        if event.type not in table("steps"):
            return
        step, *members = table("steps")[event.type]
        details = {name: event.details[name] for name in members if name in event.details}
        if step == "call":
            self._call(_function_name(event), event, **details)
        else:
            self.trace.append({"at": self._now / 100, "step": step, "line": event.line, **details})

    def _call(self, function: str, event: Event, **details: Any) -> None:
        line = {} if event.type == "called" else {"line": event.line}
        self.trace.append({"at": self._now / 100, "step": "call", "function": function, **line, **details})
        self.functions.append((function, self._now / 100))
        self._pass_time(*_CALLS)

    def _learn(self, event: Event) -> None:
        """Note what an event says about the matter, its facts and its end."""
        count = len(self.messages)
        match event.type:
            case "said" | "heard":
                self._mentioned += [(count - 1, name) for name in event.details.get("facts", ())]
            case "reached":  # by the turn behind it
                self._milestones += [(count, name) for name in event["milestones"]]
            case "summary":
                self._summaries.append((count - 1, event["text"]))
            case "taken":
                self.taken.append(event["condition"])
                if event.line is not None:
                    self.lines_taken.add(event.line)
                if not event.details.get("is_answer"):
                    self.wishes.append(event["condition"])
            case "asked" | "extracted":
                self._learn_value(event)
            case "transferred":
                self.transferred_to = event["number"]
            case "failed":
                error = event["error"] or event["exception"]
                self.fault = FlowError(
                    type=event["exception"],
                    message=error,
                    function=event["function"] or "talk",
                    line=event.line,
                    traceback=event["traceback"],
                    sentence=event.details.get("sentence", error),
                )
                self.ended = "failed"
            case "ended":
                self.ended = event["why"]

    def _learn_value(self, event: Event) -> None:
        """Add the facts that the caller gave to the flow."""
        key, question = (str(event.details.get(name, "")) for name in ("key", "question"))
        value = event["value"]
        if event.type == "extracted":
            self.extracted[key] = value
        learned = {name for _, name in self._mentioned}
        for name, member in (value if isinstance(value, dict) else {key: value}).items():
            fact = fact_of(str(name), question)
            if member and fact not in learned | KNOWN and (isinstance(member, str) or fact == "rating"):
                self.facts[fact] = member
                self._mentioned.append((len(self.messages) - 1, fact))
                learned.add(fact)

    # The end.

    def _matter(self) -> str:
        """Return a script's summary, or the one that the flow extracts, else what the caller wants."""
        if self.intent is not None:
            return self._summaries[-1][1] if self._summaries else ""
        if self.is_machine:
            return "Reached a voicemail."
        no_wishes = (*UNUSUAL_ROLES, "value")
        wishes = [text for text in dict.fromkeys(self.wishes or self.taken) if role_of(text) not in no_wishes]
        wish = ", and then ".join(map(first_clause, wishes))
        summary = str(self.extracted.get("summary") or f"The caller {wish or 'does not say what it is about'}.")
        return f"{summary} A person took over." if self.ended == "transfer" else summary


def _entries_before(count: int, entries: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the entries that belong to the first `count` messages."""
    return [(number, text) for number, text in entries if number < count]


def _function_name(event: Event) -> str:
    if event.type == "requested":
        return f"requests.{str(event['method']).lower()}"
    if event.type == "integrated":
        return f"integrations.{event['app']}.{event['action']}"
    return table("functions")[event.type]
