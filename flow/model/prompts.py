"""The sentences that a prompt gives to the agent: what it quotes, what it asks, and what it tells the agent to ask."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

LONGEST = 8_000  # characters of a prompt that are read
OPENING = "How can I help you?"

_SENTENCE_END = re.compile(r"(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bSt\.)(?<![ap]\.m\.)(?<=[.!?])\s+(?=[^a-z])|\n+")
_QUOTED = re.compile(
    r"\b(?:say|says|ask|asks|greet|answer|begin|start|open|end|close)\b[^\"\u201c\n]{0,60}[\"\u201c]([^\"\u201c\u201d]{2,500})[\"\u201d]",
    re.IGNORECASE,
)
_CLAUSE_START = re.compile(
    r"[,;:]?\s+(?:(?:and|then|but)\s+){0,2}(?=(?:ask|find out|never|don't|do not|offer)\b)|[,;:]\s+(?=(?:if|unless)\b)",
    re.IGNORECASE,
)
_VERBS = (  # with which an instruction to the agent begins
    *("be", "keep", "speak", "use", "answer", "greet", "introduce", "welcome", "listen", "help"),
    *("assist", "provide", "give", "have", "make", "do", "explain", "say", "end", "close", "start"),
    *("begin", "route", "transfer", "call", "wait", "read", "repeat", "handle", "work", "walk"),
    *("follow", "host", "act", "respond", "reply", "mention", "note", "remember", "ensure", "guide"),
    *("show", "book", "schedule", "troubleshoot", "resolve", "qualify", "manage", "update", "discuss"),
    *("survey", "encourage", "diagnose", "engage", "recommend", "sell", "summarize", "summarise"),
    *("express", "conduct", "take", "offer", "propose", "suggest", "tell", "inform", "remind"),
    *("apologize", "apologise", "wrap", "invite", "talk", "try", "proceed", "confirm", "collect"),
    *("gather", "get", "verify", "check", "ask", "avoid"),
)
_INSTRUCTION = re.compile(  # the beginning of a sentence that is meant for the agent
    r"\W*(?:(?:then|always|first|next|finally|now|also|politely|briefly|only)\b,? )*"
    r"(?:you(?:'re| are)? (?!can reach|have an?\b)|your (?:job|goal|task|role|name|tone)|never|don't|do not|if"
    r"|when|once"
    rf"|after|before|unless|until|things to|find out|thank the|{'|'.join(_VERBS)})\b",
    re.IGNORECASE,
)
_CONDITIONAL = re.compile(r"\W*(?:if|when|whenever|once|after|before|unless|until)\b", re.IGNORECASE)
_SAY_GOODBYE = re.compile(
    r"\bsay (?:good)?bye\b|\bwrap up\b|\b(?:end|close) the (?:call|conversation)\b", re.IGNORECASE
)
_GREETS = re.compile(r"\b(?:greet|welcome|introduce yourself|say (?:hello|hi))\b", re.IGNORECASE)
_NAME = re.compile(
    r"\b(?:[Yy]ou are|[Yy]ou're|[Yy]our name is) ((?!An?\b|The\b)[A-Z][a-z]+)(?=[,.;]| (?:from|at|of|with|for)\b|$)"
)
_COMPANY = re.compile(r"\b(?:at|for|from|of) ((?:[A-Z][\w'&-]*)(?: [A-Z][\w'&-]*){0,3})")

_ASKS = re.compile(
    r"(?:please |then |first |next |now |also |always |politely |kindly )*(?:ask|find out)\b"
    r"(?: (?:(?:the |a )?(?:user|caller|customer|patient|client|guest|tenant|driver|contact|person)\b(?!'s)"
    r"|them|him|her"
    r"|(?-i:[A-Z])[\w'.-]*(?: (?-i:[A-Z])[\w'.-]*){0,2}(?= (?:to|for|about|whether|if|which|what|when|how)\b)))?"
    r"[ ,:]*(?P<what>.*)",
    re.IGNORECASE,
)
_FOR = re.compile(r"(?:for |about )(?P<what>.+)", re.IGNORECASE)
_TO = re.compile(r"to (?P<what>.+)", re.IGNORECASE)
_WHETHER = re.compile(r"(?:whether|if) (?P<what>.+)", re.IGNORECASE)
_HOW_TO_HELP = re.compile(r"how (?:to|(?:you|we) can) (?:best )?help(?: (?:them|you))?", re.IGNORECASE)
_QUESTION_WORD = re.compile(r"(?:what|which|when|where|why|who|how)\b", re.IGNORECASE)
_HEAD = r"(?P<head>what(?: \w+)?|which(?: of \w+| \w+)?|when|where|why|who|how(?: \w+){0,2}?)"
_WITH_HELPER = re.compile(
    rf"{_HEAD} (?P<who>you|I|we) (?P<verb>can|could|would|will|should|may|are|were|am|have to)\b(?P<rest>.*)",
    re.IGNORECASE,
)
_WITH_VERB = re.compile(rf"{_HEAD} (?P<who>you|I|we) (?P<rest>\w+.*)", re.IGNORECASE)
_OF_SUBJECT = re.compile(
    r"(?:who|what|which(?: of \w+)?) (?:is|are|was|happened|brings|suits?|works?|does|has)\b.*", re.IGNORECASE
)
_DETERMINER = re.compile(r"(?:the|an?|your|our|another|any|some|their|which|more)\b", re.IGNORECASE)

_AS_AGENT = (  # a prompt's "you" is the agent, and its "they" the caller
    (re.compile(r"\byou are\b", re.IGNORECASE), "I am"),
    (re.compile(r"\byou're\b", re.IGNORECASE), "I'm"),
    (re.compile(r"\byour\b", re.IGNORECASE), "our"),
    (re.compile(r"\byou\b", re.IGNORECASE), "I"),
    (re.compile(r"\b(?:the )?(?:user|caller|customer|patient|client|guest)s?'s?(?=\W)", re.IGNORECASE), "your"),
    (re.compile(r"\b(?:their|his)\b", re.IGNORECASE), "your"),
    (
        re.compile(
            r"\b(?:they are|they're|(?:he|she|the (?:user|caller|customer|patient|client|guest)) is)\b", re.IGNORECASE
        ),
        "you are",
    ),
    (re.compile(r"\b(?:he|she|the (?:user|caller|customer|patient|client|guest)) has\b", re.IGNORECASE), "you have"),
    (
        re.compile(r"\b(?:he|she|the (?:user|caller|customer|patient|client|guest)) (\w+[^s\W])s\b", re.IGNORECASE),
        r"you \1",
    ),
    (
        re.compile(
            r"(?<!of )(?<!between )\b(?:they|them|him|he|she|(?:the )?(?:user|caller|customer|patient|client|guest))\b",
            re.IGNORECASE,
        ),
        "you",
    ),
    (re.compile(r"\bher\b(?=\W*$| (?:on|at|in|to|for|with)\b)", re.IGNORECASE), "you"),
    (re.compile(r"\bher\b", re.IGNORECASE), "your"),
)
_UNSPEAKABLE = re.compile(r"[{}]|\bcallers?\b", re.IGNORECASE)


@dataclass(slots=True)
class Prompt:
    """The sentences of a prompt. `opening` is what it says itself, up to a question; `questions` follow one another."""

    opening: str = ""
    questions: list[str] = field(default_factory=list)
    greeting: str = ""
    says_goodbye: bool = False


@lru_cache(maxsize=64)
def _read_prompt(text: str) -> Prompt:
    prompt = Prompt(greeting=_greeting(text), says_goodbye=_SAY_GOODBYE.search(text) is not None)
    if quoted := [line for line in _QUOTED.findall(text) if can_be_said(line)]:
        prompt.opening = quoted[0]
        prompt.questions = [line for line in quoted if line.endswith("?")]
        return prompt
    sentences = [each.strip() for each in _SENTENCE_END.split(text) if each.strip()]
    if sentences and not any(map(_is_instruction, sentences)):
        prompt.opening = " ".join(filter(can_be_said, sentences))
    for sentence in sentences:
        if _CONDITIONAL.match(sentence):
            continue
        prompt.questions += asked_in(sentence) if _is_instruction(sentence) else [sentence] * sentence.endswith("?")
    prompt.questions = [each for each in dict.fromkeys(prompt.questions) if can_be_said(each)]
    return prompt


def read_prompt(text: str) -> Prompt:
    """Return the sentences of a prompt. One without any instruction is what the agent says itself."""
    return _read_prompt(text[:LONGEST].replace("\u2019", "'"))


def _is_instruction(sentence: str) -> bool:
    """Return whether a sentence is meant for the agent: "Do not hurry." is, and "Do you have a car?" is not."""
    return bool(_INSTRUCTION.match(sentence)) and (not sentence.endswith("?") or _ASKS.match(sentence) is not None)


def can_be_said(sentence: str) -> bool:
    """Return whether a sentence is no instruction that was left over: it has neither braces nor the word "caller"."""
    return _UNSPEAKABLE.search(sentence) is None


def asked_in(sentence: str) -> list[str]:
    """Return the questions of a sentence such as "Ask for their name, and find out when they can come"."""
    questions = []
    for clause in _CLAUSE_START.split(sentence.strip().rstrip(".!")):
        if match := _ASKS.fullmatch(clause.strip(" ,;:")):
            questions.append(_question_for(match["what"].strip(" ,.")))
    return [question for question in questions if question and can_be_said(question)]


def statement_in(sentence: str) -> str:
    """Return a sentence without its clauses that are instructions: "Monday is full, ask for another day"."""
    first, *_ = _CLAUSE_START.split(sentence.strip())
    return "" if _ASKS.fullmatch(first.strip(" ,;:")) else first.strip(" ,;:")


def _question_for(what: str) -> str:
    """Return the question that "Ask …" stands for."""
    if match := _TO.fullmatch(what):
        return f"Could you {_as_agent(match['what'])}?"
    if match := _FOR.fullmatch(what):
        thing = _as_agent(match["what"])
        return f"Could you tell me {thing if _DETERMINER.match(thing) else f'your {thing}'}?"
    if match := _WHETHER.fullmatch(what):
        return _asked_directly(_as_agent(match["what"]))
    if _HOW_TO_HELP.fullmatch(what):
        return OPENING
    if not _QUESTION_WORD.match(what):
        return ""
    said = _as_agent(what)
    if _OF_SUBJECT.fullmatch(said):
        return _capital(f"{said}?")
    if match := _WITH_HELPER.fullmatch(said):
        return _capital(f"{match['head']} {match['verb']} {match['who']}{match['rest']}?")
    if match := _WITH_VERB.fullmatch(said):
        return _capital(f"{match['head']} do {match['who']} {match['rest']}?")
    return f"Could you tell me {said}?"


def _asked_directly(said: str) -> str:
    """Return "Do you need it?" for "you need it"."""
    if match := re.fullmatch(r"(you|we|I|it|there|this|that) (can|could|will|would|are|were|is)\b(.*)", said):
        return _capital(f"{match[2]} {match[1]}{match[3]}?")
    if match := re.fullmatch(r"(.{1,60}?) (still )?(suit|work|fit)s\b(.*)", said):
        return f"Does {match[1]} {match[2] or ''}{match[3]}{match[4]}?"
    if match := re.fullmatch(r"(you|we|I) (.*)", said):
        return f"Do {match[1]} {match[2]}?"
    return f"Could you tell me whether {said}?"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _as_agent(words: str) -> str:
    """Return words of a prompt as the agent says them."""
    for pattern, replacement in _AS_AGENT:
        words = pattern.sub(replacement, words)
    return words.strip(" ,.!")


def _greeting(text: str) -> str:
    """Return the greeting that a prompt asks for in words ("Greet the caller"), or by a name and a company."""
    name = _NAME.search(text)
    company = _COMPANY.search(text)
    if name and company:
        return f"Hello, this is {name[1]} from {company[1].rstrip('.')}."
    if _GREETS.search(text):
        return f"Hello, this is {name[1]}." if name else "Hello!"
    return ""
