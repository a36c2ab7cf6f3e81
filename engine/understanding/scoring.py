"""Scores of how well an utterance satisfies each condition of a menu."""

from dataclasses import dataclass, field, replace

from dryline.engine.understanding.choices import chosen_condition, offered_options
from dryline.engine.understanding.conditions import ConditionPart
from dryline.engine.understanding.cues import tell_places_apart
from dryline.engine.understanding.dialogue_acts import ParsedUtterance
from dryline.engine.understanding.given_values import given, is_quoted, names_option, states_no_problem
from dryline.engine.understanding.lexicon import Lexicon
from dryline.engine.understanding.menus import Menu
from dryline.engine.understanding.options import options_of_prompt, options_of_question
from dryline.engine.understanding.profiles import Profile, similarity
from dryline.engine.understanding.yes_or_no import (
    answer_in_other_words,
    answers,
    intents_of_answers,
    last_question,
    named_alternatives,
    only_reports_step,
)
from dryline.flow.model.answers.numbers import said_number
from dryline.phrases import SLOT

_NEAR, _NEAR_EXACT, _FULL = 0.13, 0.5, 0.62  # phrases less near mean nothing, nearer ones mean the intent for certain
_BARE, _ANOTHER = 3, 0.7  # "Monday, please" to who asked whether Friday suits
_CLEARLY_NAMED = 0.8
_NAMES = "it names what the condition asks for"
_ITEM_NAMED = 0.8  # of an order with an item of the list in the prompt
_ANY_TRADE = ("general", "answers")
_ALWAYS_COMPETE = {"wrong_number", "small_talk", "wait_a_moment", "repeat", "thanks", "ask_robot", "confused"}
_AGREEMENTS = ("agree", "confirm_appointment", "confirms_visit")
_COURTESIES = {"thanks", "greeting"}
_QUOTED, _CHOSEN = 0.95, 0.95
_RIVAL_ALWAYS, _RIVAL, _MEANT_LITTLE = 1.0, 0.6, 0.3
_VERBATIM, _CLEARLY_NEARER = 0.85, 1.25  # a phrase of another intent, nearly word for word
# Of general conditions such as "explains their issue" and "has a question"; the most of a specific one beside them.
_MATTER, _QUESTION, _BESIDE_MATTER, _BESIDE_QUESTION = 0.72, 0.6, 0.3, 0.5
_TALK, _OTHERWISE, _CLEAR = 0.5, 0.45, 0.35  # "otherwise" holds where no condition is as clear as this
_NO_MATTER = _ALWAYS_COMPETE | {"want_person", "goodbye", "greeting", "dont_know"}
_LEAST_FITTING = 0.3  # of a claim to an intent whose cues count
_PROFILE_OF_CLAUSE = 0.9  # beside that of the whole utterance
_DENIES_OTHERWISE = 0.7  # of the similarity between a statement and its negation
_OVERLAP_SHARE, _OVERLAP_OF_ONE_WORD = 0.8, 0.55
_OVERLAP_POWER = 1.6  # one word of three says less than a third
_NAMED_ONLY = 0.4
_IN_BOUNDS, _OUT_OF_BOUNDS = 0.92, 0.2
_POLARITY = 0.4  # of an overlap between a statement and its negation
_CONTRADICTED = 0.4
_NEAR_VERBATIM = 0.7  # "that's it" ends a call although it is a yes, too
_UNWANTED, _NOT_WANTING = 0.3, ("not want", "not need", "not try", "not look", "not call", "not here", "not like")
_QUESTION_ASKED = 1.1
_WISH_ASKED = 0.9  # "do you have a table?" is a wish, "what do you charge?" is none
_MEASURES = (
    ("how", "long"),
    ("how", "much"),
    ("how", "many"),
    ("when", "be"),
)  # "how long does a cleaning take?" is no wish
_FACT_ASKED = 0.6  # of a condition of fact, when the utterance only asks
_STATED = 0.85  # of a condition that something is asked, when the utterance only states something


