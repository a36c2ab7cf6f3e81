"""Rows and the next page of an answer that should be a list. Contract: README, Pagination."""

from collections.abc import Callable
from typing import Any

import orjson

from dryline.commands.remote.reader import ReadError

Row = dict[str, Any]
Query = dict[str, Any]
# Returns the query of the next page from an answer and its query; None after the last page.
Following = Callable[[Any, Query], Query | None]


def bare(answer: Any, query: Query) -> None:
    """End a list that has no pages."""
    return None


def by_cursor(answer: Any, query: Query) -> Query | None:
    """Return the query of the next page by cursor, or by page number if there is no cursor."""
    rest = {name: value for name, value in query.items() if name not in ("cursor", "page")}
    if isinstance(cursor := answer.get("nextCursor"), str) and cursor:
        return {**rest, "cursor": cursor}
    if _pagination(answer).get("hasNext") is True:
        return {**rest, "page": query.get("page", 1) + 1}
    return None


def by_offset(answer: Any, query: Query) -> Query | None:
    """Return the query of the next page by limit and offset."""
    if answer.get("hasMore") is True and answer["data"]:
        return {**query, "offset": query["offset"] + len(answer["data"])}
    return None


def one(question: str, answer: Any) -> Row:
    """Return the answer if it is a record with an id. Raises ReadError otherwise."""
    if not _is_row(answer):
        raise ReadError(f"{question}: the answer is {_kind(answer)}, not a record with an id")
    return answer


def rows_of(question: str, answer: Any, following: Following) -> tuple[list[Row], list[str]]:
    """Return the rows of an answer and sentences about what is wrong. Raises ReadError if it is no list of rows."""
    paged = following is not bare
    rows = answer.get("data") if isinstance(answer, dict) else answer
    if not isinstance(rows, list):
        expected = "a page" if paged else "a list"
        raise ReadError(f"{question}: the answer is {_kind(answer)}, not {expected} of records")
    warnings = []
    if isinstance(answer, dict) != paged:
        warnings.append(f"{question}: the answer is {_kind(answer)}, unlike in the contract; its records are copied")
    good = [row for row in rows if _is_row(row)]
    if len(good) < len(rows):
        warnings.append(f"{question}: {len(rows) - len(good)} of {len(rows)} are not records with an id")
    return good, warnings


def next_question(question: str, answer: Any, query: Query, following: Following) -> tuple[Query | None, list[str]]:
    """Return the query of the next page, and a sentence if there are more rows that cannot be read."""
    if not isinstance(answer, dict):
        return None, []
    following_query = following(answer, query)
    more = answer.get("hasMore"), answer.get("nextCursor"), _pagination(answer).get("hasNext")
    if following_query is None and any(more):
        return None, [f"{question}: there are more, but the answer does not say how to get them"]
    return following_query, []


def total(answer: Any) -> int | None:
    """Return the number of rows of all pages if the answer says it."""
    count = _pagination(answer).get("total") if isinstance(answer, dict) else None
    return count if isinstance(count, int) else None


def _pagination(answer: Row) -> Row:
    pagination = answer.get("pagination")
    return pagination if isinstance(pagination, dict) else {}


def _is_row(value: Any) -> bool:
    """Return whether a value is a record with an id that is not nested too deeply to be stored."""
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
