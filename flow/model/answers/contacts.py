"""E-mail addresses, phone numbers and postal codes as people say them."""

import re
from functools import lru_cache

from dryline.flow.model.answers.dates import find_dates
from dryline.flow.model.answers.turns import without_spelling_words
from dryline.flow.model.kinds import in_all_languages

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_PHONE = re.compile(r"\(?\+?\d[\d\s().,/-]{4,22}\d")


def symbol_of(token: str) -> str | None:
    """Return the symbol that a word names: "dot" is `.`."""
    symbol: str | None = "@" if token == "@" else in_all_languages("symbols").get(token.lower())
    return symbol


def find_email(text: str) -> str | None:
    """Return an e-mail address, written or spoken: "deb dot klein at outlook dot com"."""
    if match := _EMAIL.search(text):
        return match[0].strip(".").lower()
    text = re.sub(r",? with (?:an?|one|two|2) \w+(?= at\b)", "", text)  # "Sarah with an H"
    text = re.sub(r"[.!?](?=\s|$)", " ;", without_spelling_words(text))
    tokens = re.findall(r"[\w+@\u00e4]+(?:['\u2019]\w+)?|[.,;_-]", text)
    for at, token in enumerate(tokens):
        if symbol_of(token) == "@" and 0 < at < len(tokens) - 2:
            local, domain = _local_part(tokens[:at]), _domain(tokens[at + 1 :])
            if local and "." in domain:
                return f"{local}@{domain}".lower()
    return None


def _local_part(tokens: list[str]) -> str:
    """Return the name before the "at": words that symbols join, or single letters; the first plain word begins it."""
    pieces: list[str] = []
    for token in reversed(tokens[:-1] if tokens[-1] == "," else tokens):
        symbol = _joining(token, "._-")
        joins = not pieces or pieces[-1] in "._-+"
        single = bool(pieces) and len(token) == 1 and (len(pieces[-1]) == 1 or token.lower() not in "ai")
        digits = bool(pieces) and pieces[-1].isdigit() and not token.isdigit()
        if token in ",;" or not (joins or (single and token.isalnum()) or digits or symbol):
            break
        pieces.append(symbol if symbol and pieces else token)
    return "".join(reversed(pieces)).strip(".-_")


def _joining(token: str, written: str) -> str | None:
    """Return the symbol, one of `written` or a spoken one, by which a token joins its neighbours."""
    symbol = token if token in written else symbol_of(token)
    return None if symbol == "@" else symbol


def _domain(tokens: list[str]) -> str:
    domain, joins = "", True
    for token in tokens:
        symbol = _joining(token, ".-")
        if symbol is None and not joins and ("." in domain or not token.isalnum()):  # but "at fjord mail dot no"
            break
        domain, joins = domain + (symbol or token), symbol is not None
    return domain.strip(".-")


@lru_cache(maxsize=256)
def find_phone_in(text: str, language: str) -> str | None:
    """Return a phone number of a text whose numbers are digits, as it was grouped."""
    text = re.sub(r"\bplus\s+(?=\d)", "+", text, flags=re.IGNORECASE)
    text = re.sub(r"(?<=\d),? (?:and )?then(?= \d)", "", text)
    rest = without_spans(text, [(each.start, each.end) for each in find_dates(text, language)])
    phones = [match for match in _PHONE.finditer(rest) if 7 <= len(re.sub(r"\D", "", match[0])) <= 15]
    if not phones:
        return None
    is_better = re.search(r"\b(?:but|instead|better|rather)\b", text[phones[0].end() : phones[-1].start()])
    return phones[-1 if is_better else 0][0].strip(" ,.-")


def find_phone(text: str, language: str, example: str) -> str | None:
    """Return a phone number in the form of the example, if it has as many digits; else as it was said."""
    phone = find_phone_in(text, language)
    if phone is None:
        return None
    digits, expected = re.sub(r"\D", "", phone), re.sub(r"\D", "", example)
    if re.fullmatch(r"\d+", example) and len(digits) != len(expected):
        return f"{'+' * phone.startswith('+')}{digits}"
    if example.startswith("+"):
        if phone.startswith("+"):
            return f"+{digits}"
        is_american = example.startswith("+1") and len(digits) in (10, 11)
        return f"+{digits if len(digits) == 11 else '1' + digits}" if is_american else phone
    if len(digits) == len(expected):
        numbers = iter(digits)
        return "".join(next(numbers) if each.isdigit() else each for each in example)
    if example and len(digits) == 10:
        return f"{digits[:3]}-{digits[3:6]}-{digits[6:]}"
    return re.sub(r",\s*", " ", phone)


def find_zip(text: str) -> str | None:
    """Return a postal code of five digits, the last one of the text."""
    text = re.sub(r"(?<=\d),?\s(?=\d{1,2}\b)", "", text) if not re.search(r"\b\d{5}\b", text) else text
    codes: list[str] = re.findall(r"\b\d{5}(?:-\d{4})?\b", text)
    return codes[-1] if codes else None


def without_spans(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text with blanks in place of the spans, and a bar at each end."""
    for start, end in spans:
        text = f"{text[:start]}{'_' * (end - start)}{text[end:]}"
    return re.sub(r"_+", lambda gap: f"|{' ' * (len(gap[0]) - 2)}|" if len(gap[0]) > 1 else "|", text)