@dataclass(slots=True)
class Scores:
    """A score for each condition, the reason for it, and the best intent that no condition means."""

    values: list[float]
    reasons: list[str]
    nearness: list[float]  # of the phrases alone; tells two conditions apart that are both certain
    alike: list[float]  # the similarity of the profiles, 0 for a condition that a value satisfies
    rival: str | None = None
    rival_value: float = 0.0
    intents: dict[str, float] = field(default_factory=dict)
    is_named: bool = False  # a value was said that a condition asks for
    is_general: bool = False  # a condition is satisfied that any matter satisfies
    answers: frozenset[str] = frozenset()  # intents that answer the agent's question, if a condition takes the answer


@dataclass(frozen=True, slots=True)
class Context:
    """The conversation so far: the agent's last message, the prompt, and what the user said before, a line each."""

    agent: str
    prompt: str
    earlier: str


def intents_of(utterance: ParsedUtterance, lexicon: Lexicon) -> tuple[dict[str, float], dict[str, float]]:
    """Return how sure it is that an utterance means each intent, and how near its phrases are."""
    best: dict[str, float] = {}
    nears: dict[str, float] = {}
    clauses = utterance.clauses if len(utterance.clauses) > 1 else ()
    contradicts = len({clause.is_negated for clause in clauses}) > 1
    for clause in (utterance.whole, *clauses):
        weight = clause.weight * (1.0 if clause is utterance.whole else 0.95)
        if len(clause.stems) == 1 and clause is not utterance.whole:
            weight *= 0.6
        least = _NEAR_EXACT if contradicts and clause is utterance.whole else 0.0  # one clause denies what another says
        nearest = lexicon.utterances.nearest(
            list(clause.stems), is_negated=clause.is_negated, asks=clause.is_question or clause.is_request
        )
        for intent, near in nearest.items():
            if near < least:
                continue
            nears[intent] = max(nears.get(intent, 0.0), near * weight)
            if near > _NEAR:
                sure = weight * min(1.0, (near - _NEAR) / (_FULL - _NEAR))
                best[intent] = max(best.get(intent, 0.0), sure)
    return best, nears


def _add_cues(
    intents: dict[str, float], menu: Menu, utterance: ParsedUtterance, question: str, lexicon: Lexicon
) -> None:
    """Add what the cues of an utterance mean, except those of trades that menu and question have nothing to do with."""
    answers_to = frozenset[str]().union(*(intents_of_answers(question, lexicon) if question.endswith("?") else ()))
    for clause in utterance.clauses:
        for intent, clear in lexicon.cues.match(clause.stems).items():
            is_fitting = intent in answers_to or menu.best_claim(intent) >= _LEAST_FITTING
            if is_fitting or lexicon.intents[intent].subject in _ANY_TRADE:
                intents[intent] = max(intents.get(intent, 0.0), clear * clause.weight)


def _without_apparent(
    menu: Menu, utterance: ParsedUtterance, intents: dict[str, float], items: list[str]
) -> dict[str, float]:
    """Return the intents without those that the utterance only seems to mean beside another one."""
    intents = tell_places_apart(intents, utterance.text)
    # "I can't come on Monday, could we do Tuesday?" moves an appointment, and cancels none.
    can_move = menu.best_claim("reschedule") and menu.best_claim("cancel")
    if can_move and "cannot_come" in intents and _proposes_another_time(utterance):
        intents["reschedule"] = max(intents.get("reschedule", 0.0), intents.pop("cannot_come"))
        for intent in _AGREEMENTS:
            intents.pop(intent, None)
    if utterance.is_courtesy:
        return {intent: sure for intent, sure in intents.items() if intent in _COURTESIES}
    intents.pop("thanks", None)  # "the blue one, thanks" chooses the blue one
    # "Two tacos with no onions" orders tacos, and takes nothing off the order.
    if names_option(items, utterance.text) and intents.get("add_item", 0.0) >= intents.get("change_order", 0.0):
        intents["add_item"] = max(intents.get("add_item", 0.0), _ITEM_NAMED)
        intents.pop("change_order", None)
    return intents


