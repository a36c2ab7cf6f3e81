"""A state document of two teams, each with one row in every collection, and which id each path parameter wants.

A team's ids, and a word in each of its rows, begin with its name: what shows it in another team's answer is a leak.
"""

from __future__ import annotations

import re
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

NORTH, SOUTH = TEAMS = ("north", "south")
KEYS = {team: f"{team}-key" for team in TEAMS}
# Both teams keep the same number, so that a lookup by number has to tell them apart.
NUMBER = "+14155550100"


@cache
def _data(team: str) -> dict[str, dict[str, Any]]:
    return yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text().replace("TEAM", team))


REFERENCES: dict[str, Any] = _data(NORTH)["references"]


def id_of(team: str, collection: str) -> str:
    return f"{team}-{collection}"


def path_ids(path: str, team: str) -> list[str]:
    """Return a team's values for the parameters of a path."""
    places = [re.sub(r"{\w+}", "{}", path[: match.end()]) for match in re.finditer(r"{\w+}", path)]
    return [id_of(team, _data(team)["places"][place]) for place in places]


def rows(team: str) -> dict[str, dict[str, Any]]:
    """Return a team's row in each collection."""
    return deepcopy(_data(team)["rows"])


def document() -> dict[str, Any]:
    """Return the document of both teams."""
    of_each = [rows(team) for team in TEAMS]
    return {"version": 1, **{name: [one[name] for one in of_each] for name in of_each[0]}}
