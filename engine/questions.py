"""Questions to the user, made from an instruction: "what the caller needs" becomes "What do you need?"."""

import re

_NOUNS = "user|caller|customer|patient|client|guest|tenant|member|prospect"
_USER = f"(?:(?:the |a )?(?:{_NOUNS})s?|(?:the |a )(?:driver|contact|person|lead)s?)"
_USER_WITH_ARTICLE = f"(?:(?:the |a )(?:{_NOUNS}|driver|contact|person|lead)|(?:{_NOUNS})s)"
_OF_USER = re.compile(rf"\b{_USER}'s?(?=\W|$)(?!\w)", re.IGNORECASE)
_USER_DOES = re.compile(
    rf"\b(?:(?:{_NOUNS}) (?!(?-i:[A-Z])|(?:\w+ )?(?:id|name|number|code|portal|account|card"
    r"|service|support|address|email|type)\b)"
    rf"|{_USER_WITH_ARTICLE} |they |he |she )(?P<adverb>still |now |already |also )?(?P<verb>[a-z]+)\b",
    re.IGNORECASE,
)
_USER_ALONE = re.compile(rf"\bthe (?:{_NOUNS}|driver|contact|person|lead)s?\b", re.IGNORECASE)
_CONTRACTED = re.compile(r"\b(they|he|she|you|it|we)'(d|re|ve|ll)\b", re.IGNORECASE)
_LONG_FORMS = {"d": "would", "re": "are", "ve": "have", "ll": "will"}
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_PRONOUNS = {
    "their": "your",
    "theirs": "yours",
    "they": "you",
    "them": "you",
    "him": "you",
    "his": "your",
    "themselves": "yourself",
}
_AGENT = {"are": "am", "were": "was"}
_NO_VERB_S = ("ss", "us", "is")
_AUXILIARIES = "are|were|can|could|will|would|should|may|might|did"
_PRESENT = (
    "want|need|like|prefer|live|know|think|mean|work|use|call|plan|expect|feel|wish|agree|accept|own|see|come|go|get|take"
    "|pay|hear"
)
_QUESTION_WORDS = ("what", "which", "who", "where", "when", "why", "how")
_ANY_QUESTION_WORD = "|".join(_QUESTION_WORDS)
_QUESTION_PHRASE = rf"(?:{_ANY_QUESTION_WORD})(?: [a-z-]+){{0,3}}?"  # such as "how many days"
_DONE = r"(?:been|had|got|gone|seen|done|made|paid|met|read|sent|lost|found|\w+ed|\w+en)\b"
_THINGS_TO_GIVE = re.compile(r"(?:feedback|details|confirmation|clarification|permission|more|some)\b", re.IGNORECASE)
# Words before which "your" has no place: "order number" becomes "your order number", "another day" stays.
_NO_NOUNS = """
a an the your our my any some more another other each all both this that these those it you me us one two three four
at in on for to with if thing things something anything what which who where when why how whether
"""
_TAKES_NO_YOUR = frozenset(_NO_NOUNS.split())
_PAST = {
    "received": "receive", "ordered": "order", "placed": "place", "paid": "pay", "called": "call", "tried": "try",
    "used": "use", "booked": "book", "got": "get", "made": "make", "sent": "send", "saw": "see", "lost": "lose",
    "bought": "buy", "moved": "move", "noticed": "notice", "changed": "change", "enjoyed": "enjoy", "liked": "like",
    "visited": "visit", "reported": "report", "signed": "sign", "completed": "complete", "started": "start",
    "happened": "happen", "occurred": "occur", "began": "begin", "stopped": "stop", "broke": "break",
    "arrived": "arrive", "ended": "end", "restarted": "restart",
}  # fmt: skip
_SUBJECT_QUESTION = re.compile(
    r"^(?:what|who|which(?: [a-z-]+){0,3}|how many(?: [a-z-]+){1,2}) (?:(?:still|best|better|usually) )?"
    r"(?:is|are|was|were|does|do|did|has|have|can|will|would|happened|went|brings|comes|goes)\b(?! you\b)",
    re.IGNORECASE,
)


def as_agent(words: str) -> str:
    """Return words of a prompt as the agent says them: its "you" is the agent, its "they" the user."""
    words = _CONTRACTED.sub(lambda match: f"{match[1]} {_LONG_FORMS[match[2].lower()]}", words)
    words = re.sub(r"\byou (are|were)\b", lambda match: f"I {_AGENT[match[1]]}", words)
    words = re.sub(r"\byou\b(?! can't)", "I", words)
    words = re.sub(r"\byour\b", "our", words)
    words = _OF_USER.sub("your", words)
    words = re.sub(
        rf"\b(does|is|has|was) {_USER}\b",
        lambda match: f"{_PLURAL[match[1].lower()]} you",
        words,
        flags=re.IGNORECASE,
    )
    words = _USER_DOES.sub(_second_person, words)
    words = _USER_ALONE.sub("you", words)
    words = re.sub(r"\bher(?=[.?!]?$| (?:better|best|on|at|in|to|for|with)\b)", "you", words)
    words = re.sub(r"\bher\b", "your", words)
    words = re.sub(r"\b(of|between|among) them\b", r"\1 \0", words)
    words = " ".join(_PRONOUNS.get(word.lower(), word) for word in words.split()).rstrip(" ,.!?")
    return words.replace("\0", "them")  # "which of them" means things