def score(menu: Menu, utterance: ParsedUtterance, context: Context, lexicon: Lexicon) -> Scores:
    """Return the score of each condition."""
    intents, nears = intents_of(utterance, lexicon)
    question = last_question(context.agent)
    _add_cues(intents, menu, utterance, question, lexicon)
    denies = utterance.whole.is_negated
    if only_reports_step(utterance, question, intents) or (denies and _proposes_another_time(utterance)):
        utterance = replace(utterance, yes=0.0)
        intents.pop("agree", None)
    items = options_of_prompt(context.prompt)
    intents = _without_apparent(menu, utterance, intents, items)
    options = [*items, *options_of_question(question)]
    offered = offered_options(menu, context.agent, lexicon.vocabulary.ordinary)
    chosen = chosen_condition(offered, utterance.text) if offered and not utterance.whole.is_question else None
    is_mere_wish = states_no_problem(utterance.text, question)
    profiles = _profiles(utterance, lexicon)
    values, reasons, nearness, alike = [], [], [], []
    for index, parts in enumerate(menu.parts):
        by_words = max((_overlap(part, utterance, menu, lexicon) for part in parts), default=0.0)
        by_intent, intent = _intent_score(menu, index, intents)
        by_value = max((_value_score(part, utterance, context, question, options) for part in parts), default=0.0)
        if index in offered.values():
            by_value = _CHOSEN if index == chosen else 0.0
        quotes = [part.quote for part in parts if part.quote and not (part.affirms or part.denies)]
        by_quote = _QUOTED if any(is_quoted(quote, utterance.text) for quote in quotes) else 0.0
        content = 1 - (1 - by_intent) * (1 - _OVERLAP_SHARE * by_words)
        if parts[0].bounds and not by_value and said_number(utterance.text) is not None:
            content *= _OUT_OF_BOUNDS
        if is_mere_wish and parts[0].is_matter:  # "I need to fix my bike" tells no problem
            content *= _UNWANTED
        fits = _form(parts, utterance) * (_UNWANTED if _is_unwanted(parts[0], utterance, menu, lexicon) else 1.0)
        content *= fits
        polarity = 1.0 if parts[0].is_negated == denies else _DENIES_OTHERWISE
        resemblance = fits * polarity * max(weight * similarity(parts[0].profile, each) for weight, each in profiles)
        best = max(
            (content, _content_reason(by_intent, by_words, intent, utterance, lexicon)),
            (by_value, _NAMES),
            (by_quote, "it holds the quoted words"),
        )
        by_nearness = _intent_score(menu, index, nears)[0]
        nearness.append(by_nearness if best[0] == content else 1.0)
        alike.append(resemblance if best[0] == content else 0.0)
        values.append(best[0])
        reasons.append(best[1])
    scores = Scores(values, reasons, nearness, alike, intents=intents)
    scores.is_named = any(why == _NAMES and value >= _CLEARLY_NAMED for why, value in zip(reasons, values, strict=True))
    _add_answers(scores, menu, utterance, question, lexicon)
    _add_generic(scores, menu, utterance, is_mere_wish=is_mere_wish)
    alternatives = named_alternatives(menu, utterance.whole.stems, utterance.text, lexicon)
    for index in alternatives:  # "by card or online?" chooses neither
        scores.values[index] = max(scores.values[other] for other in alternatives)
        scores.nearness[index] = scores.alike[index] = 0.0
    if utterance.rest or not (utterance.yes or utterance.no):  # a bare yes means nothing else
        _find_rival(scores, menu, nears)
    return scores


def _profiles(utterance: ParsedUtterance, lexicon: Lexicon) -> list[tuple[float, Profile]]:
    """Return the profile of an utterance and those of its clauses, each with its weight."""
    clauses = utterance.clauses if len(utterance.clauses) > 1 else ()
    parts = [(1.0, utterance.whole), *((_PROFILE_OF_CLAUSE * clause.weight, clause) for clause in clauses)]
    return [(weight, lexicon.profiles.of(list(clause.stems))) for weight, clause in parts]


