"""The tables of the simulator, as data: industries, cities, names of people, what visitors write."""

from functools import cache
from pathlib import Path
from typing import Any

import orjson

from dryline.storage.files import read


@cache
def table(name: str) -> Any:
    """Return a table of tables.json. Lists of names are tuples."""
    value = _tables()[name]
    return tuple(value.split()) if isinstance(value, str) else value


@cache
def _tables() -> dict[str, Any]:
    return orjson.loads(read(Path(__file__).with_name("tables.json")))
