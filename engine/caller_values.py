"""Values of a simulated caller: those that the flow looks at, and the words in which they are given."""

import re
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

from dryline.engine.caller_utterances import CallerUtterance, capitalized, intent_of, language_of_menu
from dryline.engine.language_model import Question
from dryline.engine.program import Program
from dryline.flow.model.answers.shapes import shaped
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.spoken import sentence_with_value, speak
from dryline.flow.model.kinds import class_of, is_of_user, label_of, names_speaker, read_values

_QUOTED = r"""["'][^"'\n]{1,60}["']"""
_COMPARED = re.compile(rf"(?:==|!=|\bin\b|\bcase\b)\s*[\[({{]?\s*({_QUOTED}(?:\s*,\s*{_QUOTED})*)")
_COUNTED = re.compile(r"(?:[=!<>]=|[<>])\s*(\d[\d_]{0,11}(?:\.\d{1,6})?)")
_OFFERS = (
    re.compile(r"\b\d{1,2}(?::\d{2})? ?[AP]M\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
)
_NO_WORDS = ("date", "time", "datetime", "birth", "past", "name", "code", "phone", "email")  # kinds of values
_OTHERS = re.compile(
    r"neighbou?r|doctor|dentist|agent|manager|company|colleague|boss|friend|pet\b|animal|product|other", re.IGNORECASE
)
# A yes-or-no question for a fact, and its answers. An offer or a wish is agreed to in other words.
_FACT = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have)\b(?!.*\b(?:want|like|okay|ok|work|suit|fine)\b).*\?$", re.IGNORECASE
)
# A question for what the caller would like. To other questions nobody answers "The printer, please."
_WISH = re.compile(r"\b(?:would|shall|prefer|like|want|may|can|could)\b", re.IGNORECASE)
_OWN_NUMBER = re.compile(r"account|customer|member|policy|contract|patient", re.IGNORECASE)
_NUMBER = re.compile(r"\b((?!is\b|the\b)\w+ (?:number|code|id))\b", re.IGNORECASE)
# The share of answers in which callers first say something else, and how they go on.
_SLIPS = 0.06
_CORRECTIONS = ("No, sorry, {}.", "I mean, {}.", "Wait, no, {}.", "Actually, {}.")
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
_FULL_SHARE = 0.4  # of the answers with an article, which then are sentences
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

    def is_in(self, utterance: CallerUtterance) -> bool:
        """Return whether words of the caller hold the value."""
        return bool(self.names & utterance.slots) or named_in(utterance.text, self.slot) is not None

    def is_known(self, earlier_words: str) -> bool:
        """Return whether it is a name that the caller has given before, which nobody gives again unasked."""
        return self.slot.kind == "name" and str(self.value) in earlier_words


_ALIASES = {
    "date": ("day",),
    "day": ("date", "weekday"),
    "reason": ("problem",),
    "issue": ("problem",),
    "item": ("product",),
    "product": ("item",),
    "treatment": ("service",),
    "code": ("number",),
    "device": ("product",),
}


def yes_or_no(condition: str, menu: tuple[str, ...], agent_said: str, random: Random, avoid: set[str]) -> str | None:
    """Return a plain yes or no to the agent's question for a fact ("Is it awake?"), to which no offer is agreed.

    It is one that is not in `avoid`, and is added there.
    """
    intent = intent_of(condition, menu)
    question = _last_sentence(agent_said)
    if intent is None or intent.name not in ("agree", "decline"):
        return None
    if language_of_menu(menu) != "en" or not _FACT.match(question):  # in German, "was" begins other questions
        return None
    answers = read_values()["yes_says" if intent.name == "agree" else "no_says"]
    answer: str = random.choice([each for each in answers if each not in avoid] or answers)
    avoid.add(answer)
    return answer


def _last_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) ", text)[-1]


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
    article = None
    if isinstance(spoken, str) and spoken[:1].islower():
        article = re.search(rf"\b(an?|the) {re.escape(spoken)}\b", agent_said)
        spoken = f"{article[1]} {spoken}" if article else spoken
    is_word = article is None and isinstance(spoken, str) and language == "en"
    if is_word and class_of(spoken) in (class_of("dog"), class_of("car")):  # the classes whose values have an article
        spoken = f"{'an' if spoken[0] in 'aeiou' else 'a'} {spoken}"
    is_wish = is_asked and bool(_WISH.search(_last_sentence(agent_said)))
    unfit = _unfit(slot, is_asked=is_asked, is_wish=is_wish)
    for _ in range(_OTHER_WORDS):
        sentence = sentence_with_value(spoken, slot.key, slot.question, random=random, language=language, typed=typed)
        if sentence not in avoid and not unfit.search(sentence) and (is_asked or sentence.count(" ") > 1):
            break
    if not is_asked and language == "en" and isinstance(spoken, str) and sentence == f"{capitalized(spoken)}.":
        needs_article = spoken[:1].islower() and not spoken.endswith("s")
        prefix = ("an " if spoken[0] in "aeiou" else "a ") if needs_article else ""
        sentence = f"It's about {prefix}{spoken}."
    elif article and not is_wish and sentence == f"{capitalized(spoken)}." and random.random() < _FULL_SHARE:
        sentence = f"It's {spoken}."
    avoid.add(sentence)
    slips = is_asked and may_slip and language == "en" and random.random() < _SLIPS
    slip = _slip(value, agent_said, random) if slips else None
    if slip is None:
        return sentence
    return f"{slip} {random.choice(_CORRECTIONS).format(speak(spoken, slot.kind, random))}"


def _unfit(slot: Slot, *, is_asked: bool, is_wish: bool) -> re.Pattern[str]:
    """Return a pattern of the sentences that do not fit: as an answer, or as words that nobody asked for."""
    patterns = ["^Yes,"]
    if not is_asked:
        patterns += ["^Sure,", "works for me", "would be better", "^Could we", "^How about", "^I'd (?:go for|prefer)"]
    if slot.choices and not is_wish:
        patterns += ["^I'd (?:go for|prefer)", r", please\.$"]
    if not _NUMBER.search(f"{slot.key} {slot.question}"):
        patterns += ["^I have it here", "^The number is"]
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


def named_in(text: str, slot: Slot) -> str | None:
    """Return the option of a slot, or the value like its example, that a text names; None if it names none or two."""
    if slot.kind in _NO_WORDS:
        return None
    options = slot.choices or (class_of(slot.example_text) if isinstance(slot.example, str) else ())
    named = [
        option
        for option in options
        if isinstance(option, str) and re.search(rf"\b{re.escape(option)}s?\b", text, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def as_named(value: CallerValue, text: str) -> CallerValue:
    """Return the value that the caller's words name, instead of another one."""
    named = named_in(text, value.slot)
    return value._replace(value=named) if named else value


def misread(code: str, random: Random) -> str:
    """Return a number as somebody has it who exchanged two neighbouring digits of it, or got the last one wrong."""
    places = [
        at for at, (one, other) in enumerate(pairwise(code)) if one.isdigit() and other.isdigit() and one != other
    ]
    if not places:
        return f"{code[:-1]}{(int(code[-1]) + 1) % 10}" if code[-1:].isdigit() else code
    at = random.choice(places)
    return f"{code[:at]}{code[at + 1]}{code[at]}{code[at + 2 :]}"


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
