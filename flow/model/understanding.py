"""The condition that what a caller says meets: one softmax over the conditions and none.

`tools/understanding/` fits the weights of the features, and the least share with which a condition is taken.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp
from operator import mul

from dryline.flow.model import encoder
from dryline.flow.model.bounds import read_bounds, said_number
from dryline.flow.model.encoder import dot, meaning, pattern, plain, vector, words
from dryline.flow.model.kinds import kind_of, kind_of_question, language_of, read_values
from dryline.flow.phrases import load

OF_CONDITION = (
    *("near", "nearest clause", "nearest alternative", "meaning", "meaning of an alternative", "denied clause"),
    *("yes or no", "value given", "value that was asked for", "value alone", "value missing", "part missing"),
    *("statement", "asks", "in bounds", "out of bounds", "option by its place", "option by a word", "rare words"),
    *("any matter", "anything else", "catch-all", "name alone"),
)
OF_NONE = ("always", "open intent", "open intent beside an answer", "question", "few words")


@dataclass(frozen=True, slots=True)
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
    fitted = encoder.load().fitted
    *rows, row_of_none = features_of(conditions, said, context)
    scores = [sum(map(mul, row, fitted["of condition"])) for row in rows]
    scores.append(sum(map(mul, row_of_none, fitted["of none"])))
    weights = [exp(score - max(scores)) for score in scores]
    *shares, none = (weight / sum(weights) for weight in weights)
    order = sorted(range(len(shares)), key=lambda index: -shares[index])
    best = order[0]
    if shares[best] >= fitted["least share"]:
        fits = f"Of the {len(order)} conditions this one fits best" if len(order) > 1 else "The only condition fits"
        why = f"{fits}: {_reason(conditions[best], said, list(map(mul, rows[best], fitted['of condition'])))}."
        return Understanding(best, why, shares[best])
    catch_all = next((index for index in order if read_condition(conditions[index], "en").is_catch_all), None)
    is_tie = none < shares[best] and sum(shares[index] for index in order[:2]) >= fitted["least share"]
    if is_tie and catch_all not in order[:2]:
        either = " and ".join(repr(conditions[index]) for index in order[:2])
        return Understanding(None, f"What was said fits {either} about as well.", 0.0, tuple(sorted(order[:2])))
    if catch_all is not None and 1 - none >= fitted["least share"]:
        why = f"No other condition is clearly meant. Nearest: {conditions[best]!r}."
        return Understanding(catch_all, why, shares[catch_all])
    return Understanding(None, f"No condition is clearly meant. Nearest: {conditions[best]!r}.", 0.0)


def _reason(condition: str, said: str, evidence: Sequence[float]) -> str:
    """Return what counts most for a condition: a value, an answer, or a phrase of the intent that both share."""
    share = dict(zip(OF_CONDITION, evidence, strict=True))
    named = share["value given"] + share["statement"] + share["in bounds"] + share["option by its place"]
    if max(named, share["yes or no"]) > share["near"] + share["nearest clause"] + share["meaning"]:
        return (
            "it names what the condition asks for" if named > share["yes or no"] else "it answers the agent's question"
        )
    language = language_of(f"{condition} {said}")
    shared = map(mul, meaning(said, language), meaning(encoder.without_subject(condition), language))
    intent = max(zip(shared, encoder.load().intents, strict=True))[1]
    phrases = [
        phrase for each in ("en", language) if (known := load(each).intents.get(intent)) for phrase in known.says
    ]
    heard = {*plain(said).split()}
    nearest = max(phrases, key=lambda text: len(heard & {*plain(text).split()}) / len(heard | {*plain(text).split()}))
    return f'it is close to "{nearest}"'


class ConditionReading:
    """A condition, and what it asks for: `kinds` are those of the values."""

    def __init__(self, text: str, language: str) -> None:
        text = plain(encoder.without_subject(text)).strip(" .")
        self.vector, self.meaning = vector(text, language), meaning(text, language)
        parts = [part for part in pattern("[,;/]|<or>").split(text) if part.strip()]
        self.parts = [(vector(part, language), meaning(part, language)) for part in parts]
        self.near_intents = encoder.near_intents(text, language)
        self.stems = frozenset(encoder.stems(text, language))
        self.is_negated = bool(pattern("<negations>").search(text))
        self.sign = -1 if self.is_negated else 1
        self.asks = bool(pattern("<asks>").match(text))
        self.bounds = read_bounds(text)
        self.is_else = bool(pattern("<else>").search(text))
        self.is_catch_all = bool(pattern("<catch all>").search(text))
        gives = pattern(r"(?:ha[sd] |is )?(?:already |just )?<gives>(?: us| you| the agent)? (.+)").match(text)
        self.gives = gives[1] if gives else None
        things = pattern("[,&]|<and>").split(self.gives) if self.gives else []
        labels = [pattern("(?:<articles> )+| <behind>.*").sub("", thing.strip()) for thing in things]
        self.is_matter = any(pattern("<matters>").fullmatch(label) for label in labels)
        is_value = any(each[0] == "_" for label in labels for each in encoder.features(label, language))
        self.kinds = (
            [] if is_value else [kind_of(label, None) for label in labels if label]
        )  # "picks Monday" needs that day

    def bounds_number(self, number: float | None) -> bool | None:
        """Return whether a number is within the bounds of the condition; None if there is nothing to compare."""
        return None if self.bounds is None or number is None else self.bounds[0] <= number <= self.bounds[1]


class Heard:
    """An utterance with its clauses, each with whether it is negated. `polarity` is 1 for a yes and -1 for a no."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.plain = text, plain(text).strip()
        self.words = " ".join(["", *re.findall(r"[a-z0-9']+", self.plain), ""])
        self.vector, self.meaning = vector(text, language), meaning(text, language)
        self.near_intents = encoder.near_intents(text, language)
        clauses = [clause for clause in pattern(r"[.?!;,]+(?!\d)|<clause ends>").split(self.plain) if clause.strip()]
        self.clauses = [(vector(each, language), bool(pattern("<negations>").search(each))) for each in clauses]
        self.features = frozenset(encoder.features(text, language))
        self.unknown = frozenset(each for each in self.features if " " not in each and not encoder.load().knows(each))
        names = text.strip(" .!,").split()
        self.is_name_alone = 0 < len(names) <= 4 and all(each[0].isupper() and each[-1] != "?" for each in names)
        self.number = said_number(text)
        known = (each for each in self.features - self.unknown if " " not in each and each[0] != "_")
        self.is_bare = all(pattern("<fillers>").fullmatch(each) for each in known)
        asks = pattern(r"(?:<fillers>,? )*(?:<question words>|<question verbs>)|.*\?$")
        self.is_question = bool(asks.match(self.plain))
        start = pattern(r"(?: <fillers>)* (?=.)").sub(" ", self.words, count=1)
        yes, no = ([f" {plain(each)} " for each in read_values(language)[name]] for name in ("yes", "no"))
        self.polarity = -1 if start.startswith(tuple(no)) else int(start.startswith(tuple(yes)))

    def names(self, things: Iterable[str]) -> bool:
        """Return whether one of the things was named, in the singular or the plural."""
        known = (re.escape(plain(thing).removesuffix("s")) for thing in things if thing)
        return any(re.search(rf" {thing}s? ", self.words) for thing in known)

    def has_value(self, kind: str, options: Sequence[str]) -> bool:
        """Return whether a value of a kind was said, or one of the options."""
        if kind == "name":
            introduction = pattern("<introduces>").search(self.text.lower())
            start, most, read = (introduction.end(), 9, 1) if introduction else (0, 4, 4)
            own = re.findall(r"[^\W\d_][\w'-]*", self.text[start:].split(",")[0])
            own = [word for word in own if not pattern("<fillers>").fullmatch(plain(word))]
            is_new = all(word[0].isupper() or plain(word) in self.unknown for word in own[:read])
            return is_new and self.polarity == 0 and 0 < len(own) <= most
        if kind == "zip" and re.search(r"\b\d{4,5}\b", self.plain):
            return True
        if kind in words()["tokens of kinds"]:
            return not self.features.isdisjoint(words()["tokens of kinds"][kind])
        if kind == "address":
            return re.search(r"\b\d{1,5} [a-z]{2,}", self.plain) is not None
        return self.names([*options, *read_values()["classes"].get(kind, [])])


