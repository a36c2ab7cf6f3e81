"""The condition that what a caller says meets: one softmax over the conditions and none.

`tools/understanding/` fits the weights of the features, and the least share with which a condition is taken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import exp
from operator import mul

from dryline.flow.model import encoder
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.yes_no import NO, YES
from dryline.flow.model.encoder import LONGEST, dot, meaning, plain, vector
from dryline.flow.model.kinds import CHOICE, NAME, WORDS, kind_of, kind_of_question
from dryline.flow.model.number_words import read_bounds, said_number
from dryline.flow.model.questions import (
    FILLER,
    QUESTION_WORD,
    is_open_question,
    last_question,
    option_by_position,
    options_of,
)
from dryline.flow.phrases import load

_WORD = re.compile(r"[^\W\d_][\w'-]*")
# Intents to which a condition seldom answers: what a caller says between two matters.
_OPEN_INTENTS = (
    *("small_talk", "repeat", "wait_a_moment", "thanks", "greeting", "wrong_number", "dont_know", "undecided"),
    *("has_question", "ask_robot", "confused", "more_help"),
)

# Conditions.
_NEGATION = re.compile(
    r"\b(?:not|no|never|without|cannot|unable|nothing|nobody|none|neither|refus\w+|declin\w+|reject\w+|\w+n't)\b"
)
_ASKS = re.compile(
    r"(?:asks?(?! (?:for|to)\b)|inquires?|wonders?|(?:wants?|would like) to (?:know|ask|hear)|has (?:an? "
    r"|any )?question)\b"
)
_ELSE = re.compile(
    r"\b(?:(?:any|some|every)thing else|other|another (?:matter|request|reason|question|topic)|otherwise)\b"
)
_CATCH_ALL = re.compile(r"\bnone of (?:these|those|the (?:above|others))\b")
_GIVES = re.compile(
    r"(?:ha[sd] |is )?(?:already |just )?\b(?:giv\w+|gave|provid\w+|nam(?:es?|ed)|stat(?:es?|ed)|t(?:ells?"
    r"|old)|shar\w+|mention\w*"
    r"|specif\w+|cho(?:oses?|sen)|picks?(?! up)|select\w*|answers?(?: with)?|spells?|describ\w+|explain\w*"
    r"|says?(?= (?:an?|the|their|wh\w+|how) )|confirms?(?= their )|adds?|orders?|corrects?)\b(?: us| you"
    r"| the agent)? (.+)"
)
_AND = re.compile(r"[,&]|\b(?:and|as well as|along with)\b")
_AROUND_LABEL = re.compile(
    r"(?:\b(?:the|an?|his|her|their|its|your|some|any|which|what|valid|new|preferred|only|in|at|on)\b )+"
    r"| \b(?:of|for|from|to|in|on|at|that|they|when|where|why|how|about|with|you|it)\b.*"
)
_MATTER = re.compile(
    r"issues?|problems?|needs?|reasons?|requests?|concerns?|situation|purpose|matters?|questions?|trouble|what .*"
)

# Utterances.
_CLAUSE_END = re.compile(r"[.?!;,]+(?!\d)|\b(?:but|because)\b")
_DENIES = re.compile(
    r"(?:^\W*(?:(?:actually|but|no|oh|wait) )*|\b(?:please|just) )(?:don't|do not) "
    r"(?!know|have|understand|think|get)(.*)"
    r"|\b(?:(?:do|did|would)(?:n't|nt| not) (?:\w+ )?(?:want|need|wish|mean|like)|never mind"
    r"|(?:am|is|was|are|it's|i'm|that's|this|we're) (?:not|no)(?: (?:calling|asking|trying|going|here|interested))?"
    r"|(?:is|was|are)n't|not (?:about|for|to|because|the|an?|my|calling|asking)|no need|nothing (?:to do with|about)"
    r"|instead of|rather than)\b(.*)"
)
_QUESTION = re.compile(
    rf"(?:{FILLER}\b,? )*(?:{QUESTION_WORD}|is|are|do|does|did|has|was|were|will|can (?:i|you|we) (?:find|see|tell)|any"
    r"|what about|how (?:about|does))\b|.*\?$"
)
_FILLERS = re.compile(FILLER)
_LEADING_FILLERS = re.compile(rf"(?: {FILLER}\b)* (?=.)")
_STARTS_WITH_YES, _STARTS_WITH_NO = (tuple(f" {phrase} " for phrase in phrases) for phrases in (YES, NO))


@dataclass(frozen=True)
class Context:
    """The conversation: the agent's last message, the prompt, and what the user said before, a line each.

    `returned` is the index of a condition whose block handed back a value: what the agent asks now is asked for it.
    `is_answered` says that the utterance has a value which that block asked for and did not get.
    """

    agent: str
    prompt: str
    earlier: str = ""
    returned: int | None = None
    is_answered: bool = False

    @cached_property
    def question(self) -> str:
        """The agent's last question."""
        return last_question(self.agent)

    @cached_property
    def options(self) -> list[str]:
        """The options that the agent offers."""
        return options_of(self.agent)


