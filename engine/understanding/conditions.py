"""A condition: the parts that `or` separates, the intents that each of them means, and what it demands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from dryline.engine.understanding.lexicon import NEGATION, Lexicon, lexicon
from dryline.engine.understanding.profiles import Profile
from dryline.engine.understanding.words import MAX_LENGTH, plain
from dryline.flow.model.answers.numbers import Bounds, read_bounds

_PARTS = 12
_LEAST_CLAIM, _FULL_CLAIM = 0.36, 0.72
_ANY_PERSON, _ANSWER = 0.85, 0.7
_WEAKER_PART = 0.9  # a part counts a little less than the whole condition
OTHER_TRADE = 0.7
_NEXT_CLAIMS = 0.76  # of the best one: further intents that a condition means
_SAYS = r"(?:answers?|answered|says?|said|replies|responds?) (?:with )?"
_AFFIRMS = re.compile(
    rf"\b(?:{_SAYS}yes|agree[sd]?|accept(?:s|ed)?|confirm(?:s|ed)?|approve[sd]?|consents?|affirms?|can make it"
    r"|(?:is|are|was) (?:all |still )?(?:correct|right)|goes ahead"
    r"|is (?:still )?(?:interested|willing|happy|fine|okay)|wants? to (?:proceed|continue|go ahead)"
    r"|acepta|confirma|dice que si|stimmt zu|bestatigt|sagt ja)\b"
)
_DENIES = re.compile(
    rf"\b(?:{_SAYS}no\b|declin\w+|refus\w+|reject\w+|den(?:y|ies|ied)|disagrees?"
    r"|(?:not|no longer|never|isn't|doesn't) (?:\w+ )?(?:interested|want|agree|accept|confirm|satisfied|correct|right"
    r"|happy|available|come|make|attend|need)"
    r"|lehnt ab|sagt nein|rechaza|dice que no|no quiere)\b"
)
_REFUSES = re.compile(
    rf"\b(?:{_SAYS}no\b|declin\w+|refus\w+|reject\w+|disagrees?|(?:not|n't) (?:want|agree|accept)|lehnt ab|rechaza)\b"
)
_QUOTE = re.compile(r"[\"“”«»]([^\"“”«»]{2,200})[\"“”«»]")
_AGENT_DOES = re.compile(r",? and (?:you|the agent|the assistant) (?:have|has|had)\b.*")
_SPLIT = re.compile(r"\bor\b|[,;/|]|\boder\b|\bo\b(?= [a-z])")
_GIVING = (
    r"giv(?:es?|en|ing)|gave|provid(?:es?|ed|ing)|nam(?:es?|ed)|stat(?:es?|ed)|tells?|told|shar(?:es?|ed)"
    r"|mention(?:s|ed)?|specif(?:y|ies|ied)|enter(?:s|ed)?|cho(?:oses?|se|sen)|picks?(?:ed)?(?! up)|select(?:s|ed)?"
    r"|answer(?:s|ed)?(?: with)?|spell(?:s|ed)?|suppl(?:y|ies|ied)|identif(?:y|ies|ied)|describ(?:es?|ed)"
    r"|correct(?:s|ed)(?= (?:an?|the|his|her|their) (?:\w+ )?(?:number|code|id|name|address|e-?mail)\b)"
    r"|nennt|wahlt|nombra|da|elige|indica|proporciona|explain(?:s|ed)?|confirms?(?:ed)?(?= (?:his|her|their) )"
    r"|wants to (?:give|choose|pick(?! up)|select)"
    r"|(?:says?|said)(?= (?:a|an|the|his|her|their|which|what|when|how many|how much) )"
)
_GIVES = re.compile(
    rf"^(?:has |have |had |is )?(?:already |just )?(?:{_GIVING})(?: and (?:{_GIVING}))?(?: us| you| the agent| me)?"
    r" (?P<object>.+)"
)
_CONFIRMS = re.compile(r"^(?:has |have |had )?(?:already |just )?confirm")
_ANOTHER_TIME = re.compile(r"\b(?:another|different|new|other|better) (?:day|date|time|slot)\b")
_STATES = re.compile(r"\b(?:is|are|was|were|has|have|does|did)\b")  # "says the price is too high" gives no value
_WHICH_IT_IS = re.compile(
    r"(?:which|what)(?: kind of| type of)? (?P<thing>\w+(?: \w+)?) (?:it|this|that|they) (?:is|are|was)$"
)
_TROUBLE = re.compile(r"what (?:exactly )?(?:is|was|went|has gone|seems|is going) (?:wrong|broken|the matter)\b")
_SOME = r"(?:a |another |any |general |some |other |different )*"
_ASKS = re.compile(
    r"^(?:(?:asks?|asked)(?! (?:for|to|not)\b)|inquires?|enquires?|wonders?"
    r"|(?:wants?|would like) to (?:know|ask|hear|find out)"
    rf"|(?:has|have) {_SOME}(?:questions?|inquiry)|pregunta|fragt)\b"
)
_WANTS = re.compile(
    r"^(?:wants?|needs?|would like|wishes|requests?|requires?|prefers?|looks? for|is looking|tries|calls? to"
    r"|asks? (?:for|to)|quiere|mochte|moechte|necesita|braucht)\b"
)
_WANTS_TALK = re.compile(r"\b(?:speak|talk|chat|be (?:connected|transferred|put through)) (?:to|with)\b")
_ASKS_ABOUT = re.compile(r"(?:asks?|has (?:a )?questions?|wants to know) about ")
_CHANGES = re.compile(r"(?:wants|needs) to (?:change|update|move|correct)\b")
_THING = re.compile(r"(?:(?:an?|the|his|her|their|its) )?\w+(?: \w+)?")
_VERB = re.compile(
    r"(?:wants?|needs?|asks?|says?|has|have|is|are|does|cannot|will|would|gives?|reports?|calls?|agrees?)\b"
)
_QUESTION_ONLY = re.compile(
    rf"^(?:asks?|has|have|wants? to ask) {_SOME}(?:questions?|something|inquiry)(?: else)?$"
    r"|^asks$|^(?:has|have) questions$"
)
_OTHERWISE = re.compile(
    r"^(?:(?:says?|wants?|asks?(?: for| about)?|needs?|has) )?(?:anything|something|everything) else"
    r"|^(?:any )?other(?:wise| (?:request|topic|question|reason|inquir\w+)s?)?$|^none of (?:the above|these)"
    r"|^anything(?: at all)?$|^else$|^default$"
)
# A condition that anything satisfies which somebody calls for: "has explained their issue".
_MATTER = re.compile(
    rf"^(?:has |have )?(?:already |just )?(?:{_GIVING}|rais(?:es?|ed)|express(?:es|ed)?|report(?:s|ed)?"
    r"|present(?:s|ed)?)(?: us| you| the agent)?(?: about)? "
    r"(?:an? |the |his |her |their |what )?(?:valid |specific |main |initial )?"
    r"(?:issue|problem|need|reason|request|concern|inquiry|situation|purpose|matter|question)s?"
    r"(?: or (?:problem|issue|need)s?| for (?:the|their) call(?:ing)?| (?:they|he|she) (?:have|has))?$"
)
_TALKS = re.compile(
    r"^(?:says?|talks?|speaks?|answers?|responds?|replies) ?(?:something|anything|at all)?$"
    rf"|^(?:has |have )?(?:{_GIVING}) (?:an? |their |his |her |any )?(?:response|answer|reply|feedback|comment)s?$"
)


@dataclass(frozen=True, slots=True)
class ConditionPart:
    """One of the alternatives of a condition."""

    text: str
    stems: tuple[str, ...]
    words: tuple[str, ...]  # the stems that carry the meaning
    claims: dict[str, float]  # how much the part means each intent
    profile: Profile  # of the whole condition only
    gives: str | None  # the thing that has to be named, as in "gives their name"
    moves: bool  # another day or time is needed, so that a bare "Monday" satisfies it
    bounds: Bounds | None  # of the number that has to be named, as in "is over 18"
    quote: str | None
    affirms: bool
    denies: bool
    is_negated: bool
    asks: bool
    wants: bool
    asks_anything: bool
    is_matter: bool
    is_otherwise: bool
    talks: bool


@lru_cache(maxsize=2_048)
def read_condition(condition: str, language: str) -> list[ConditionPart]:
    """Return the parts of a condition, the whole of it first."""
    text = plain(condition[:MAX_LENGTH]).replace("_", " ").strip(" .")
    quotes = [quote[1] for quote in _QUOTE.finditer(text)]
    text = _AGENT_DOES.sub("", _QUOTE.sub("it", text))
    lexicon_ = lexicon(language)
    whole = _without_subject(text, lexicon_)
    texts = list(dict.fromkeys([whole, *_alternatives(whole, lexicon_)]))
    quote = " ".join(quotes) or None
    parts = [_read_part(part, quote, is_whole=part == whole, lexicon_=lexicon_) for part in texts[:_PARTS]]
    return _of_one_trade([parts[0], *(part for part in parts[1:] if part.words or part.claims)], lexicon_)


def _of_one_trade(parts: list[ConditionPart], lexicon_: Lexicon) -> list[ConditionPart]:
    """Return the parts with lower claims to the intents of trades that the whole condition has nothing to do with."""
    subjects = {"general", *(lexicon_.intents[intent].subject for intent, claim in parts[0].claims.items())}
    if len(subjects) == 1:
        return parts
    for part in parts[1:]:
        for intent in part.claims:
            if lexicon_.intents[intent].subject not in subjects:
                part.claims[intent] *= OTHER_TRADE
    return parts


def _alternatives(text: str, lexicon_: Lexicon) -> Iterator[str]:
    giving = _GIVES.match(text)
    if giving and "," in giving["object"] and " and " in giving["object"] and not re.search(r"\bor\b", text):
        return  # all of "a name, a day and a time" have to be given
    asking = _ASKS_ABOUT.match(text)
    things_only = giving is not None and not any(map(_GIVES.match, _SPLIT.split(giving["object"])))
    for number, part in enumerate(_SPLIT.split(text)):
        part = re.sub(r"^(?:and|if|that|und|y) ", "", part.strip())
        if part and number and things_only and re.match(r"(?:an?|the|his|her|their|its) ", part):
            yield f"gives {part}"  # "gives a city or a zip code"
        elif part and number and asking and _THING.fullmatch(part) and not _VERB.match(part):
            yield f"{asking[0]}{part}"  # "asks about hours or the address"
        elif part:
            yield _without_subject(part, lexicon_)
    if not _GIVES.match(text):
        for part in text.split(" and "):
            if not _AFFIRMS.fullmatch(part.strip()) and len(part.split()) > 1:
                yield _without_subject(part.strip(), lexicon_)


def _without_subject(text: str, lexicon_: Lexicon) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    tokens = text.split()
    index = 0
    while index < len(tokens) - 1 and tokens[index] in (
        "the",
        "a",
        "an",
        "if",
        "when",
        "once",
        "der",
        "die",
        "el",
        "la",
    ):
        index += 1
    if index < len(tokens) and tokens[index].removesuffix("'s").removesuffix("'") in lexicon_.vocabulary.roles:
        return " ".join(tokens[index + 1 :])
    return text


def _read_part(text: str, quote: str | None, *, is_whole: bool, lexicon_: Lexicon) -> ConditionPart:
    vocabulary = lexicon_.vocabulary
    stems = vocabulary.stems(text)
    words = [
        stem for stem in dict.fromkeys(stems) if stem not in vocabulary.ordinary and stem not in vocabulary.requests
    ]
    if not words and is_whole:  # a condition of ordinary words alone, such as "caller asks"
        words = [stem for stem in dict.fromkeys(stems) if stem not in ("the", "a", "an", "to", "it", "be", "have")]
    gives = _GIVES.match(text)
    is_negated = bool(NEGATION.search(text))
    is_otherwise = bool(_OTHERWISE.match(text))
    denies = bool(_DENIES.search(text))
    needs_more = gives is not None and not _CONFIRMS.match(text)  # than a yes: "has given and confirmed a name"
    affirms = bool(_AFFIRMS.search(text)) and not denies and not needs_more
    nears = {} if is_otherwise else lexicon_.conditions.nearest(stems, is_negated=is_negated)
    if _ASKS_ABOUT.match(text):  # who asks about the address does not change theirs
        nears = {intent: near for intent, near in nears.items() if not _is_change(intent, lexicon_)}
    claims = _claims(nears, lexicon_, 1.0 if is_whole else _WEAKER_PART)
    for says, intent in ((affirms, "agree"), (bool(_REFUSES.search(text)), "decline")):
        if says:
            claims[intent] = max(claims.get(intent, 0.0), _ANSWER)
    if _WANTS_TALK.search(text) and not NEGATION.search(text):  # also with a banker, or with the stylist
        claims["want_person"] = max(claims.get("want_person", 0.0), _ANY_PERSON)
    return ConditionPart(
        text=text,
        stems=tuple(stems),
        words=tuple(words),
        claims=claims,
        profile=lexicon_.profiles.of(stems) if is_whole else {},
        gives=_thing_given(gives["object"]) if gives else None,
        moves=bool(_ANOTHER_TIME.search(text)),
        bounds=read_bounds(text),
        quote=quote,
        affirms=affirms,
        denies=denies,
        is_negated=is_negated,
        asks=bool(_ASKS.match(text)),
        wants=bool(_WANTS.match(text)),
        asks_anything=bool(_QUESTION_ONLY.match(text)),
        is_matter=bool(_MATTER.match(text)),
        is_otherwise=is_otherwise,
        talks=bool(_TALKS.match(text)),
    )


def _claims(nears: dict[str, float], lexicon_: Lexicon, share: float) -> dict[str, float]:
    """Return the intents that a condition means, each with a share from 0 to 1."""
    best = max(nears.values(), default=0.0)
    trades = {lexicon_.intents[intent].subject for intent, near in nears.items() if near >= 0.9 * best} | {"general"}
    return {
        intent: share
        * min(1.0, (near - 0.1) / (_FULL_CLAIM - 0.1))
        * (1.0 if lexicon_.intents[intent].subject in trades else OTHER_TRADE)
        for intent, near in nears.items()
        if near >= max(_LEAST_CLAIM, _NEXT_CLAIMS * best)
    }


def _is_change(intent: str, lexicon_: Lexicon) -> bool:
    """Return whether an intent is to change something, by its first condition."""
    return bool(_CHANGES.match(lexicon_.intents[intent].conditions[0]))


def _thing_given(text: str) -> str | None:
    """Return what a caller has to name; None if they state something instead."""
    if _TROUBLE.match(text):
        return "the problem"
    if match := _WHICH_IT_IS.match(text):
        return match["thing"]
    return None if _STATES.search(text) else text