def _proposes_another_time(utterance: ParsedUtterance) -> bool:
    """Return whether a clause proposes a day or a time: "could we do Tuesday?", "but Friday works"."""
    clauses = [
        clause
        for clause in utterance.clauses
        if clause.is_question or clause.is_request or (utterance.whole.is_negated and not clause.is_negated)
    ]
    return any({"_day", "_date", "_time", "another", "later", "instead"} & set(clause.stems) for clause in clauses)


def _value_score(
    part: ConditionPart, utterance: ParsedUtterance, context: Context, question: str, options: list[str]
) -> float:
    if part.bounds and (number := said_number(utterance.text)) is not None:
        return _IN_BOUNDS if part.bounds[0] <= number <= part.bounds[1] else 0.0
    if part.gives and not utterance.is_courtesy:
        return given(part.gives, utterance, context.earlier, question, options)
    if part.moves and len(utterance.whole.stems) <= _BARE:
        return _ANOTHER * max(given(kind, utterance, "", question, []) for kind in ("day", "time"))
    return 0.0


def _content_reason(
    by_intent: float, by_words: float, intent: str | None, utterance: ParsedUtterance, lexicon: Lexicon
) -> str:
    if by_intent >= by_words and by_intent >= _CLEAR and intent:
        phrase = lexicon.utterances.nearest_of(intent, list(utterance.whole.stems))
        return f'it is close to "{SLOT.sub("…", phrase.rstrip(".!"))}"' if phrase else "callers say it in such words"
    return "it has the condition's own words"


def _intent_score(menu: Menu, index: int, intents: dict[str, float]) -> tuple[float, str | None]:
    best, name = 0.0, None
    for intent, sure in intents.items():
        value = sure * menu.shares[index].get(intent, 0.0)
        if value > best:
            best, name = value, intent
    return best, name


def _overlap(part: ConditionPart, utterance: ParsedUtterance, menu: Menu, lexicon: Lexicon) -> float:
    """Return how much of a condition's own words was said, in a clause that agrees with it in what it denies."""
    best = 0.0
    for clause in (utterance.whole, *utterance.clauses):
        cover = lexicon.coverage(part.words, clause.stems, menu.word_weights) ** _OVERLAP_POWER
        if clause.is_negated != part.is_negated and not part.asks:
            cover *= _POLARITY
        best = max(best, cover * clause.weight)
    if part.gives:  # to say "phone" is not to give a number
        return best * _NAMED_ONLY
    if best and len(part.words) == 1:
        others = [stem for stem in lexicon.vocabulary.content(utterance.whole.stems) if stem not in part.words]
        best *= _OVERLAP_OF_ONE_WORD if others else 0.95
    return best


def _is_unwanted(part: ConditionPart, utterance: ParsedUtterance, menu: Menu, lexicon: Lexicon) -> bool:
    """Return whether the user says that they do not want to do what a condition names."""
    if part.is_negated or part.denies:
        return False
    for clause in utterance.clauses:
        before, _, wish = " ".join(clause.stems).partition(" to ")
        if clause.is_negated and wish and before.endswith(_NOT_WANTING):
            return lexicon.coverage(part.words, tuple(wish.split()), menu.word_weights) >= 0.6
    return False


def _form(parts: list[ConditionPart], utterance: ParsedUtterance) -> float:
    """Return how well the form of the utterance fits: somebody who asks whether it rains does not report rain."""
    whole = parts[0]
    only_asks = utterance.whole.is_question and all(clause.is_question for clause in utterance.clauses)
    if only_asks and whole.asks:
        return _QUESTION_ASKED
    if only_asks and not (whole.asks or whole.gives or whole.asks_anything):
        asks_measure = not set(_MEASURES).isdisjoint(
            zip(utterance.whole.stems, utterance.whole.stems[1:], strict=False)
        )
        return _WISH_ASKED if whole.wants and not asks_measure else _FACT_ASKED
    asks = any(clause.is_question or clause.is_request for clause in (utterance.whole, *utterance.clauses))
    return _STATED if whole.asks and not asks else 1.0


