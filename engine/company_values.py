"""Companies that people work for, and their roles, as people give them."""

import re

from dryline.engine.name_values import WORD, no_names, titled
from dryline.engine.spoken_turns import deflects, without_fillers, without_lead_in
from dryline.phrases.value_kinds import read_values

_COMPANY = re.compile(
    r"\b(?i:work(?:ing)? (?:for|at|with)|(?:i'm|i am) (?:with|from)|(?:we're|we are)(?: with)?|"
    r"(?:calling|ringing|phoning) (?:from|for)|employed (?:at|by)|"
    r"\w+ (?:at|of|for) (?:a company called )?|(?:company|business)(?:'s| is)(?: called)?|(?:it's|we're|we are) called|"
    r"name of the company is|on behalf of)\s*"
    r"(?:the )?((?i:(?:city|county|state|university|college|bank|department) of )?"
    rf"{WORD}(?:\s+(?:&\s+|and\s+|of\s+)?{WORD}){{0,3}})"
)
_FROM_COMPANY = re.compile(
    rf"\b{WORD},? (?i:(?:over )?(?:at|with|from)) (?:the )?({WORD}(?:\s+(?:&\s+|and\s+|of\s+)?{WORD}){{0,3}})"
)
_ROLE = re.compile(
    r"\b(?:(?:he|she)(?:'s| is)(?= (?:an?|the|our|their|my)\b)|i'm|i am|"
    r"i work (?:there |for \w+ |at \w+(?: \w+)? )?as|as|my (?:role|title|job|position) is|role is)\s+"
    r"(?:an?\s+|the\s+|their\s+|our\s+|my\s+)?([a-z][\w/-]*(?:\s+(?:of\s+)?[a-z][\w/-]*){0,3}?)"
    r"(?=\s+(?:at|for|there|with|in|over|here)\b|[,.;!?]|$)",
    re.IGNORECASE,
)


def find_company(text: str, *, answers: bool) -> str | None:
    """Return the company that somebody works for."""
    for named in [*_COMPANY.finditer(text), *(_FROM_COMPANY.finditer(text) if answers else ())]:
        if named[1].split()[0].casefold() not in {*no_names(), *read_values()["months"]}:
            return named[1].rstrip(".,")
    if match := re.match(rf"\W*({WORD}(?:\s+{WORD}){{0,3}}),\s*(?i:i'm|i am|as)\b", text):
        return match[1]
    return bare_capitals(text) if answers else None


def find_role(text: str) -> str | None:
    """Return what somebody's work is: "manager", "head of sales"."""
    for named in _ROLE.finditer(text):
        role = named[1].strip()
        if (
            role.split()[0].casefold() not in ("calling", "with", "from", "looking", "in", "not", "at")
            and not role[0].isupper()
        ):
            return without_fillers(role, "en")
    if match := re.match(r"\W*(?:the |an? )?([a-z][a-z ]{2,30}?) (?:at|for|with) (?:the )?[A-Z]", text):
        return match[1]
    return None


def bare_capitals(text: str) -> str | None:
    rest = re.sub(r"^(?:an?|the) ", "", without_lead_in(text, "en"), flags=re.IGNORECASE)
    first = rest.split()[0].casefold() if rest else ""
    if first in no_names() or re.search(r"['\u2019](?:m|d|ll|re|ve|t)$", first) or deflects(rest, "en"):
        return None
    match = re.match(r"[\w&'.-]+(?:\s+[\w&'.-]+){0,3}$", rest)
    return (titled(rest) if rest.islower() else rest) if match else None