def _second_person(match: re.Match[str]) -> str:
    verb = match["verb"]
    base = _PLURAL.get(verb.lower()) or (verb if match[0].lower().startswith("they ") else base_form(verb))
    return f"you {match['adverb'] or ''}{base}"


def base_form(verb: str) -> str:
    """Return a verb in the third person singular as it stands behind "I" and "you"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "goes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(_NO_VERB_S) else verb


def question_forms(words: str) -> tuple[str, ...]:
    """Return the ways to ask for what a prompt names, the usual one first."""
    words = as_agent(words)
    begin = words.partition(" ")[0].lower()
    if begin in ("whether", "if"):
        clause = words.partition(" ")[2]
        return (_yes_or_no(clause) or f"Could you tell me whether {clause}?",)
    if begin in _QUESTION_WORDS:
        words = begin + words[len(begin) :]
        parts = re.split(rf",? and (?=(?:{_ANY_QUESTION_WORD}) )", words)
        questions = [_open_question(part) for part in parts]
        if all(questions):
            return (_capital(f"{', and '.join(str(question)[:-1] for question in questions)}?"),)
        return (f"Could you tell me {words}?",)
    if re.fullmatch(r"(?:a|your) rating", words):
        return ("How would you rate that?",)
    if _THINGS_TO_GIVE.match(words):
        return (f"Could you give me {words}?",)
    if not re.search(r"\b(?:and|or)\b|:", words):
        words = re.sub(r", (?=[^,]*$)", " and ", words)
    about, noun = ("about ", words.removeprefix("about ")) if words.startswith("about ") else ("", words)
    first = noun.partition(" ")[0]
    if first[:1].islower() and first not in _TAKES_NO_YOUR and not first.endswith("ing"):
        words = f"{about}your {noun}"
    if words.startswith(("your ", "the ")):
        return f"Could you tell me {words}?", f"May I have {words}, please?"
    return (f"Could you tell me {words}?",)


def _yes_or_no(clause: str) -> str | None:
    """Return "you can come" as "Can you come?"."""
    if match := re.match(rf"(you|we|I|it|this|that) (am|is|has|{_AUXILIARIES}) (.+)", clause):
        return f"{_capital(match[2])} {match[1]} {match[3]}?"
    if match := re.match(r"(there|now)('s| is| are) (.+)", clause):
        return f"{'Are' if match[2] == ' are' else 'Is'} {match[1]} {match[3]}?"
    if match := re.match(rf"you have ({_DONE}.*)", clause):
        return f"Have you {match[1]}?"
    if match := re.match(r"(you|we|I) ((?:still |also |now )?[a-z]+)( .+)?$", clause):
        if match[2] in _PAST:
            return f"Did {match[1]} {_PAST[match[2]]}{match[3] or ''}?"
        is_past = match[2].endswith("ed") and not match[2].endswith("need")
        return None if is_past else f"Do {match[1]} {match[2]}{match[3] or ''}?"
    if match := re.match(r"(.{2,80}?) (still )?(suits|works|helps|fits|lets|sounds|looks|matters)\b(.*)", clause):
        return f"Does {match[1]} {match[2] or ''}{match[3][:-1]}{match[4]}?"
    if match := re.match(r"(.{2,60}?) (still )?(suit|work|help|fit)\b(.*)", clause):
        return f"Do {match[1]} {match[2] or ''}{match[3]}{match[4]}?"
    if match := re.match(r"((?:the|your|our|their|this|that) [^,]{2,50}?) (is|are|was|were|has|can|will) (.+)", clause):
        return f"{_capital(match[2])} {match[1]} {match[3]}?"
    return None


def _open_question(words: str) -> str | None:
    """Return "what you need" as "what do you need?"."""
    if match := re.match(r"how (?:I|we|you|to) ?(?:can |could |may )?(?:best )?help(?: you)?(?P<rest>.*)", words):
        return f"how can I help you{match['rest']}?"
    if match := re.match(rf"({_QUESTION_PHRASE}) (you|we|I|it|this|that) (is|am|{_AUXILIARIES})\b(.*)", words):
        return f"{match[1]} {match[3]} {match[2]}{match[4]}?"
    match = re.match(r"(when|where|how|why) ((?:the|your|it|this) ?[a-z ]{0,30}?) ?([a-z]+)$", words)
    if match and match[3] in _PAST:
        return f"{match[1]} did {match[2]} {_PAST[match[3]]}?"
    if match := re.match(rf"({_QUESTION_PHRASE}) you have( (?:already )?{_DONE}.*)", words):
        return f"{match[1]} have you{match[2]}?"
    if match := re.match(rf"({_QUESTION_PHRASE}) (you|we) ((?:still |also )?(?:have|{_PRESENT})\b.*)", words):
        return f"{match[1]} do {match[2]} {match[3]}?"
    if match := re.match(
        r"(what|who|where|when|why|how(?: [a-z]+)?|which [a-z]+) ((?:the|your|our|this|that) [^,]+?) (is|are"
        r"|was|were)( .*)?$",
        words,
    ):
        return f"{match[1]} {match[3]} {match[2]}{match[4] or ''}?"
    if _SUBJECT_QUESTION.match(words) or re.match(
        rf"{_QUESTION_PHRASE} (?:of them )?(?:suits|works|fits|helps|applies|brings|interests)\b", words
    ):
        return f"{words}?"
    return None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