@dataclass(frozen=True, slots=True)
class Understanding:
    """The condition that is met, if any."""

    index: int | None
    why: str
    sure: float


def understand(conditions: Sequence[str], said: str, context: Context) -> Understanding:
    """Return the condition that an utterance meets."""
    if not conditions or not any(encoder.stems(said)):
        return Understanding(None, "Nothing was said that a condition could be about.", 0.0)
    weights, least_share = encoder.load().fitted["weights"], encoder.load().fitted["least share"]
    rows = features_of(conditions, said, context)
    evidence = [{name: value * weights[name] for name, value in row.items()} for row in rows]
    scores = [sum(each.values()) for each in evidence]
    odds = [exp(score - max(scores)) for score in scores]
    shares = [each / sum(odds) for each in odds[:-1]]  # the last one is that of none
    order = sorted(range(len(shares)), key=lambda index: -shares[index])
    best = order[0]
    if shares[best] >= least_share:
        fits = f"Of the {len(order)} conditions this one fits best" if len(order) > 1 else "The only condition fits"
        why = f"{fits}: {_reason(conditions[best], said, evidence[best])}."
        return Understanding(best, why, shares[best])
    catch_all = next((index for index in order if read_condition(conditions[index]).is_catch_all), None)
    if catch_all is not None:
        why = f"No other condition is clearly meant. Nearest: {conditions[best]!r}."
        return Understanding(catch_all, why, shares[catch_all])
    return Understanding(None, f"No condition is clearly meant. Nearest: {conditions[best]!r}.", 0.0)


def _reason(condition: str, said: str, evidence: dict[str, float]) -> str:
    """Return what counts most for a condition: a value, an answer, or a phrase of the intent that both share."""
    most = max(evidence, key=evidence.__getitem__)
    if most in ("value given", "in bounds", "option by its place"):
        return "it names what the condition asks for"
    if most == "yes or no":
        return "it answers the agent's question"
    shared = map(mul, meaning(said), meaning(encoder.without_subject(condition)))
    intent = max(zip(shared, encoder.load().intents, strict=True))[1]
    says = load()[intent].says
    heard = {*plain(said).split()}
    nearest = max(says, key=lambda text: len(heard & {*plain(text).split()}) / len(heard | {*plain(text).split()}))
    return f'it is close to "{nearest}"'


