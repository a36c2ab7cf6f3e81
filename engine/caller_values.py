"""Values of a simulated caller: those that the flow looks at, and the words in which they are given."""

import re
from random import Random
from typing import Any, NamedTuple

from dryline.engine.answer_filling import shaped
from dryline.engine.caller_utterances import capitalized, intent_of, language_of_menu
from dryline.engine.language_model import Question
from dryline.engine.program import Program
from dryline.engine.slots import Slot
from dryline.phrases.spoken_values import sentence_with_value, speak
from dryline.phrases.value_kinds import is_of_user, label_of, names_speaker, read_values

_QUOTED = r"""["'][^"'\n]{1,60}["']"""
_COMPARED = re.compile(rf"(?:==|!=|\bin\b|\bcase\b)\s*[\[({{]?\s*({_QUOTED}(?:\s*,\s*{_QUOTED})*)")
_COUNTED = re.compile(r"(?:[=!<>]=|[<>])\s*(\d[\d_]{0,11}(?:\.\d{1,6})?)")
_OFFERS = (
    re.compile(r"\b\d{1,2}(?::\d{2})? ?[AP]M\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
)
_OTHERS = re.compile(
    r"neighbou?r|doctor|dentist|agent|manager|company|colleague|boss|friend|pet\b|animal|product|other", re.IGNORECASE
)
# A yes-or-no question for a fact, and its answers. An offer or a wish is agreed to in other words.
_FACT = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have)\b(?!.*\b(?:want|like|okay|ok|work|suit|fine)\b).*\?$", re.IGNORECASE
)
_OWN_NUMBER = re.compile(r"account|customer|member|policy|contract|patient", re.IGNORECASE)
_NUMBER = re.compile(r"\b((?!is\b|the\b)\w+ (?:number|code|id))\b", re.IGNORECASE)
# The share of answers in which callers first say something else, and how they go on.
_SLIPS = 0.06
_CORRECTIONS = ("No, sorry, {}.", "I mean, {}.", "Wait, no, {}.", "Actually, {}.")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_OTHER_WORDS = 20  # attempts to give a value in other words than before


class CallerValue(NamedTuple):
    """A value that a question asks for, with what callers call it."""

    slot: Slot
    value: Any

    @property
    def names(self) -> set[str]:
        """Return the slots of phrases that the value fits."""
        label = label_of(self.slot.key)
        names = {self.slot.kind, label, *label.split()[-1:]}
        return names.union(*(_ALIASES.get(name, ()) for name in names))


_ALIASES = {
    "date": ("day",),
    "day": ("date", "weekday"),
    "reason": ("problem",),
    "issue": ("problem",),
    "item": ("product",),
    "product": ("item",),
    "treatment": ("service",),
    "code": ("number",),
}


def yes_or_no(condition: str, menu: tuple[str, ...], agent_said: str, random: Random) -> str | None:
    """Return a plain yes or no to the agent's question for a fact ("Is it awake?"), to which no offer is agreed."""
    intent = intent_of(condition, menu)
    question = re.split(r"(?<=[.!?]) ", agent_said)[-1]
    if intent is None or intent.name not in ("agree", "decline"):
        return None
    if language_of_menu(menu) != "en" or not _FACT.match(question):  # in German, "was" begins other questions
        return None
    return random.choice(read_values()["yes_says" if intent.name == "agree" else "no_says"])


