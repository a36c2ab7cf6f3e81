"""Parsing of the state document. Contract: state.md.

A row has the members of the API's record, whose schema gives their types (`ROWS` in schemas/), and members that link it
to other rows. The models declare the links (`STATE`).
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

from marshmallow import ValidationError, fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp, camel
from dryline.schemas.row_forms import MOST_FAULTS, Faults, Row, RowForm
from dryline.state.collections import COLLECTIONS, MODULES
from dryline.storage.errors import BadDocument

VERSION = 1


@cache
def forms() -> Mapping[str, RowForm]:
    """Return the form of each collection's rows, in the document's order; built when a document is first used."""
    return {name: form for area in MODULES for name, form in import_module(f"dryline.schemas.{area}").ROWS.items()}


class Document:
    """A parsed state document. `rows` has each collection's rows by column, None for a collection that is left out."""

    def __init__(self, rows: Mapping[str, list[Row] | None], as_of: str | None = None) -> None:
        self.rows = rows
        self.as_of = as_of

    def path(self, collection: str, index: int, column: str = "") -> str:
        """Return the name of a row or of a member for a message, such as `flows[2].workerId`."""
        if not column:
            return f"{collection}[{index}]"
        names = {attribute: name for name, attribute in forms()[collection].names.items()}
        return f"{collection}[{index}].{names.get(column, camel(column))}"


def read(document: Any, *, strict: bool = False) -> Document:
    """Parse a state document. Raises BadDocument, which names each row and member that is wrong."""
    if not isinstance(document, dict):
        raise BadDocument([("", "The state document must be an object.")])
    faults: Faults = []
    if type(document.get("version")) is not int or document["version"] != VERSION:
        faults.append(("version", f"Must be {VERSION}."))
    as_of = document.get("asOf")
    if as_of is not None:
        try:
            as_of = Timestamp().deserialize(as_of)
        except ValidationError as error:
            faults.append(("asOf", error.messages[0]))
    known = ("version", "asOf", *COLLECTIONS)
    faults += [(name, "There is no such collection.") for name in document if name not in known]
    rows = {name: _read_rows(name, form, document.get(name), faults, strict) for name, form in forms().items()}
    if faults:
        raise BadDocument(faults[:MOST_FAULTS])
    return Document(rows, as_of)


def _read_rows(name: str, form: RowForm, rows: Any, faults: Faults, strict: bool) -> list[Row] | None:
    if rows is None:
        return None
    if not isinstance(rows, list):
        faults.append((name, "Must be a list."))
        return None
    parsed = []
    for index, row in enumerate(rows):
        parsed.append(form.read(row, f"{name}[{index}]", faults, strict))
        if len(faults) >= MOST_FAULTS:
            break
    return parsed


ROWS_DESCRIPTION = "its rows in the API's form, with the keys that link them"
StateSchema = ApiSchema.from_dict(
    {
        "version": fields.Constant(
            VERSION, metadata={"type": "integer", "description": "version of the document's form"}
        ),
        **{
            name: fields.List(JsonObject(), data_key=name, metadata={"description": ROWS_DESCRIPTION})
            for name in COLLECTIONS
        },
    },
    name="StateSchema",
)
StateSchema.__doc__ = "The whole state: a list of rows for each collection."