class ConditionReading:
    """A condition, and what it asks for: `slots` are those of the values that a caller gives to meet it."""

    def __init__(self, text: str) -> None:
        text = plain(encoder.without_subject(text)).strip(" .")
        self.vector = vector(text)
        self.alternatives = [meaning(part) for part in encoder.alternatives(text)]
        near = encoder.near_intents(text)
        self.open_intents = {name: near[name] for name in _OPEN_INTENTS}
        self.stems = frozenset(encoder.stems(text))
        self.sign = -1 if _NEGATION.search(text) else 1
        self.asks = _ASKS.match(text) is not None
        self.bounds = read_bounds(text)
        self.is_else = _ELSE.search(text) is not None
        self.is_catch_all = _CATCH_ALL.search(text) is not None

        gives = _GIVES.match(text)
        self.gives = gives[1] if gives else None
        labels = [_AROUND_LABEL.sub("", thing.strip()) for thing in _AND.split(self.gives)] if self.gives else []
        self.is_matter = any(_MATTER.fullmatch(label) for label in labels)
        is_value = any(each[0] == "_" for label in labels for each in encoder.features(label))
        self.slots = [] if is_value else [Slot("", key=label) for label in labels if label]

    def means(self, other: encoder.Vector) -> float:
        """Return the cosine of a meaning with that of the nearest alternative."""
        return max((dot(other, alternative) for alternative in self.alternatives), default=0.0)

    def likeness(self, heard: "Heard") -> dict[str, float]:
        """Return the features of a condition that depend on the utterance alone."""
        near = dot(heard.vector, self.vector)
        is_in_bounds = 0
        if self.bounds is not None and heard.number is not None:
            is_in_bounds = 1 if self.bounds[0] <= heard.number <= self.bounds[1] else -1
        return {
            "near": near,
            "nearest clause": max([near, *(dot(clause, self.vector) for clause in heard.clauses)]),
            "meaning": self.means(heard.meaning),
            "asks": self.asks * (1 if heard.is_question else -1),
            "in bounds": is_in_bounds,
            "denied": self.sign * max((self.means(part) for part in heard.denied), default=0.0),
            "any matter": heard.matter * self.is_matter,
            "anything else": heard.matter * self.is_else,
        }


class Heard:
    """An utterance with its clauses. `polarity` is 1 for a yes and -1 for a no."""

    def __init__(self, text: str) -> None:
        self.text, self.plain = text, plain(text).strip()
        self.words = " ".join(["", *re.findall(r"[a-z0-9']+", self.plain), ""])
        self.vector, self.meaning = vector(text), meaning(text)
        near = encoder.near_intents(text)
        self.open_intents = {name: near.pop(name) for name in _OPEN_INTENTS}
        self.matter = max(near.values())

        clauses = _CLAUSE_END.split(self.plain)
        self.clauses = [vector(clause) for clause in clauses if clause.strip()]
        denied = (_DENIES.search(clause) for clause in clauses)
        self.denied = [meaning(each[1] or each[2]) for each in denied if each]

        self.features = frozenset(encoder.features(text))
        self.unknown = frozenset(each for each in self.features if " " not in each and not encoder.load().knows(each))
        self.number = said_number(text)

        words = _WORD.findall(text)
        self.is_all_capital = len(words) > 1 and all(word[0].isupper() for word in words)
        known = (each for each in self.features - self.unknown if " " not in each and each[0] != "_")
        self.is_bare = all(_FILLERS.fullmatch(each) for each in known)
        self.is_question = _QUESTION.match(self.plain) is not None
        start = _LEADING_FILLERS.sub(" ", self.words, count=1)
        self.polarity = -1 if start.startswith(_STARTS_WITH_NO) else int(start.startswith(_STARTS_WITH_YES))
        self._values: dict[tuple[str, str, bool], bool] = {}  # whether a value was said, by kind, label and `is_asked`

    def has_value(self, slot: Slot, options: Sequence[str], *, is_asked: bool) -> bool:
        """Return whether a value for a slot was said, or one of the options."""
        kind = kind_of(slot)
        if kind in (WORDS, CHOICE):
            return self._names(options)
        key = kind.name, slot.key, is_asked
        if key not in self._values:
            context = replace(slot, is_asked=is_asked)
            self._values[key] = any(kind.read(line, context) is not None for line in self.text.splitlines())
        return self._values[key]

    def _names(self, things: Iterable[str]) -> bool:
        """Return whether one of the things was named, in the singular or the plural."""
        known = (re.escape(plain(thing).removesuffix("s")) for thing in things if thing)
        return any(re.search(rf" {thing}s? ", self.words) for thing in known)