def give_value(
    value: CallerValue,
    agent_said: str,
    random: Random,
    avoid: set[str],
    *,
    is_asked: bool,
    may_slip: bool,
    language: str = "en",
    typed: bool = False,
) -> str:
    """Return a sentence that gives a value, and add it to `avoid`, whose sentences are not said again.

    A choice has the article with which the agent has named it. A value that nobody has asked for is not said bare. With
    `may_slip` a caller now and then says something else first, in English only. `typed` is for a chat.
    """
    slot, spoken = value.slot, value.value
    if not is_asked and slot.kind == "code" and language == "en":
        label = label_of(slot.key) or (match[1] if (match := _NUMBER.search(slot.question)) else "number")
        return f"My {label} is {speak(spoken, slot.kind, random, typed=typed)}."
    if isinstance(spoken, str) and spoken[:1].islower():
        article = re.search(rf"\b(an?|the) {re.escape(spoken)}\b", agent_said)
        spoken = f"{article[1]} {spoken}" if article else spoken
    unfit = _unfit(slot, is_asked=is_asked)
    for _ in range(_OTHER_WORDS):
        sentence = sentence_with_value(spoken, slot.key, slot.question, random=random, language=language, typed=typed)
        if sentence not in avoid and not unfit.search(sentence) and (is_asked or sentence.count(" ") > 1):
            break
    if not is_asked and language == "en" and isinstance(spoken, str) and sentence == f"{capitalized(spoken)}.":
        needs_article = spoken[:1].islower() and not spoken.endswith("s")
        prefix = ("an " if spoken[0] in "aeiou" else "a ") if needs_article else ""
        sentence = f"It's about {prefix}{spoken}."
    avoid.add(sentence)
    slips = is_asked and may_slip and language == "en" and random.random() < _SLIPS
    slip = _slip(value, agent_said, random) if slips else None
    if slip is None:
        return sentence
    return f"{slip} {random.choice(_CORRECTIONS).format(speak(spoken, slot.kind, random))}"


def _unfit(slot: Slot, *, is_asked: bool) -> re.Pattern[str]:
    """Return a pattern of the sentences that do not fit: as an answer, or as words that nobody asked for."""
    patterns = ["^Yes,"]
    if not is_asked:
        patterns += ["^Sure,", "works for me", "would be better", "^Could we", "^How about", "^I'd (?:go for|prefer)"]
    if slot.kind == "name" and not is_own(slot):
        patterns += ["^I'm ", "^My name", "^This is", "is my name"]
    if slot.kind == "address" and "new" in f"{slot.key} {slot.question}":
        patterns += [r"\blive\b"]
    return re.compile("|".join(patterns))


def _slip(value: CallerValue, agent_said: str, random: Random) -> str | None:
    """Return another choice or day than the caller means, as somebody says it by mistake."""
    others = offered_values(value.slot, agent_said) or (_DAYS if value.value in _DAYS else [])
    others = [other for other in others if other != value.value]
    return f"{capitalized(speak(random.choice(others), value.slot.kind, random))}." if others else None


def offered_values(slot: Slot, agent_said: str) -> list[str]:
    """Return what the agent has just offered, where the flow asks which of several times or days it is."""
    if slot.choices is None or any(str(choice) in agent_said for choice in slot.choices):
        return [str(choice) for choice in slot.choices or () if str(choice) in agent_said]
    form = next((form for form in _OFFERS if all(form.fullmatch(str(choice)) for choice in slot.choices)), None)
    return form.findall(agent_said) if form else []


def candidates(program: Program) -> list[str]:
    """Return the texts that the flow compares with: what an answer has to be for one of its `if` statements."""
    groups = _COMPARED.findall(program.source)
    return sorted({quoted[1:-1] for group in groups for quoted in re.findall(_QUOTED, group)})


def numbers(program: Program) -> list[float]:
    """Return the numbers that the flow compares with, then the neighbours of each."""
    compared = sorted({float(number) for number in _COUNTED.findall(program.source)})
    return list(dict.fromkeys(number + more for more in (0, 1, -1) for number in compared))


def is_own(slot: Slot) -> bool:
    """Return whether a question is about the caller, and not about a neighbour or a department."""
    if not is_of_user(slot.key, slot.question) or (slot.key and not names_speaker(slot.key) and "name" in slot.key):
        return False
    return not _OTHERS.search(f"{slot.key} {slot.question}")


def own_number(slot: Slot) -> str | None:
    """Return what a number of the caller's own belongs to, such as "account"; None for other values.

    A caller has one such number, whatever question asks for it.
    """
    own = _OWN_NUMBER.search(f"{slot.key} {slot.question}") if slot.kind == "code" else None
    return own[0].lower() if own else None


def slots_in(question: Question) -> list[Slot]:
    """Return the values that a question asks for; none if it has no example and no schema."""
    slots: list[Slot] = []
    if question.example is not None or isinstance(question.schema, dict):
        shaped(question, slots.append)
    return slots


def answer_key(question: Question) -> tuple[int | None, str]:
    """Return what an answer is planned for: the line, and the names of what is asked for there.

    The texts may differ from call to call, for a flow can put values into them.
    """
    return question.line, " ".join(slot.path for slot in slots_in(question))
