"""What an answer that should be a list holds, and what to ask for next. Contract: README, Pagination."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from dryline.remote.reader import ReadError

Row = dict[str, Any]
Query = dict[str, Any]
# The question after this one, from its answer; None when it was the last.
Following = Callable[[Any, Query], Query | None]


def bare(answer: Any, query: Query) -> None:
    """A list without pages."""
    return None


def by_cursor(answer: Any, query: Query) -> Query | None:
    """A list that is read by cursor, or by page where it gives none."""
    rest = {name: value for name, value in query.items() if name not in ("cursor", "page")}
    if isinstance(cursor := answer.get("nextCursor"), str) and cursor:
        return {**rest, "cursor": cursor}
    if _pagination(answer).get("hasNext") is True:
        return {**rest, "page": query.get("page", 1) + 1}
    return None


def by_offset(answer: Any, query: Query) -> Query | None:
    """A list that is read by limit and offset."""
    if answer.get("hasMore") is True and answer["data"]:
        return {**query, "offset": query["offset"] + len(answer["data"])}
    return None


def one(question: str, answer: Any) -> Row:
    """The record that an answer is. Raises ReadError when it is none."""
    if not _is_row(answer):
        raise ReadError(f"{question}: the answer is {_kind(answer)}, not a record with an id")
    return answer


def rows_of(question: str, answer: Any, following: Following) -> tuple[list[Row], list[str]]:
    """The rows that an answer holds, and what is to be told of it. Raises ReadError when it is no list of rows."""
    paged = following is not bare
    rows = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        wanted = "a page" if paged else "a list"
        raise ReadError(f"{question}: the answer is {_kind(answer)}, not {wanted} of records")
    told = []
    if isinstance(answer, dict) != paged:
        told.append(f"{question}: {_kind(answer)} came where the contract has another form; its records are copied")
    good = [row for row in rows if _is_row(row)]
    if len(good) < len(rows):
        told.append(f"{question}: {len(rows) - len(good)} of {len(rows)} are no records with an id that can be kept")
    return good, told


def next_question(question: str, answer: Any, query: Query, following: Following) -> tuple[Query | None, list[str]]:
    """What to ask for after an answer that has rows, and what to tell: whether there is more than can be asked for."""
    if not isinstance(answer, dict):
        return None, []
    following_query = following(answer, query)
    more = answer.get("hasMore"), answer.get("nextCursor"), _pagination(answer).get("hasNext")
    lost = following_query is None and any(more)
    return following_query, [f"{question}: there are more, but the answer does not say how to get them"] if lost else []


def total(answer: Any) -> int | None:
    """How many rows there are in all pages, where the answer says it."""
    said = _pagination(answer).get("total") if isinstance(answer, dict) else None
    return said if isinstance(said, int) else None


def _pagination(answer: Row) -> Row:
    pagination = answer.get("pagination")
    return pagination if isinstance(pagination, dict) else {}


def _is_row(value: Any) -> bool:
    """Whether this is a record that has an id, and is not nested too deeply to be kept."""
    if not (isinstance(value, dict) and isinstance(value.get("id"), str) and value["id"]):
        return False
    try:
        orjson.dumps([[[value]]])
    except TypeError:
        return False
    return True


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", bool: "a flag", int: "a number", float: "a number"}
    return kinds.get(type(value), "null")