read_condition = lru_cache(maxsize=2_048)(ConditionReading)
hear = lru_cache(maxsize=256)(Heard)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, each with its punctuation."""
    return re.split(r"(?<=[.!?])\s+", text.strip())


def last_question(agent: str) -> str:
    """Return the last question of a text, else its last sentence."""
    sentences = sentences_of(agent)
    return next((each for each in reversed(sentences) if each.endswith("?")), sentences[-1])


def is_open_question(question: str) -> bool:
    """Return whether a yes is no answer to a question: "What is the matter?"."""
    return pattern(r"(?:^|[,;:.!] )(?:<fillers>,? )*<question words>[^,:]*\?$").search(plain(question)) is not None


def options_of(agent: str) -> list[str]:
    """Return the options that the agent offers: "A cleaning, a check-up or a consultation?" has three."""
    offers = [each for each in sentences_of(plain(agent)) if pattern("<or>").search(each)]
    parts = [part.strip(" .?!") for part in pattern("[,;/]|<or>").split(offers[-1])] if offers else []
    offering = pattern(".*(?:<offers>|:) *(?=.)")
    start = max((at for at, part in enumerate(parts[:-1]) if offering.match(part)), default=0)
    options = [offering.sub("", parts[start]), *parts[start + 1 :]] if parts else []
    return [pattern("^(?:<articles> )+").sub("", option) for option in options if option]


def items_of(prompt: str) -> list[str]:
    """Return the things that a prompt lists: "Services: cleaning, filling" has two."""
    lists = pattern(r"<lists>\s?:\s*([^.]{3,300})").findall(plain(prompt))
    return [part.strip() for each in lists for part in pattern(r"[,;\n]|<and>|<or>").split(each) if part.strip()]


def _option_by_place(heard: Heard, options: Sequence[str]) -> str | None:
    for names, at in words()["places"].items():
        if re.search(rf"\b(?:{names})(?: one| option|,? please|\W*$)", heard.plain) and 2 <= len(options) > at:
            return options[at]
    return None


def _open_intent(heard: Heard, menu: Sequence[ConditionReading]) -> float:
    """Return the cosine with the nearest intent that is always open and that no condition means more."""
    meant = {name: max((each.near_intents[name] for each in menu), default=0.0) for name in words()["open intents"]}
    near = (heard.near_intents[name] for name, other in meant.items() if heard.near_intents[name] > other)
    return max(near, default=0.0)


def _is_free(kinds: Iterable[str]) -> bool:
    return any(kind not in ("name", "address", *words()["tokens of kinds"]) for kind in kinds)


def features_of(conditions: Sequence[str], said: str, context: Context) -> list[list[float]]:
    """Return the features of each condition (`OF_CONDITION`), and last those of none (`OF_NONE`)."""
    language = language_of(f"{context.prompt} {' '.join(conditions)} {said}")
    menu = [read_condition(text, language) for text in conditions]
    heard, before = hear(said, language), hear(context.earlier, language)
    question, offered = last_question(context.agent), options_of(context.agent)
    polarity = 0 if is_open_question(question) else heard.polarity
    options = [*offered, *items_of(context.prompt)]
    place = _option_by_place(heard, offered)
    by_place = [vector(place, language)] if place else []
    by_word = [vector(option, language) for option in offered if heard.names([option, *option.split()])]
    matter = max(near for name, near in heard.near_intents.items() if name not in words()["open intents"])
    rows = []
    for at, each in enumerate(menu):
        if each.is_catch_all:  # what it says is like nothing that a caller says
            rows.append([float(name == "catch-all") for name in OF_CONDITION])
            continue
        names_option = any(option in each.gives for option in offered) if each.gives else False
        kinds = ([] if names_option else each.kinds) or (
            [kind_of_question(question) or "text"] if at == context.returned else []
        )
        now = [place is not None or heard.has_value(kind, options) for kind in kinds]
        is_given = any(now) and all(
            new or before.has_value(kind, options) for kind, new in zip(kinds, now, strict=True)
        )
        is_given = is_given or (at == context.returned and context.is_answered)
        is_missing = bool(kinds) and not is_given
        near = dot(heard.vector, each.vector)
        clauses = [(dot(clause, each.vector), is_negated) for clause, is_negated in heard.clauses]
        others = frozenset[str]().union(*(other.stems for other in menu if other is not each))
        rows.append([
            near,
            max([near, *(value for value, _ in clauses)]),
            max((dot(heard.vector, part) for part, _ in each.parts), default=near),
            dot(heard.meaning, each.meaning),
            max((dot(heard.meaning, part) for _, part in each.parts), default=0.0),
            max((value for value, is_negated in clauses if is_negated != each.is_negated), default=0.0),
            polarity * each.sign * dot(vector(question, language), each.vector),
            float(is_given),
            float(is_given and (kind_of_question(question) in kinds or at == context.returned)),
            float(is_given and heard.is_bare),
            float(is_missing and not any(now) and not _is_free(kinds)),
            float(is_missing and any(now)),
            float(is_missing and _is_free(kinds) and not heard.is_question and heard.polarity == 0),
            float(each.asks) * (1 if heard.is_question else -1),
            float(each.bounds_number(heard.number) is True),
            float(each.bounds_number(heard.number) is False),
            max((dot(option, each.vector) for option in by_place), default=0.0),
            max((dot(option, each.vector) for option in by_word), default=0.0),
            float(len((each.stems - others) & heard.unknown)),
            matter * each.is_matter,
            matter * each.is_else,
            0.0,
            float(is_given and kinds == ["name"] and kind_of_question(question) == "name" and heard.is_name_alone),
        ])  # fmt: skip
    near = _open_intent(heard, menu)
    few_words = 0.0 if any(name[0] == "_" for name in heard.features) else 1 / (1 + len(heard.features))
    return [*rows, [1.0, near, abs(polarity) * near, float(heard.is_question), few_words]]
