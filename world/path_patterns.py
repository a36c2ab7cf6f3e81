"""Paths with `*` in them, as fault rules and questions to the request record name them."""

from __future__ import annotations

import re


def path_pattern(path: str) -> re.Pattern[str]:
    """What `path` matches as a whole; `*` stands for any text, slashes too."""
    return re.compile(".*".join(map(re.escape, path.split("*"))), re.DOTALL)
