"""The agent's greeting at the start of a conversation, from the name and the company that its prompt gives."""

import re
from dataclasses import dataclass

_PROPER = r"(?:(?!Sie\b|Ihnen\b)[A-ZÄÖÜÁÉÍÓÚÑ][\w'&.-]*\w|[A-Z])"
_PERSON = r"(?P<name>[A-ZÄÖÜÁÉÍÓÚÑ][a-zà-ÿ]+)(?=[,.;]| (?:from|at|of|with|and|for|bei|von|und|für|de|y|en)\b|$)"


@dataclass(frozen=True, slots=True)
class GreetingFrames:
    """The patterns that find a greeting in a prompt of one language, and its sentences."""

    greets: re.Pattern[str]
    name: re.Pattern[str]
    company: re.Pattern[str]
    by_name: re.Pattern[str]
    hello: str
    hello_to: str
    from_both: str
    from_one: str


_FRAMES = {
    "en": GreetingFrames(
        greets=re.compile(
            r"\b(?:greet|welcome|introduc(?:e|ing) yourself|say (?:hello|hi)|answer the (?:phone|call))\b",
            re.IGNORECASE,
        ),
        name=re.compile(rf"\b(?:[Yy]ou are|[Yy]ou're|[Yy]our name is|[Nn]amed|[Cc]alled) {_PERSON}"),
        company=re.compile(
            rf"\b(?:at|for|from|of|to|with|on behalf of|representing) (?P<company>(?:the )?{_PROPER}"
            rf"(?: (?:{_PROPER}|&|(?:and|of|the) (?={_PROPER})))*)"
        ),
        by_name=re.compile(rf"\b[Gg]reet (?P<user>{_PROPER})\b"),
        hello="Hello!",
        hello_to="Hello, {user}!",
        from_both="Hello, this is {name} from {company}.",
        from_one="Hello, this is {}.",
    ),
    "de": GreetingFrames(
        greets=re.compile(r"\b(?:begrüß\w*|stell\w* dich vor|sag\w* hallo|melde dich)\b", re.IGNORECASE),
        name=re.compile(rf"\b(?:[Dd]u bist|[Dd]u heißt|[Dd]ein Name ist|namens) {_PERSON}"),
        company=re.compile(rf"\b(?:bei|von|für|in) (?P<company>(?:der |dem )?{_PROPER}(?: (?:{_PROPER}|&))*)"),
        by_name=re.compile(rf"\b[Bb]egrüße (?P<user>{_PROPER}) (?:mit|beim) Namen"),
        hello="Guten Tag!",
        hello_to="Guten Tag, {user}!",
        from_both="Guten Tag, hier ist {name} von {company}.",
        from_one="Guten Tag, hier ist {}.",
    ),
    "es": GreetingFrames(
        greets=re.compile(r"\b(?:saluda\w*|preséntate|da la bienvenida)\b", re.IGNORECASE),
        name=re.compile(rf"\b(?:[Ee]res|[Tt]e llamas|[Tt]u nombre es|llamad[ao]) {_PERSON}"),
        company=re.compile(rf"\b(?:de|en|para) (?P<company>{_PROPER}(?: (?:{_PROPER}|&|y (?={_PROPER})))*)"),
        by_name=re.compile(rf"\b[Ss]aluda a (?P<user>{_PROPER})\b"),
        hello="¡Hola!",
        hello_to="¡Hola, {user}!",
        from_both="Hola, le habla {name} de {company}.",
        from_one="Hola, le habla {}.",
    ),
}
# Sentences in which a prompt says who the agent is.
_IDENTITY = re.compile(
    r"^(?:you are|you're|you work|your name|act as|greet|welcome|answer|call|introduce|du bist|du arbeitest|du heißt"
    r"|dein|begrüß\w*|melde|eres|trabajas|te llamas|tu nombre|saluda|da)\b",
    re.IGNORECASE,
)
_NO_NAMES = {"AI", "An", "A", "The", "Ein", "Eine", "Una", "Un"}
_GREETED = re.compile(
    r"^\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|welcome|thank(?:s| you) for calling|this is"
    r"|hallo|guten|grüß|willkommen|hola|buen[oa]s|bienvenid|gracias por)\b",
    re.IGNORECASE,
)


def greeting(sentences: list[str], language: str) -> str | None:
    """Return the greeting that a prompt asks for; None if it asks for none.

    A prompt asks for one in words ("Greet the caller"), or by giving the agent both a name and a company.
    """
    frames = _FRAMES[language]
    asks_for_greeting = any(frames.greets.search(sentence) for sentence in sentences)
    name = company = None
    for sentence in filter(_IDENTITY.match, sentences):
        if not name and (match := frames.name.search(sentence)) and match["name"] not in _NO_NAMES:
            name = match["name"]
        if not company and (match := frames.company.search(sentence)):
            company = match["company"].rstrip(".")
    if name and company:
        return frames.from_both.format(name=name, company=company)
    if not asks_for_greeting:
        return None
    if name or company:
        return frames.from_one.format(name or re.sub(r"^(?:der|dem) ", "", company or ""))
    by_name = next(filter(None, map(frames.by_name.search, sentences)), None)
    return frames.hello_to.format(user=by_name["user"]) if by_name else frames.hello


def is_greeting(line: str) -> bool:
    """Return whether a line begins with a greeting of its own."""
    return bool(_GREETED.match(line))
