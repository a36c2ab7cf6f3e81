"""The conditions of a menu as options that the agent offers: "book or move an appointment, or talk to a person"."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dryline.engine.caller_utterances import base, closes, meets_machine, predicate
from dryline.engine.questions import as_agent

_MOST = 6  # options that a listener can keep in mind
_LONGEST = 70  # characters of an option
_ACTIONS = (
    "add|adjust|apply|arrange|book|buy|cancel|change|check|choose|close|complain|compare|confirm|correct|describe|dispute"
    "|download|enroll|explain|extend|file|get|go|join|keep|leave|make|move|name|open|order|pay|pick|place|register"
    "|remove|renew|rent|reorder|repeat|replace|report|rebook|reschedule|reserve|reset|return|schedule|select|sell|send"
    "|set|sign|spell|start|stop|submit|switch|talk|speak|track|try|update|upgrade|use|verify|visit"
)
_PERSON = re.compile(
    r"^(?:(?:an?|the|some|real|live|another) )*(?:person|human|human being|agent|somebody|someone|operator|manager"
    r"|representative|supervisor|colleague|advisor|specialist)\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"^(?:nothing|none|neither|no|not|nichts|nada|kein\w*|ning[uú]n\w*)\b", re.IGNORECASE)
_WANTS = r"(?:wants|would like|asks|needs|requests)"
_QUESTION_WORDS = "how|what|when|where|whether|which|who|why|if"
_HAS_QUESTION = r"has (?:an? |any |more |some |other |general |another )*questions?"
# Predicates of English conditions and what the caller can do, the first one that fits.
_CAN = tuple(
    (re.compile(rf"^{pattern}$", re.IGNORECASE), option)
    for pattern, option in (
        (r"(?:agrees|accepts|consents|confirms|confirms it|says yes|answers yes)", "say yes"),
        (r"(?:declines|refuses|disagrees|says no|answers no)", "say no"),
        (rf"{_WANTS} to (?:know|ask|hear|find out) (?P<rest>(?:about|{_QUESTION_WORDS})\b.+)", "ask {}"),
        (rf"{_WANTS} to (?:know|hear|find out) (?P<rest>.+)", "ask about {}"),
        (rf"{_WANTS} to be (?:transferred|connected|put through)(?: to (?P<rest>.+))?", "talk to {}"),
        (rf"{_WANTS} to be (?P<rest>.+)", "ask to be {}"),
        (rf"(?:{_WANTS}|wishes|calls|is calling|is trying|tries|is looking|prefers|hopes) to (?P<rest>.+)", "{}"),
        (r"would rather (?P<rest>.+)", "{}"),
        (
            r"(?:wants|needs|requests|requires|would like|prefers|is looking for|looks for|asks for) (?P<rest>.+)",
            "ask for {}",
        ),
        (rf"(?:asks|inquires|enquires|wonders|{_HAS_QUESTION}) (?P<rest>(?:about|{_QUESTION_WORDS})\b.+)", "ask {}"),
        (rf"(?:asks a question|{_HAS_QUESTION})", "ask a question"),
        (r"(?:gives|provides|shares|has given|has provided) (?P<rest>.+)", "give me {}"),
        (r"(?:says|mentions|tells you|states) (?P<rest>(?:that|what|which|when|where|how)\b.+)", "tell me {}"),
    )
)
_ACTS = re.compile(rf"^(?P<verb>\w+s) (?P<rest>.+)$|^(?:has )?(?P<alone>{_ACTIONS})s$", re.IGNORECASE)
# A trouble or a situation that people call about. "Has given a name" and "is the right person" are none.
_STATE = re.compile(
    r"^(?:cannot|can't|does not|doesn't|forgot|has forgotten|lost|has lost|thinks|feels|suspects)\b"
    r"(?! (?:want|have time|agree|need|know)\b)"
    r"|^has (?:an? |no |some |slow |bad )(?!time\b|question|objection)"
    r"|^is (?:in|moving|unable|locked|missing|waiting|stuck|without|having|being|late|ill|sick|worried|unhappy"
    r"|angry)\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\s*(?:[(;:]|,? (?:such as|e\.g\.|for example)\b|,? and (?:you|the agent)\b|, but\b"
    r"|,? (?:or|and) (?:is|are|has|does|asks|says|needs|wants|was|no longer|they|the (?:caller|customer|user))\b).*",
    re.DOTALL,
)
_EITHER = re.compile(r"^(\w+) or (?:wants|needs|requests|asks)\b", re.IGNORECASE)
# Options with a verb and a thing: those with the same thing are joined.
_DETERMINED = {
    "en": re.compile(r"^(?P<verb>[a-z]+) (?:an?|the|your|my) (?P<object>.+)$"),
    "de": re.compile(r"^(?:einen?|ein|den|die|das|Ihren?|Ihr) (?P<object>[A-ZÄÖÜ]\w+) (?P<verb>[a-zäöüß]+)$"),
    "es": re.compile(r"^(?P<verb>[a-zé]+) (?:una?|la|el|su) (?P<object>.+)$"),
}
_GERMAN_SUBJECT = re.compile(
    r"^(?:(?:der|die|das|ein|eine) )?(?:anrufer(?:in)?|kunde|kundin|patient(?:in)?|nutzer(?:in)?|gast|mieter(?:in)?"
    r"|besucher(?:in)?|person|er|sie) ",
    re.IGNORECASE,
)
_SPANISH_SUBJECT = re.compile(
    r"^(?:(?:el|la|un|una) )?(?:cliente|clienta|usuari[oa]|paciente|persona|llamante|contacto|hu[eé]sped) ",
    re.IGNORECASE,
)
_FOREIGN = {
    "de": (
        _GERMAN_SUBJECT,
        (
            (r"(?:möchte|will) (?P<rest>(?:.+ )?(?-i:[a-zäöüß]+(?:en|ern|eln|tun)))", "{}"),
            (
                r"(?:möchte|will|verlangt) (?:einen|eine) (?:mensch|mitarbeiter|person)\w*",
                "mit einem Menschen sprechen",
            ),
            (r"(?:möchte|will|braucht) (?P<rest>.+)", "um {} bitten"),
            (r"fragt (?P<rest>nach .+)", "{} fragen"),
            (r"nennt (?P<rest>.+)", "{} nennen"),
            (r"(?:sagt ja|stimmt zu|bestätigt)", "ja sagen"),
            (r"(?:sagt nein|lehnt ab)", "nein sagen"),
        ),
    ),
    "es": (
        _SPANISH_SUBJECT,
        (
            (r"(?:quiere|desea|necesita|quisiera) (?P<rest>\w+(?:ar|er|ir)(?:se|lo|la)?\b.*)", "{}"),
            (r"(?:quiere|desea|necesita|pide) (?P<rest>.+)", "pedir {}"),
            (r"pregunta (?P<rest>.+)", "preguntar {}"),
            (r"(?:da|indica) (?P<rest>.+)", "dar {}"),
            (r"elige (?P<rest>.+)", "elegir {}"),
            (r"(?:dice que sí|acepta|confirma)", "decir sí"),
            (r"(?:dice que no|rechaza)", "decir no"),
        ),
    ),
}
_OR = {"en": "or", "de": "oder", "es": "o"}
_ANSWERS = {"say yes", "say no", "ja sagen", "nein sagen", "decir sí", "decir no"}
_GIVING = re.compile(r"^(?:give me|name|choose|select|pick|describe|spell|tell me|dar|elegir) |nennen$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class MenuOptions:
    """The options of a menu in words: things that callers can do (`actions`), troubles that they may have (`states`).

    Empty where there is nothing to name. `count` is the number of both. `is_yes_or_no` is true if a yes or a no is all
    that can be said.
    """

    actions: str
    states: str
    count: int
    is_yes_or_no: bool


@lru_cache(256)
def options_of_menu(conditions: tuple[str, ...], language: str) -> MenuOptions:
    """Return the options of a menu. Conditions that cannot be put into words are left out."""
    texts = [" ".join(text.split()).rstrip(".") for text in conditions]
    texts = [text for text in texts if not closes(text) and not meets_machine(text)]
    actions = _distinct(_action(text, language) for text in texts)
    states = _distinct(_state(text) for text in texts if language == "en")
    if len(actions) == 2 and set(actions) <= _ANSWERS:
        return MenuOptions("", "", 0, is_yes_or_no=True)
    actions = [action for action in actions if action not in _ANSWERS]
    if all(_GIVING.search(action) for action in actions):
        actions = []  # the agent's question says as much
    return MenuOptions(
        _in_words(_merged(actions, language), language),
        _in_words(states, language),
        len(actions) + len(states),
        is_yes_or_no=False,
    )


def _distinct(options: Iterable[str | None]) -> list[str]:
    short = [option for option in options if option and len(option) <= _LONGEST]
    return list(dict.fromkeys(short))[:_MOST]


def _action(condition: str, language: str) -> str | None:
    """Return a condition as something that the caller can do: "wants to pay a bill" is "pay a bill"."""
    if language in _FOREIGN:
        return _foreign_action(condition, language)
    does = _predicate_in_short(condition)
    if does is None:
        return None
    for pattern, option in _CAN:
        if match := pattern.match(does):
            rest = (match.groupdict().get("rest") or "") if "{}" in option else ""
            if "{}" not in option:
                return option
            if option == "ask for {}" and _PERSON.match(rest):
                option = "talk to {}"
            rest = rest or "a person"
            return None if _NOTHING.match(rest) else option.format(_as_agent(rest))
    if match := _ACTS.match(does):
        verb = base((match["verb"] or f"{match['alone']}s").lower())
        rest = match["rest"] or ""
        if re.fullmatch(_ACTIONS, verb) and not _NOTHING.match(rest):
            return f"{verb} {_as_agent(rest)}".strip()
    return None


def _state(condition: str) -> str | None:
    """Return a condition as a state of the caller: "has no internet connection" is "have no internet connection"."""
    does = _predicate_in_short(condition)
    if does is None or not _STATE.match(does) or _action(condition, "en") is not None:
        return None
    return _as_agent(f"the caller {does}").removeprefix("you ")


def _predicate_in_short(condition: str) -> str | None:
    """Return what an English condition says of the caller, without asides; None if it is about something else."""
    does = predicate(condition)
    return None if does == condition else _ASIDE.sub("", _EITHER.sub(r"\1", does)).strip(" ,.")


def _as_agent(words: str) -> str:
    return as_agent(words).strip()


def _foreign_action(condition: str, language: str) -> str | None:
    subject, patterns = _FOREIGN[language]
    does, count = subject.subn("", condition)
    for pattern, option in patterns if count else ():
        if match := re.fullmatch(pattern, does, re.IGNORECASE):
            rest = match.groupdict().get("rest") or ""
            if _NOTHING.match(rest):
                return None
            return option.format(re.sub(r"\b(?:sein|ihr)(e[nmrs]?)?\b", r"Ihr\1", rest) if language == "de" else rest)
    return None


def _merged(options: list[str], language: str) -> list[str]:
    """Return options with those joined that have the same object: "book or move an appointment"."""
    verbs: dict[str, list[str]] = {}
    firsts: dict[str, str] = {}
    for option in options:
        match = _DETERMINED[language].match(option)
        key = match["object"] if match else option
        verbs.setdefault(key, []).append(match["verb"] if match else "")
        firsts.setdefault(key, option)
    return [
        firsts[key] if len(of_object) == 1 else firsts[key].replace(of_object[0], _in_words(of_object, language), 1)
        for key, of_object in verbs.items()
    ]


def _in_words(options: list[str], language: str) -> str:
    """Return a list in words, with a comma before the last option where the others have an "or" of their own."""
    last = options[-1] if options else ""
    if len(options) < 2:
        return last
    word = _OR[language]
    comma = "," if any(re.search(rf",| {word} ", option) for option in options) else ""
    return f"{', '.join(options[:-1])}{comma} {word} {last}"
