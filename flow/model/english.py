"""Whether conditions are English, which is all that the built-in model reads."""

import re
from collections.abc import Iterable

# Words that hardly any condition in English is without, and that few other languages have.
_ENGLISH_TEXT = (
    "a about account address after agrees an and another any appointment are as asks at back be bill book by "
    "call caller can cancel change client confirms contact cost customer date day declines do does done "
    "driver else email end for from gives goodbye guest has have help how human if information is it know "
    "leave member more move names need needs never new next none not nothing number of on or order other "
    "owner patient pay person phone player price problem question reached ready reschedule reports says "
    "service speak still talk tells tenant that the their them there they thing this time to transfer user "
    "visit wants was what when where whether which who why wishes with work would wrong yes you "
)
_ENGLISH = frozenset(_ENGLISH_TEXT.split())
_FEWEST_WORDS = 6
_LEAST_SHARE = 0.2
_WORD = re.compile(r"[^\W\d_]+")


def are_english(conditions: Iterable[str]) -> bool:
    """Return whether texts are English, or too short to tell: a fifth of their words are common English ones."""
    words = _WORD.findall(" ".join(conditions).lower())
    if len(words) < _FEWEST_WORDS:
        return True
    return sum(word in _ENGLISH for word in words) >= _LEAST_SHARE * len(words)