def _add_answers(scores: Scores, menu: Menu, utterance: ParsedUtterance, question: str, lexicon: Lexicon) -> None:
    """Add what a yes or a no means, and lower the conditions that say the opposite."""
    yes, no = answer_in_other_words(utterance, question, scores.intents, lexicon)
    utterance = replace(utterance, yes=yes, no=no)
    if not (yes or no):
        return
    said = "yes" if utterance.yes >= utterance.no else "no"
    best = max(scores.values, default=0.0)
    for index, (value, is_opposite) in enumerate(answers(menu, utterance, question, best, lexicon)):
        if value > scores.values[index]:
            scores.values[index], scores.reasons[index] = value, f"the user said {said} to what the agent asked"
            scores.answers = frozenset[str]().union(*intents_of_answers(question, lexicon))
        elif is_opposite and scores.nearness[index] < _NEAR_VERBATIM:
            scores.values[index] *= _CONTRADICTED


def _add_generic(scores: Scores, menu: Menu, utterance: ParsedUtterance, *, is_mere_wish: bool) -> None:
    """Add conditions that any question satisfies, or anything that is said; a mere wish states no problem."""
    best = max(scores.values, default=0.0)
    for index, parts in enumerate(menu.parts):
        value = 0.0
        if _is_best_as_general(index, parts[0], scores, utterance) and not (is_mere_wish and parts[0].is_matter):
            value, scores.is_general = _MATTER, True
        elif any(part.asks_anything for part in parts) and utterance.whole.is_question:
            value = _QUESTION
        elif any(part.talks for part in parts):
            value, scores.is_general = _TALK, True
        elif any(part.is_otherwise for part in parts) and best < _CLEAR:
            value = _OTHERWISE
        if value > scores.values[index]:
            scores.values[index], scores.reasons[index] = value, "the condition is a general one"


def _is_best_as_general(index: int, part: ConditionPart, scores: Scores, utterance: ParsedUtterance) -> bool:
    """Return whether a condition is a general one that the utterance satisfies, and no specific condition is likely."""
    if not (part.is_matter or part.asks_anything) or not _is_matter(part, scores, utterance):
        return False
    others = max((value for other, value in enumerate(scores.values) if other != index), default=0.0)
    return others < (_BESIDE_QUESTION if part.asks_anything else _BESIDE_MATTER)


def _is_matter(part: ConditionPart, scores: Scores, utterance: ParsedUtterance) -> bool:
    """Return whether an utterance is about something, and for "has a question" also asks."""
    if (
        utterance.is_courtesy
        or len(utterance.whole.stems) < 3
        or (part.asks_anything and not utterance.whole.is_question)
    ):
        return False
    likely = max(scores.intents, key=scores.intents.__getitem__, default=None)
    return likely not in _NO_MATTER and not utterance.no and not (utterance.yes and not utterance.rest)


def _find_rival(scores: Scores, menu: Menu, nears: dict[str, float]) -> None:
    """Find the surest intent that no condition means: it may be why none is to be taken."""
    meant = {name for name in scores.intents if any(share.get(name, 0.0) >= _MEANT_LITTLE for share in menu.shares)}
    nearest = max((nears[name] for name in meant & nears.keys()), default=0.0)
    for intent, sure in scores.intents.items():
        if intent in meant or intent in scores.answers or (scores.is_general and intent not in _NO_MATTER):
            continue  # whatever was meant, it is a matter or a question
        always = intent in _ALWAYS_COMPETE
        is_verbatim = nears.get(intent, 0.0) >= max(_VERBATIM, _CLEARLY_NEARER * nearest) and not scores.is_named
        value = sure * (_RIVAL_ALWAYS if always or is_verbatim else _RIVAL)
        if value > scores.rival_value:
            scores.rival, scores.rival_value = intent, value
