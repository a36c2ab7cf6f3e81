"""Parsing of the state document. Contract: state.md.

A row has the members of the API's record, whose schema gives their types (`ROWS` in schemas/), and members that link it
to other rows. The models declare the links (`STATE`).
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from marshmallow import ValidationError

from dryline import __version__
from dryline.schemas.base import Timestamp, camel, did_you_mean
from dryline.schemas.row_schemas import MOST_FAULTS, Faults, Row, RowSchema
from dryline.state.collections import COLLECTIONS, MODULES
from dryline.storage.errors import BadDocument

VERSION = 1
WRITTEN_BY = f"dryline {__version__}"
# The first members of the documents that are written here.
BEGINNING = {"version": VERSION, "writtenBy": WRITTEN_BY}

log = logging.getLogger("dryline")


@cache
def row_schemas() -> Mapping[str, RowSchema]:
    """Return the schema of each collection's rows, in the document's order; built when a document is first used."""
    return {name: schema for area in MODULES for name, schema in import_module(f"dryline.schemas.{area}").ROWS.items()}


# The end of a refusal of which `lenient` would let everything pass.
LENIENT_HINT = " `lenient` lets unknown members and links to missing rows pass."


@dataclass
class Document:
    """A parsed state document. `rows` has each collection's rows by column, None for a collection that is left out.

    Without `may_link_to_gone_rows`, as for a document that a person wrote, every link must lead to a row.
    """

    rows: Mapping[str, list[Row] | None]
    as_of: str | None
    may_link_to_gone_rows: bool

    def path(self, collection: str, index: int, column: str = "") -> str:
        """Return the name of a row or of a member for a message, such as `flows[2].workerId`."""
        if not column:
            return f"{collection}[{index}]"
        names = {attribute: name for name, attribute in row_schemas()[collection].names.items()}
        return f"{collection}[{index}].{names.get(column, camel(column))}"


def parse_document(document: Any, *, lenient: bool = False) -> Document:
    """Parse a state document. Raises BadDocument, which names each row and member that is wrong.

    Unknown members are refused, except those of another version's document, or if `lenient`.
    """
    if not isinstance(document, dict):
        raise BadDocument([("", "The state document must be an object.")])
    faults: Faults = []
    as_of = _read_members_beside_rows(document, faults)
    writer = document.get("writtenBy")
    unknown: Faults = []
    by_hand = writer is None and not lenient
    rows = {
        name: _read_rows(name, schema, document.get(name), faults, unknown, by_hand)
        for name, schema in row_schemas().items()
    }
    hint = "" if faults else LENIENT_HINT
    if not lenient and writer in (None, WRITTEN_BY):
        faults += unknown
    elif unknown and not lenient:
        log.warning(
            "The document was written by %s, and this is %s: %d members that are unknown here are ignored, such as %s",
            *(writer, WRITTEN_BY, len(unknown), unknown[0][0]),
        )
    if faults:
        raise BadDocument(faults[:MOST_FAULTS], hint)
    return Document(rows, as_of, may_link_to_gone_rows=not by_hand)


def _read_members_beside_rows(document: Row, faults: Faults) -> str | None:
    """Return `asOf`, and add what is wrong with the members that are no collections, or with their names."""
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        is_newer = type(version) is int and version > VERSION
        hint = f" Version {version} is of a newer dryline: read it there, or upgrade this one." if is_newer else ""
        faults.append(("version", f"Must be {VERSION}.{hint}"))

    as_of = document.get("asOf")
    if as_of is not None:
        try:
            as_of = Timestamp().deserialize(as_of)
        except ValidationError as error:
            faults.append(("asOf", error.messages[0]))

    writer = document.get("writtenBy")
    if "writtenBy" in document and not (isinstance(writer, str) and writer):
        faults.append(("writtenBy", f"Must be the name of a program, such as {WRITTEN_BY}."))

    others = [name for name in document if name not in ("version", "asOf", "writtenBy", *COLLECTIONS)]
    faults += [(name, f"There is no such collection{did_you_mean(name, COLLECTIONS)}") for name in others]
    return as_of


def _read_rows(
    name: str, schema: RowSchema, rows: Any, faults: Faults, unknown: Faults, by_hand: bool
) -> list[Row] | None:
    if rows is None:
        return None
    if not isinstance(rows, list):
        faults.append((name, "Must be a list."))
        return None
    parsed = []
    for index, row in enumerate(rows):
        path = f"{name}[{index}]"
        parsed.append(schema.read(row, path, faults, unknown))
        if by_hand and isinstance(row, dict):
            unknown.extend(schema.unknown_parts(row, path))
    return parsed
