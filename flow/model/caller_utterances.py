"""Utterances of simulated callers: for a condition that they meet, and for values that they give.

The words come from the phrase bank. A condition of no known intent is turned into the first person.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from random import Random

from dryline.flow.model import encoder
from dryline.flow.model.kinds import language_of, read_values
from dryline.flow.model.understanding import read_condition
from dryline.flow.phrases import SLOT, Intent, load

_CLOSES = re.compile(
    r"\b(?:nothing else|no more|no further|no other|done|finished|goodbye|bye|that is all|hangs? up"
    r"|end the (?:call|chat))\b",
    re.IGNORECASE,
)
_VERBS = {
    "wants": "want", "wishes": "wish", "needs": "need", "has": "have", "is": "am", "isn't": "am not", "was": "was",
    "asks": "would like to ask", "says": "would say", "agrees": "agree", "declines": "would rather not",
    "confirms": "confirm", "likes": "like", "does": "do", "doesn't": "don't", "requests": "would like",
    "mentions": "should mention", "reports": "have to report", "cannot": "can't", "can": "can", "would": "would",
    "thinks": "think", "understands": "understand", "accepts": "accept", "refuses": "don't want to",
}  # fmt: skip
_PAST = {
    "wants": "wanted", "needs": "needed", "has": "had", "is": "was", "says": "said", "thinks": "thought",
    "cannot": "could not", "can": "could", "would": "would", "will": "would", "does": "did", "doesn't": "did not",
    "gives": "gave", "sees": "saw", "understands": "understood", "forgot": "forgot", "gets": "got", "knows": "knew",
    "goes": "went", "comes": "came", "pays": "paid", "tells": "told", "feels": "felt", "declines": "declined",
    "agrees": "agreed", "confirms": "confirmed", "chooses": "chose", "picks": "picked", "wishes": "wished",
}  # fmt: skip
_PRONOUNS = {
    "their": "my", "theirs": "mine", "them": "me", "they": "I", "his": "my", "her": "my", "themselves": "myself",
}  # fmt: skip
# Words that keep their capital letter within a sentence, beside names.
_CAPITAL = frozenset(["i", "dr", "mr", "mrs", "ms", "english", "spanish", "german", "french"])
_MACHINE = re.compile(r"voice ?mail|answering machine", re.IGNORECASE)
_ANSWERS_AGENT = re.compile(r"(?:agree|confirm|decline)s\b", re.IGNORECASE)  # "confirms the day"
_ANSWERS = ("agree", "decline", "dont_know", "confirm_identity", "wait_a_moment")
_DECISIONS = ("keeps_it_after_all", "cannot_come_today", "doubts_it", "rather_money_back", "wants_replacement")
_CONTRADICTING = ("says_it_is_wrong", "rather_other_time", "corrects_number", "is_other_one")
_ENOUGH = 0.55  # of the cosine of a condition and an intent, for its phrases to be said
# Words that refer to what was said before: no call begins with them.
_REFERS_BACK = re.compile(
    r"^(?:yes|yeah|yep|no|nope|okay|sure|actually|and|so|then|never mind|forget|neither|let's|let me|not|right|alright"
    r"|he|she|they)\b|\b(?:that|it|its|them|those|these|then|there|instead|after all|otherwise|one of|else)\b",
    re.IGNORECASE,
)
_ENOUGH_OPENINGS = 4  # phrases
_BY_PHONE = re.compile(
    r"\b(?:call(?:ed|ing)? (?:about|because|to|you|for)|(?:hang|pick) up|on hold|operator|speaking|hear(?:ing)? you"
    r"|(?:put|patch) me through|connect me|transfer me|on the (?:line|phone))\b",
    re.IGNORECASE,
)
# Words of only a man or only a woman. The gender of a simulated caller's name is not known.
_OF_ONE_GENDER = re.compile(r"\b(?:this is s?he|talking to (?:him|her))\b", re.IGNORECASE)
# A yes-or-no question for a fact, and not an offer or a wish.
_FACT = re.compile(
    r"(?:is|are|was|were|does|do|did|has|have)\b(?!.*\b(?:want|like|okay|ok|work|suit|fine)\b).*\?$", re.IGNORECASE
)
_GREETINGS = ("Hi, ", "Hello, ", "Good morning, ", "Hi there, ", "Hey, ")
_GREETED = re.compile(r"(?:hi(?: there)?|hello|hey|good (?:morning|afternoon|day|evening))[,.!] ", re.IGNORECASE)


def utter(
    condition: str,
    facts: Mapping[str, str],
    random: Random,
    *,
    opening: bool,
    avoid: set[str],
    menu: tuple[str, ...] = (),
    agent_said: str = "",
    typed: bool = False,
) -> str:
    """Return words of somebody who meets the condition: a phrase of the intent nearest to it, else the first person.

    `menu` holds all open conditions, `facts` what is known about the caller, such as the name. `opening` asks for the
    first words of a conversation. Phrases in `avoid` are used again only if there are no others; the chosen one is
    added. In a chat (`typed`) nobody speaks of the call.
    """
    intent = _intent_of_alternative(condition, menu, random) or intent_of(condition, menu)
    phrases: Sequence[str] = [each for each in _phrases(intent, opening=opening) if _fits(each, facts, typed=typed)]
    if intent is None or not phrases:
        text = _in_first_person(condition)
        text = f"As I said, {lower_first(text)}" if text in avoid else text
        avoid.add(text)
        return text
    phrases = _answers_to_fact(intent, menu, agent_said) or phrases
    phrase = random.choice([phrase for phrase in phrases if phrase not in avoid] or phrases)
    avoid.add(phrase)
    text = SLOT.sub(lambda slot: facts[slot[1]], phrase)
    english = language_of_menu(menu or (condition,)) == "en"
    if opening and english and not _GREETED.match(text) and phrase not in intent.opens and random.random() < 0.6:
        text = random.choice(_GREETINGS) + lower_first(text, {word for fact in facts.values() for word in fact.split()})
    text = capitalized(text)
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _answers_to_fact(intent: Intent, menu: tuple[str, ...], agent_said: str) -> list[str]:
    """Return plain answers to a yes-or-no question for a fact ("Is it awake?"), to which no offer is agreed."""
    if intent.name not in ("agree", "decline") or language_of_menu(menu) != "en":  # in German "was" is another word
        return []
    is_fact = _FACT.match(re.split(r"(?<=[.!?]) ", agent_said)[-1])
    return list(read_values()["yes_says" if intent.name == "agree" else "no_says"]) if is_fact else []


def _fits(phrase: str, facts: Mapping[str, str], *, typed: bool) -> bool:
    """Return whether a caller with these facts can say a phrase; of two values of a kind they know one."""
    slots = SLOT.findall(phrase)
    is_known = facts.keys() >= set(slots) and len(set(slots)) == len(slots) and ":other}" not in phrase
    return is_known and not _OF_ONE_GENDER.search(phrase) and not (typed and _BY_PHONE.search(phrase))


def gives_value(condition: str) -> bool:
    """Return whether a condition is met by giving a value, such as "caller names a day"."""
    return read_condition(condition, language_of_menu((condition,))).gives is not None


def closes(condition: str) -> bool:
    """Return whether a condition ends a conversation that has come to its end, such as "caller needs nothing else"."""
    intent = intent_of(condition)
    return bool(_CLOSES.search(condition)) or (intent is not None and intent.name in ("goodbye", "finish_order"))


def meets_machine(condition: str) -> bool:
    """Return whether a condition is met by a voicemail or an answering machine."""
    return bool(_MACHINE.search(condition))


def contradicts(condition: str) -> bool:
    """Return whether a condition is met by a caller to whom something was read back wrongly."""
    intent = intent_of(condition)
    return intent is not None and intent.name in _CONTRADICTING


def answers_agent(condition: str) -> bool:
    """Return whether a condition is met by an answer, such as "caller agrees", and not by what a call is about."""
    intent = intent_of(condition)
    if _ANSWERS_AGENT.match(predicate(condition)):
        return True
    if intent is None or intent.opens or intent.name in _DECISIONS:
        return False
    return intent.subject == "answers" or intent.name in _ANSWERS


@lru_cache(maxsize=2_000)
def intent_of(condition: str, menu: tuple[str, ...] = ()) -> Intent | None:
    """Return the intent that a condition means, one that no other condition of its menu means more; None for none."""
    menu = menu if condition in menu else (condition,)
    return _best(condition, condition, menu)


def _best(text: str, condition: str, menu: tuple[str, ...]) -> Intent | None:
    """Return the intent that a condition, or an alternative of it, means more than others of the menu do."""
    language = language_of_menu(menu)
    intents = load(language).intents
    near, *others = (_near_intents(each, language) for each in (text, *(each for each in menu if each != condition)))
    near = {name: value for name, value in near.items() if name in intents}  # some are in English only
    own = {name: value for name, value in near.items() if all(other[name] < value for other in others)}
    name = max(own, key=lambda name: (round(own[name], 1), _rank(intents[name].subject), own[name]), default=None)
    return intents[name] if name is not None and own[name] >= _ENOUGH else None


def _rank(subject: str) -> int:
    """Return which of two intents that fit alike is meant: first what fits any trade."""
    return int(subject == "general")


@lru_cache(maxsize=2_000)
def _near_intents(text: str, language: str) -> dict[str, float]:
    return encoder.near_intents(encoder.without_subject(text), language, by_mean=True)


@lru_cache(maxsize=2_000)
def language_of_menu(menu: tuple[str, ...]) -> str:
    """Return the language of the conditions of a menu."""
    return language_of(" ".join(menu))


def _phrases(intent: Intent | None, *, opening: bool) -> tuple[str, ...]:
    if intent is None:
        return ()
    says = intent.says
    if not opening:
        return says
    if len(intent.opens) >= _ENOUGH_OPENINGS:
        return intent.opens
    openings = (*intent.opens, *(phrase for phrase in says if not _REFERS_BACK.search(phrase)))
    return openings if len(openings) >= _ENOUGH_OPENINGS else (*intent.opens, *says)


def predicate(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return encoder.without_subject(" ".join(condition.split()).rstrip("."))


def _intent_of_alternative(condition: str, menu: tuple[str, ...], random: Random) -> Intent | None:
    """Return an intent of one alternative of a condition, such as "asks for the address" of "hours or the address"."""
    menu = menu if condition in menu else (condition,)
    parts = [part for part in encoder.pattern("[,;/]|<or>").split(condition) if part.strip()]
    if len(parts) == 1:
        return None
    intents = [intent for part in parts if (intent := _best(part, condition, menu)) is not None]
    return random.choice(intents) if intents else None


def _in_first_person(condition: str) -> str:
    does = predicate(condition)
    is_of_caller = does != " ".join(condition.split()).rstrip(".")
    of_user = encoder.pattern(r"(?i)\bthe <people>(['\u2019]s\b)?")
    does = of_user.sub(lambda user: "my" if user[1] else "me", does)
    if not is_of_caller:
        return f"{capitalized(does)}."
    words: list[str] = []
    previous = "they"
    for word in does.split():
        lower = word.lower()
        verb = _VERBS.get(lower) if previous in ("they", "and", "or", "but", "who") else None
        if previous == "they":
            verb = "am" if lower == "are" else verb or (word if words else base(word))
        words.append(verb or _PRONOUNS.get(lower, word))
        previous = lower
    return f"I {' '.join(words)}."


def past_tense(condition: str) -> str:
    """Return what somebody did for whom the condition held, such as "wanted to book an appointment"."""
    does = predicate(condition)
    verb, _, rest = does.partition(" ")
    past = _PAST.get(verb.lower())
    if past is None and does != condition.strip(" .") and verb.endswith("s") and verb.isalpha():
        root = base(verb)
        past = root + ("d" if root.endswith("e") else "ed")
    return f"{past} {rest}".strip() if past else f"met the condition {does!r}"


def base(verb: str) -> str:
    """Return a verb in the third person as it stands behind "I"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "goes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def capitalized(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def lower_first(text: str, names: Collection[str] = ()) -> str:
    """Return a text that can stand behind other words. `names` and weekdays keep their capital letter."""
    first = re.split(r"[\s,.?!'\u2019]", text, maxsplit=1)[0]
    if first in names or first.lower() in _capital_words() or (not first[1:].islower() and len(first) > 1):
        return text
    return text[:1].lower() + text[1:]


@lru_cache(maxsize=1)
def _capital_words() -> frozenset[str]:
    values = read_values()
    return _CAPITAL.union(values["weekdays"], values["months"]) - {"may"}  # a verb more often than a month
