"""Numbers in words as digits: `thirty five thousand` is 35000."""

import re
from functools import lru_cache

from text_to_num import alpha2digit

from dryline.flow.model.kinds import alternatives, read_values

_HIDE = "\u2060"  # put into a word that is no number, such as "the large one", until the others are read
_DIGIT = r"(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_SMALL = rf"(?:\d{{1,3}}|{_DIGIT}|ten|fifteen|{_TENS})"
_SPOKEN = rf"(?:{_DIGIT}|{_TENS}|oh|o|double|triple|\d+|ten|eleven|twelve|hundred|\w+teen)"
_SPOKEN_RUN = re.compile(rf"(?<![\w'])(?:{_SPOKEN}\b(?: |-(?=[a-z])|$)?)+", re.IGNORECASE)
_COMMAS = re.compile(rf"\b(?:{_DIGIT}|oh)(?:, (?:{_DIGIT}|oh)\b){{2,}}", re.IGNORECASE)  # "four, oh, nine"
_REPEATED = re.compile(rf"\b(double|triple) ({_DIGIT}|\d)\b", re.IGNORECASE)
_HUNDREDS = re.compile(rf"\bhundred (?={_DIGIT} {_DIGIT} {_DIGIT}\b)", re.IGNORECASE)
_ARTICLES = {"en": "(?!)", "de": "ein|eine|einen", "es": "un|una"}
_ENGLISH = (
    (re.compile(r"\bhalf a dozen\b", re.I), "six"),
    (re.compile(r"\bhalf a million\b", re.I), "500000"),
    (re.compile(r"\ban? (?:couple|pair)(?: of)?\b", re.I), "two"),
    (re.compile(r"\b(?<!half )an? (?=(?:hundred|thousand|million|grand|dozen)\b)", re.I), "one "),
    (re.compile(r"\bgrand\b(?<=\w grand)", re.I), "thousand"),
    (re.compile(rf"\b({_DIGIT}|ten|eleven|twelve|thirty|noon|\d+)-?ish\b", re.I), r"\1"),
    (re.compile(r"\b(the \w+ (?:fifteen|thirty|forty five|o'?clock)) one\b", re.I), r"\1"),
    (  # "two or three hundred"
        re.compile(rf"\b(?:between )?({_SMALL}) (?:and|to|or) ({_SMALL}) (hundred|thousand|grand|million)\b", re.I),
        r"\1 \3 to \2 \3",
    ),
)
_SCALES = {"dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "100": 1e2, "1000": 1e3, "1000000": 1e6}
_SCALED = re.compile(
    rf"(?<![\d.,:])(?P<number>\d+(?:\.\d+)?)(?P<half> and a half)?(?: (?P<scale>{'|'.join(_SCALES)})\b)?(?![\d:])", re.I
)
_RUN = re.compile(r"(?<![\d.,:/-])\d+(?: \d+)+(?![\d:/])(?!,\d)")


@lru_cache(maxsize=512)
def to_digits(text: str, language: str = "en") -> str:
    """Return a text in which numbers in words are digits: "the twenty first", "nineteen ninety one", "five oh five"."""
    text = _hide_articles(text, language)
    if language == "en":
        text = _COMMAS.sub(lambda match: match[0].replace(",", ""), text)
        for pattern, words in _ENGLISH:
            text = pattern.sub(words, text)
        text = _hide_ordinals(_hide_ones(text))
        text = _SPOKEN_RUN.sub(_as_digit_words, text)
    elif language == "de":
        group = {"zweit": "zwei", "dritt": "drei", "viert": "vier", "fünft": "fünf", "sechst": "sechs"}
        text = re.sub(r"\bzu (\w+t)\b", lambda match: f"zu {group.get(match[1], match[1])}", text)
    text = alpha2digit(text, language, 0).replace(_HIDE, "")
    text = _RUN.sub(_joined, _SCALED.sub(_scaled, text) if language == "en" else text)
    return re.sub(r"(?<=\d)\s+slash\s+(?=\d)", "/", text)


def _hide_articles(text: str, language: str) -> str:
    """Hide the German "ein" and the Spanish "una" where they are articles: before words that nobody counts."""
    counted = "|".join({unit for units in read_values(language)["units"].values() for unit in units} | {"hundert"})
    pattern = rf"\b({_ARTICLES[language]}) (?!(?:{counted})\b)"
    return re.sub(pattern, lambda match: f"{match[1][0]}{_HIDE}{match[1][1:]} ", text, flags=re.IGNORECASE)


def _hide_ones(text: str) -> str:
    """Hide the "one" of "the large one" and of "one moment"."""
    words = read_values()["not_a_one"]
    after, before = "|".join(words["after"]), "|".join(words["before"])
    pattern = rf"\b(?P<head>(?:{after}) )(?P<one>one)\b(?! hundred| thousand)|(?<!ty )(?<!ty-)\bone(?= (?:{before})\b)"
    return re.sub(pattern, lambda match: f"{match['head'] or ''}o{_HIDE}ne", text, flags=re.IGNORECASE)


def _hide_ordinals(text: str) -> str:
    """Hide "first", "second" and "third" unless they are days: "March third", "the second", "the first of May"."""
    months = alternatives("months")
    dated = rf"(?:\b(?:{months}) (?:the )?|{_TENS}[ -])$"
    begins = re.compile(r"\b(?:the|of|on) $", re.IGNORECASE)
    goes_on = re.compile(rf"\W*$|[,.;!?]| (?:{months}|of (?:{months}|the|this|next)|at|please)\b", re.IGNORECASE)

    def hide(match: re.Match[str]) -> str:
        before, behind = text[: match.start()], text[match.end() :]
        is_day = re.search(dated, before, re.IGNORECASE) or (begins.search(before) and goes_on.match(behind))
        return match[0] if is_day else f"{match[0][0]}{_HIDE}{match[0][1:]}"

    return re.sub(r"\b(?:first|second|third)\b", hide, text, flags=re.IGNORECASE)


def _as_digit_words(match: re.Match[str]) -> str:
    """Return a run of spoken digits with "zero" for "oh", and "two two" for "double two"."""
    if len(match[0].split()) < 2:
        return match[0]
    run = re.sub(r"\b(?:oh|o)\b", "zero", match[0], flags=re.IGNORECASE)
    run = _REPEATED.sub(lambda said: " ".join([said[2]] * (2 if said[1].lower() == "double" else 3)), run)
    return _HUNDREDS.sub("zero zero ", run)


def _scaled(match: re.Match[str]) -> str:
    """Return "2500000" for "2 and a half million"."""
    if not match["half"] and not match["scale"]:
        return match[0]
    number = float(match["number"]) + (0.5 if match["half"] else 0)
    return f"{number * _SCALES.get((match['scale'] or '').lower(), 1):.10g}"


def _joined(match: re.Match[str]) -> str:
    """Return the numbers of a run: digit by digit they are one number, and two pairs of digits are a year."""
    run = match[0].split()
    single = [len(each) == 1 or each[0] == "0" for each in run]
    if len(run) >= 3 and (all(single[1:]) or (len(run) >= 4 and sum(single) >= len(run) - 2)):
        return "".join(run)
    if len(run) == 2 and all(single) and run[0][0] == "0" and len(run[0]) < 4:
        return "".join(run)
    if (
        len(run[-1]) == 2
        and len(run[-2]) == 2
        and (run[-2] in ("19", "20") or (len(run) == 2 and "13" <= run[-2] <= "18"))
    ):
        run = [*run[:-2], run[-2] + run[-1]]
    return " ".join(run)
