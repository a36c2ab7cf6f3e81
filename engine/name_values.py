"""Names of people and companies, and roles, as people give them."""

from __future__ import annotations

import re
from functools import lru_cache

from dryline.engine.spoken_turns import without_fillers, without_lead_in
from dryline.phrases.value_kinds import LANGUAGES, read_values

WORD = r"[A-Z\u00c0-\u00de][\w'\u2019-]*\.?"
_FULL = rf"{WORD}(?:\s+(?:(?:van|von|de|der|del|la|den|di|da)\s+)*{WORD}){{0,3}}"
_LOWER = r"[a-z\u00e0-\u00fe][\w'\u2019-]+(?:\s+[a-z\u00e0-\u00fe][\w'\u2019-]+){0,2}"
_HEADS = (
    r"(?:my|the|his|her|their)?\s*(?:full\s+)?name(?:'s|\u2019s| is| was|:)|"
    r"(?:it's |it is )?under(?: the name)?(?: of)?|call me|i go by|"
    r"(?:you(?:'re| are) )?speaking (?:with|to)|name of"
)
_WEAK_HEADS = r"this is|i am|i'm|i\u2019m|it's|it\u2019s|it is|that's|here is|hier ist|ich bin|soy|habla|with"
_PARTS = {
    "last": re.compile(
        rf"\b(?:last|family|sur)\s?name(?:'s|\u2019s| is|:|,)?\s+(?:is\s+)?({_FULL}|{_LOWER})", re.IGNORECASE
    ),
    "first": re.compile(
        rf"\b(?:first|given)\s?name(?:'s|\u2019s| is|:|,)?\s+(?:is\s+)?({WORD}|[a-z'-]+)", re.IGNORECASE
    ),
}