read_condition = lru_cache(maxsize=2_048)(ConditionReading)
hear = lru_cache(maxsize=256)(Heard)


def features_of(conditions: Sequence[str], said: str, context: Context) -> list[dict[str, float]]:
    """Return the features of each condition by name, and last those of none; those that are not there are 0."""
    menu = [read_condition(text[-LONGEST:]) for text in conditions]
    heard, before = hear(said[-LONGEST:]), hear(context.earlier[-LONGEST:])
    question, question_meaning = vector(context.question), meaning(context.question)
    polarity = 0 if is_open_question(context.question) else heard.polarity
    option = option_by_position(said, context.options)
    is_chosen, chosen = option is not None, vector(option) if option else None
    rows: list[dict[str, float]] = []
    for index, each in enumerate(menu):
        if each.is_catch_all:  # what it says is like nothing that a caller says
            rows.append({"catch-all": 1.0})
            continue
        others = frozenset[str]().union(*(other.stems for other in menu if other is not each))
        rows.append({
            **each.likeness(heard),
            "yes or no": polarity * each.sign * dot(question, each.vector),
            "asks beside an answer": each.asks * abs(polarity),
            "yes or no by meaning": polarity * each.sign * each.means(question_meaning),
            "option by its place": dot(chosen, each.vector) if chosen else 0.0,
            "rare words": len((each.stems - others) & heard.unknown),
            **_features_of_values(
                each, heard, before, context, is_returned=index == context.returned, is_chosen=is_chosen
            ),
        })  # fmt: skip
    return [*rows, _features_of_none(menu, heard, polarity)]


def _features_of_none(menu: Sequence[ConditionReading], heard: Heard, polarity: int) -> dict[str, float]:
    """Return the features of meeting no condition."""
    meant = {name: max(each.open_intents[name] for each in menu) for name in heard.open_intents}
    near = max((near for name, near in heard.open_intents.items() if near > meant[name]), default=0.0)
    has_value = any(name[0] == "_" for name in heard.features)
    return {
        "always": 1.0,
        "few words": 0.0 if has_value else 1 / (1 + len(heard.features)),
        "few conditions": 1 / len(menu),
        "question": heard.is_question,
        "open intent": near,
        "open intent beside an answer": abs(polarity) * near,
    }


def _features_of_values(
    condition: ConditionReading, heard: Heard, before: Heard, context: Context, *, is_returned: bool, is_chosen: bool
) -> dict[str, float]:
    """Return the features of the values that a condition asks for; a block that returned asks for what it lacks."""
    options, kind_of_answer = context.options, kind_of_question(context.question)
    names_option = any(option in condition.gives for option in options) if condition.gives else False
    slots = [] if names_option else condition.slots
    if not slots and is_returned:
        slots = [Slot("", question=context.question)]
    kinds = [kind_of(slot) for slot in slots]
    are_asked = [kind is kind_of_answer for kind in kinds]
    said_now = [
        is_chosen or heard.has_value(slot, options, is_asked=is_asked)
        for slot, is_asked in zip(slots, are_asked, strict=True)
    ]
    said_before = [before.has_value(slot, options, is_asked=False) for slot in slots]
    is_open = [kind in (WORDS, CHOICE) for kind in kinds]  # any words may be such a value
    is_complete = any(said_now) and all(map(any, zip(said_now, said_before, is_open, strict=True)))
    if is_complete or (is_returned and context.is_answered):
        is_name = kinds == [NAME] and heard.is_all_capital
        alone = {"value alone": heard.is_bare, "name alone": is_name}
        return {"value given": 1.0, "value that was asked for": any(are_asked) or is_returned, **alone}
    return {"value missing": bool(kinds) and not any(said_now) and not any(is_open), "part missing": any(said_now)}
