"""German instructions of a prompt, as questions to the user."""

import re

_COMMON_WORDS = """
der die das den dem des ein eine einen einem einer und oder ist sind war bin bist nicht kein keine mit
von für auf zu nach bei aus du sie wir ich er es ihr ihre ihren sein seinen seinem deine dein frage frag
bitte ob was wann wie wo welche welcher welches anrufer anruferin kunde kunden hilf sei nie niemals wenn
falls möchte kann wird haben hat über auch sich
"""
COMMON_WORDS = frozenset(_COMMON_WORDS.split())

_FORBIDDEN = re.compile(r"\b(?:nie|niemals|nicht|kein\w*|ohne|vermeide)\b", re.IGNORECASE)
_CONDITIONAL = re.compile(
    r"^(?:wenn|falls|sobald|nachdem|bevor|bei)\b|\b(?:falls|wenn|bei) (?:nötig|bedarf)\b", re.IGNORECASE
)
_MANNER = re.compile(r"\b(?:rückfragen|nachfragen|fragen|einzeln|eins nach dem anderen|nacheinander)\b", re.IGNORECASE)
_WHOM = r"(?: (?:den |die )?(?:anrufer(?:in)?|kunden?|kundin|patient(?:en|in)?|gast|nutzer(?:in)?|ihn|sie))?"
_ASK_FOR = re.compile(rf"\bfrag(?:e|en sie)?{_WHOM} nach (?P<what>[^.!?;]+)", re.IGNORECASE)
_ASK_WHETHER = re.compile(
    rf"\b(?:frag(?:e|en sie)?|finde heraus|kläre?){_WHOM},? (?P<what>(?:ob|was|wann|wie|wo|wer|warum"
    rf"|welche[rsnm]?|wofür|womit|wobei|worum|wohin)\b[^.!?;]+)",
    re.IGNORECASE,
)
# "was wir für ihn tun können": a question about what the agent does, with the finite verb at its end.
_AGENT_DOES = re.compile(
    r"(?:ob|(?P<word>was|wie|wann|wo|womit|wobei|welche[rsnm]?(?: \w+)?))"
    r" (?P<subject>wir|du|ich) (?P<rest>.*?)(?P<verb>\w+)$",
    re.IGNORECASE,
)
_CONFIRM = re.compile(r"\b(?:bestätige|prüfe) (?P<what>(?:den|die|das|seine[nr]?|ihre[nr]?) [^.!?;,]+)", re.IGNORECASE)
_INSTRUCTION = re.compile(
    r"^(?:bitte )?(?:du\b|deine?\b|sei\b|hilf\b|nimm\b|sprich\b|antworte\b|begrüße\b|biete\b|sage?\b|nenne\b"
    r"|rede\b|bleib\b|stelle?\b|frag\w*\b"
    r"|finde\b|kläre?\b|gib\b|verabschiede\b|bestätige\b|prüfe\b|der (?:anrufer|kunde)\b|die (?:anruferin|kundin)\b)",
    re.IGNORECASE,
)
_FORMS = {
    "sein": "Ihr", "seine": "Ihre", "seinen": "Ihren", "seinem": "Ihrem", "seiner": "Ihrer", "seines": "Ihres",
    "ihr": "Ihr", "ihre": "Ihre", "ihren": "Ihren", "ihrem": "Ihrem", "ihrer": "Ihrer",
    "ihm": "Ihnen", "ihn": "Sie", "ihnen": "Ihnen", "dir": "mir", "dich": "mich", "du": "ich",
}  # fmt: skip
_USER = re.compile(
    r"\b(?:der|die|dem|den) (?:anrufer(?:in)?|kunden?|kundin|patient(?:en|in)?|gast|nutzer(?:in)?)\b|\ber\b",
    re.IGNORECASE,
)
_PLURAL = {
    "ist": "sind",
    "hat": "haben",
    "kann": "können",
    "will": "wollen",
    "möchte": "möchten",
    "wird": "werden",
    "weiß": "wissen",
}

_FIRST_PERSON = {"kannst": "kann", "sollst": "soll", "darfst": "darf", "musst": "muss", "hast": "habe", "bist": "bin"}
_FOR_USER = {"tun": "für Sie", "helfen": "Ihnen", "weiterhelfen": "Ihnen", "anbieten": "Ihnen"}


def question(sentence: str) -> str | None:
    """Return the question that an instruction asks for; None if it asks for nothing."""
    if _FORBIDDEN.search(sentence) or _CONDITIONAL.search(sentence):
        return None
    if re.search(r"\bwie du (?:\w+ )?helfen kannst", sentence, re.IGNORECASE):
        return "Wie kann ich Ihnen helfen?"
    if match := _ASK_FOR.search(sentence):
        return None if _MANNER.search(match["what"]) else f"Darf ich Sie nach {_to_user(match['what'])} fragen?"
    if match := _ASK_WHETHER.search(sentence):
        if by_agent := _AGENT_DOES.match(match["what"].strip()):
            return _question_of_agent(by_agent)
        return f"Können Sie mir sagen, {_to_user(match['what'])}?"
    if match := _CONFIRM.search(sentence):
        return f"Können Sie {_to_user(match['what'])} bestätigen?"
    return None


def _question_of_agent(match: re.Match[str]) -> str:
    """Return "Was können wir für Sie tun?" for "was wir tun können"."""
    subject = "ich" if match["subject"].lower() == "du" else match["subject"].lower()
    verb = _FIRST_PERSON.get(match["verb"].lower(), match["verb"].lower())
    rest = re.sub(r"\bsie\b", "Sie", _to_user(match["rest"].strip()))
    if rest in _FOR_USER:
        rest = f"{_FOR_USER[rest]} {rest}"
    words = " ".join(f"{match['word'] or ''} {verb} {subject} {rest}".split())
    return f"{words[:1].upper()}{words[1:]}?"


def is_instruction(sentence: str) -> bool:
    """Return whether a sentence speaks to the agent or of the user, so that it is not said."""
    return bool(_INSTRUCTION.match(sentence) or _CONDITIONAL.search(sentence))


def _to_user(words: str) -> str:
    is_user_subject = bool(_USER.search(words))
    words = _USER.sub("Sie", words)
    words = " ".join(_FORMS.get(word, word) for word in words.split())
    if is_user_subject:
        before, _, verb = words.rpartition(" ")
        words = f"{before} {_PLURAL.get(verb) or (verb[:-1] + 'en' if verb.endswith('t') else verb)}"
    return words