@lru_cache(maxsize=len(LANGUAGES))
def _heads(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    strong = "|".join(
        [
            _HEADS,
            *(
                re.escape(each)
                for each in read_values(language).get("names", ())
                if each not in ("soy", "ich bin", "hier ist", "habla", "auf")
            ),
        ]
    )
    return (
        re.compile(rf"\b(?i:{strong})\s+({_FULL})"),
        re.compile(rf"\b(?i:{_WEAK_HEADS})\s+(?:mr\.? |mrs\.? |ms\.? |dr\.? )?({_FULL})"),
        re.compile(rf"\b(?:{strong})\s+({_LOWER})", re.IGNORECASE),
        re.compile(rf"\b(?:{_WEAK_HEADS})\s+({_LOWER})", re.IGNORECASE),
    )


def find_name(text: str, part: str | None, language: str, *, answers: bool) -> str | None:
    """Return a person's name, or a part of it. `answers` says that the agent had asked for a name."""
    if "last" in text.lower() or "first" in text.lower() or "name" in text.lower():
        parts = {
            side: name
            for side, pattern in _PARTS.items()
            if (match := pattern.search(text)) and (name := _clean(match[1])) is not None
        }
        if part in parts:
            return parts[part]
        if len(parts) == 2 and part is None:
            return f"{parts['first']} {parts['last']}"
        if len(parts) == 1 and part is None and answers:
            [(side, value)] = parts.items()
            other = _bare_name(_PARTS[side].sub("", text).strip(" ,."), language)
            words = other.split()[:1] if other and value not in other else []
            return " ".join([value, *words] if side == "first" else [*words, value])
    full = _full_name(text, language, answers=answers)
    if full is None or part is None:
        return full
    words = full.split()
    if part == "first":
        return words[0]
    return " ".join(words[1:]) if len(words) > 1 else None


def _full_name(text: str, language: str, *, answers: bool) -> str | None:
    strong, weak, lower, weak_lower = _heads(language)
    for pattern in (strong, weak) if text != text.lower() else ():
        for named in pattern.finditer(text):
            if name := _clean(named[1]):
                return _turned(name, text[named.end(1) :])
    ends = r"(?:,| and\b| is my name| (?:over )?(?:at|from|with)\b)"
    if (match := re.match(rf"\W*({WORD} {_FULL}){ends}", text)) and (name := _clean(match[1])):
        return name if " " in name else None
    if match := re.search(
        rf"\b({_FULL})(?: is my name| speaking| here\b| is the name| am Apparat|,? mein Name| al habla)", text
    ):
        return _clean(match[1])
    if (match := lower.search(text)) and (name := _clean(match[1])):
        return name
    if match := re.search(rf"\bfor ({WORD} {_FULL})", text):
        name = _clean(match[1])
        return name if name and " " in name else None
    if not answers:
        return None
    if (match := re.search(rf"['\u2019]s \w+, ({WORD} {_FULL})\W*$", text)) and (name := _clean(match[1])):
        return name  # "Dr. Patel's wife, Meera Patel"
    if (match := weak_lower.search(text)) and (name := _clean(match[1])):
        return name
    return _bare_name(text, language)


def _bare_name(text: str, language: str) -> str | None:
    """Return a name that is the whole answer: "Deborah Klein", "O'Brien, Patrick O'Brien", "klein, deborah klein"."""
    rest = re.sub(r"^\W*(?:mrs?|ms|miss|dr)\.?\s+", "", without_fillers(text, language), flags=re.IGNORECASE)
    rest = re.split(
        r"[.;!?]\s|,?\s(?:and|but|i'd|i\s|my\s|spelled|that's|with an?\s)", rest, maxsplit=1, flags=re.IGNORECASE
    )[0]
    pieces = [piece.strip() for piece in rest.split(",") if piece.strip()]
    if not pieces or any(
        not re.fullmatch(r"[^\W\d_][\w'\u2019.-]*(?:\s+[^\W\d_][\w'\u2019.-]*){0,3}", piece) for piece in pieces[:2]
    ):
        return None
    name = pieces[0]
    if len(pieces) > 1:
        second = pieces[1]
        repeats = name.casefold() in second.casefold()
        name = second if repeats else f"{second} {name}" if len(name.split()) == len(second.split()) == 1 else name
    return _clean(name) if len(name.split()) <= 4 else None


def _turned(name: str, behind: str) -> str:
    """Return the full name where the last name was said before it: "O'Brien, Patrick O'Brien"."""
    match = re.match(rf"[,.]\s*({_FULL})", behind)
    if match and {match[1].split()[0].casefold(), match[1].split()[-1].casefold()} & {name.split()[-1].casefold()}:
        return match[1].rstrip(".")
    return name


_TITLES = {"mr", "mrs", "ms", "miss", "mister", "dr", "doctor", "herr", "frau", "se\u00f1or", "se\u00f1ora"}


@lru_cache(maxsize=1)
def no_names() -> frozenset[str]:
    table = read_values()
    words = {*table["no_names"], *table["marks"], *table["weekdays"], *table["months"], *table["numbers"]}
    return frozenset(words - {"may", "april", "june", "august"})


def _clean(name: str) -> str | None:
    """Return a name with capitals, up to the first word that belongs to no name; None if that is the first one."""
    words: list[str] = []
    for word in name.replace("\u2019", "'").split():
        folded = word.strip(".,!?").casefold()
        if folded in (_TITLES | {"die", "der"}) and not words:
            continue
        if (
            folded in no_names()
            or re.match(r"(?:i|it|that|we|let|can|don|won)'", folded)
            or (folded.endswith("ing") and word.islower())
            or any(each.isdigit() for each in word)
        ):
            break
        if word.endswith("'s"):
            return None  # of whom somebody speaks
        words.append(word)
    if not words:
        return None
    joined = " ".join(words).rstrip(".,!?")
    return titled(joined) if joined.islower() else joined


def titled(name: str) -> str:
    return re.sub(r"(^|[\s'-])(\w)", lambda match: match[1] + match[2].upper(), name)


_COMPANY = re.compile(
    r"\b(?i:work(?:ing)? (?:for|at|with)|i'm with|i am with|i'm from|i am from|calling (?:from|for)|employed (?:at|by)|"
    r"\w+ (?:at|of|for) (?:a company called )?|(?:company|business)(?:'s| is)(?: called)?|it's called|"
    r"name of the company is|on behalf of)\s*"
    rf"(?:the )?({WORD}(?:\s+(?:&\s+|and\s+|of\s+)?{WORD}){{0,3}})"
)
_ROLE = re.compile(
    r"\b(?:i'm|i am|i work (?:there |for \w+ |at \w+(?: \w+)? )?as|as|my (?:role|title|job|position) is|role is)\s+"
    r"(?:an?\s+|the\s+|their\s+|our\s+)?([a-z][\w/-]*(?:\s+(?:of\s+)?[a-z][\w/-]*){0,3}?)"
    r"(?=\s+(?:at|for|there|with|in|over|here)\b|[,.;!?]|$)",
    re.IGNORECASE,
)


def find_company(text: str, *, answers: bool) -> str | None:
    """Return the company that somebody works for."""
    for named in _COMPANY.finditer(text):
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
    rest = without_lead_in(text, "en")
    match = re.match(r"[\w&'.-]+(?:\s+[\w&'.-]+){0,3}$", rest)
    return (titled(rest) if rest.islower() else rest) if match else None
