"""The condition that what a caller says meets: one softmax over the conditions and none.

`tools/understanding/` fits the weights of the features, and the least share with which a condition is taken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import exp
from operator import mul, or_

from dryline.flow.model import encoder
from dryline.flow.model.encoder import dot, meaning, pattern, plain, vector, words
from dryline.flow.model.kinds import kind_of, kind_of_question, read_values
from dryline.flow.model.number_words import read_bounds, said_number
from dryline.flow.model.questions import is_open_question, last_question, option_by_place, options_of
from dryline.flow.phrases import load

_WORD = re.compile(r"[^\W\d_][\w'-]*")


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
    """The condition that is met, if any. `candidates` are conditions of which one is met, where only that is clear."""

    index: int | None
    why: str
    sure: float
    candidates: tuple[int, ...] = ()


def understand(conditions: Sequence[str], said: str, context: Context) -> Understanding:
    """Return the condition that an utterance meets."""
    if not conditions or not any(encoder.stems(said)):
        return Understanding(None, "Nothing was said that a condition could be about.", 0.0)
    weights, least_share = encoder.load().fitted["weights"], encoder.load().fitted["least share"]
    rows = features_of(conditions, said, context)
    evidence = [{name: value * weights[name] for name, value in row.items()} for row in rows]
    scores = [sum(each.values()) for each in evidence]
    odds = [exp(score - max(scores)) for score in scores]
    *shares, none = (each / sum(odds) for each in odds)
    order = sorted(range(len(shares)), key=lambda index: -shares[index])
    best = order[0]
    if shares[best] >= least_share:
        fits = f"Of the {len(order)} conditions this one fits best" if len(order) > 1 else "The only condition fits"
        why = f"{fits}: {_reason(conditions[best], said, evidence[best])}."
        return Understanding(best, why, shares[best])
    catch_all = next((index for index in order if read_condition(conditions[index]).is_catch_all), None)
    is_tie = none < shares[best] and sum(shares[index] for index in order[:2]) >= least_share
    if is_tie and catch_all not in order[:2]:
        either = " and ".join(repr(conditions[index]) for index in order[:2])
        return Understanding(None, f"What was said fits {either} about as well.", 0.0, tuple(sorted(order[:2])))
    if catch_all is not None and 1 - none >= least_share:
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
    """A condition, and what it asks for: `kinds` are those of the values."""

    def __init__(self, text: str) -> None:
        text = plain(encoder.without_subject(text)).strip(" .")
        self.vector = vector(text)
        self.alternatives = [meaning(part) for part in encoder.alternatives(text)]
        near = encoder.near_intents(text)
        self.open_intents = {name: near[name] for name in words()["open intents"]}
        self.stems = frozenset(encoder.stems(text))
        self.sign = -1 if pattern("<negations>").search(text) else 1
        self.asks = bool(pattern("<asks>").match(text))
        self.bounds = read_bounds(text)
        self.is_else = bool(pattern("<else>").search(text))
        self.is_catch_all = bool(pattern("<catch all>").search(text))
        gives = pattern(r"(?:ha[sd] |is )?(?:already |just )?<gives>(?: us| you| the agent)? (.+)").match(text)
        self.gives = gives[1] if gives else None
        things = pattern("[,&]|<and>").split(self.gives) if self.gives else []
        labels = [pattern("(?:<articles> )+| <behind>.*").sub("", thing.strip()) for thing in things]
        self.is_matter = any(pattern("<matters>").fullmatch(label) for label in labels)
        is_value = any(each[0] == "_" for label in labels for each in encoder.features(label))
        self.kinds = [] if is_value else [kind_of(label, None) for label in labels if label]

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
        self.open_intents = {name: near.pop(name) for name in words()["open intents"]}
        self.matter = max(near.values())
        clauses = pattern(r"[.?!;,]+(?!\d)|<clause ends>").split(self.plain)
        self.clauses = [vector(clause) for clause in clauses if clause.strip()]
        denied = (pattern("<denies>(.*)").search(clause) for clause in clauses)
        self.denied = [meaning(each[1]) for each in denied if each]
        self.features = frozenset(encoder.features(text))
        self.unknown = frozenset(each for each in self.features if " " not in each and not encoder.load().knows(each))
        self.number = said_number(text)
        introduction = pattern("<introduces>").search(text.lower())
        self.introduced = text[introduction.end() :] if introduction else ""
        own = _WORD.findall(self.introduced or text)
        self.is_all_capital = len(own) > 1 and all(word[0].isupper() for word in own)
        known = (each for each in self.features - self.unknown if " " not in each and each[0] != "_")
        self.is_bare = all(pattern("<fillers>").fullmatch(each) for each in known)
        question = r"(?:<fillers>,? )*(?:<question words>|<question verbs>)|.*\?$"
        self.is_question = bool(pattern(question).match(self.plain))
        start = pattern(r"(?: <fillers>)* (?=.)").sub(" ", self.words, count=1)
        yes, no = ([f" {plain(each)} " for each in read_values()[name]] for name in ("yes", "no"))
        self.polarity = -1 if start.startswith(tuple(no)) else int(start.startswith(tuple(yes)))

    def has_value(self, kind: str, options: Sequence[str]) -> bool:
        """Return whether a value of a kind was said, or one of the options."""
        if kind == "name":
            return self._has_name()
        form, tokens = (words()[name].get(kind) for name in ("forms of kinds", "tokens of kinds"))
        if form and re.search(form, self.plain):
            return True
        if tokens:
            return not self.features.isdisjoint(tokens)
        return self._names([*options, *read_values()["classes"].get(kind, [])])

    def _names(self, things: Iterable[str]) -> bool:
        """Return whether one of the things was named, in the singular or the plural."""
        known = (re.escape(plain(thing).removesuffix("s")) for thing in things if thing)
        return any(re.search(rf" {thing}s? ", self.words) for thing in known)

    def _has_name(self) -> bool:
        """Return whether a name was said: capital or unknown words, alone or after an introduction."""
        text, most, read = (self.introduced, 9, 1) if self.introduced else (self.text, 4, 4)
        own = _WORD.findall(text.split(",")[0])
        own = [word for word in own if not pattern("<fillers>").fullmatch(plain(word))]
        is_new = all(word[0].isupper() or plain(word) in self.unknown for word in own[:read])
        return is_new and self.polarity == 0 and 0 < len(own) <= most


read_condition = lru_cache(maxsize=2_048)(ConditionReading)
hear = lru_cache(maxsize=256)(Heard)


def features_of(conditions: Sequence[str], said: str, context: Context) -> list[dict[str, float]]:
    """Return the features of each condition by name, and last those of none; those that are not there are 0."""
    menu = [read_condition(text) for text in conditions]
    heard, before = hear(said), hear(context.earlier)
    question, question_meaning = vector(context.question), meaning(context.question)
    polarity = 0 if is_open_question(context.question) else heard.polarity
    place = option_by_place(said, context.options)
    is_chosen, chosen = place is not None, vector(place) if place else None
    rows: list[dict[str, float]] = []
    for at, each in enumerate(menu):
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
                each, heard, before, context, is_returned=at == context.returned, is_chosen=is_chosen
            ),
        })  # fmt: skip
    meant = {name: max(each.open_intents[name] for each in menu) for name in heard.open_intents}
    near = max((near for name, near in heard.open_intents.items() if near > meant[name]), default=0.0)
    few_words = 0.0 if any(name[0] == "_" for name in heard.features) else 1 / (1 + len(heard.features))
    rows.append({
        "always": 1.0,
        "few words": few_words,
        "few conditions": 1 / len(menu),
        "question": heard.is_question,
        "open intent": near,
        "open intent beside an answer": abs(polarity) * near,
    })  # fmt: skip
    return rows


def _features_of_values(
    condition: ConditionReading, heard: Heard, before: Heard, context: Context, *, is_returned: bool, is_chosen: bool
) -> dict[str, float]:
    """Return the features of the values that a condition asks for; a block that returned asks for what it lacks."""
    options, kind_of_answer = context.options, kind_of_question(context.question)
    names_option = any(option in condition.gives for option in options) if condition.gives else False
    kinds = ([] if names_option else condition.kinds) or ([kind_of_answer or "text"] if is_returned else [])
    now = [is_chosen or heard.has_value(kind, options) for kind in kinds]
    then = [before.has_value(kind, options) for kind in kinds]
    if (any(now) and all(map(or_, now, then))) or (is_returned and context.is_answered):
        is_asked = kind_of_answer in kinds or is_returned
        is_name = kinds == ["name"] and heard.is_all_capital
        alone = {"value alone": heard.is_bare, "name alone": is_name}
        return {"value given": 1.0, "value that was asked for": is_asked, **alone}
    is_free = any(kind not in ("name", "address", *words()["tokens of kinds"]) for kind in kinds)
    return {"value missing": bool(kinds) and not any(now) and not is_free, "part missing": any(now)}
