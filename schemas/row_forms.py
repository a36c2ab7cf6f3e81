"""How rows of a state document are read: fast, without loss, each member by the record's own schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson
from marshmallow import ValidationError, fields

from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, Number, PartSchema, Timestamp, camel

MOST_FAULTS = 20  # so many faults of a document are told at once

Row = dict[str, Any]
Faults = list[tuple[str, str]]

Check = Callable[[Any], bool]


class RowForm:
    """The members of a collection's rows: those of the record's `schema` but for `without`, then `own` ones.

    `needs` names what a row must have beside its id. `shown` puts a finish to a row on its way out.
    """

    def __init__(
        self,
        schema: type[ApiSchema] | None,
        needs: str = "",
        *,
        without: str = "",
        id: str = "id",
        shown: Callable[[Row], None] | None = None,
        **own: fields.Field,
    ) -> None:
        self._schema, self._without, self._own = schema, without.split(), own
        self.id = id
        self.shown = shown
        self.needs = tuple(dict.fromkeys(f"{id} {needs}".split()))

    @cached_property
    def _columns(self) -> Mapping[str, tuple[str, Check, fields.Field]]:
        """Of each member by its name on the wire: the column, a quick look at its values, the field.

        Made when a document is first read or written: a start need not wait for it.
        """
        members = dict(self._schema().fields) if self._schema else {}
        shown = {name: f for name, f in members.items() if not f.load_only and name not in self._without}
        return {
            field.data_key or camel(name): (field.attribute or name, quick_look(field), field)
            for name, field in {**shown, **self._own}.items()
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The column of each member, by its name on the wire."""
        return {key: column for key, (column, _, _) in self._columns.items()}

    @cached_property
    def _members(self) -> Mapping[str, tuple[str, Check, fields.Field]]:
        # Not shown, but taken of any row: it has to agree with the parent's.
        return {"teamId": ("team_id", is_text, fields.String()), **self._columns}

    def read(self, row: Any, path: str, faults: Faults, strict: bool) -> Row:
        """The row's values by column. What is wrong with it goes to `faults`."""
        if not isinstance(row, dict):
            faults.append((path, "Must be an object."))
            return {}
        found: Row = {}
        members = self._members
        for name, value in row.items():
            if name not in members:
                if strict:
                    faults.append((f"{path}.{name}", "Unknown field."))
                continue
            column, is_fine, field = members[name]
            if is_fine(value) or (value is None and field.allow_none):
                found[column] = value
                continue
            try:
                found[column] = _value(field, value)
            except ValidationError as error:
                faults.extend(_spell(error.messages, f"{path}.{name}"))
        for name in self.needs:
            if name not in row:
                faults.append((f"{path}.{name}", "Missing data for required field."))
            elif name == self.id and row[name] == "":
                faults.append((f"{path}.{name}", "Must not be empty."))
        return found


def _value(field: fields.Field, value: Any) -> Any:
    """The column's value: times in the wire's form, JSON checked and kept as it was sent. Raises ValidationError."""
    loaded = field.deserialize(value)
    return value if isinstance(field, fields.Nested | fields.List | fields.Dict) else loaded


# A quick look tells of nearly all values of a large document that they can stay as they are. Of the others
# marshmallow says what they become, or what is wrong with them.


def quick_look(field: fields.Field) -> Check:
    """Tells whether a value is surely what the field loads it as."""
    if field.validators and not isinstance(field, fields.Nested):
        return never
    if isinstance(field, fields.List) and type(field) is fields.List:
        inner = quick_look(field.inner)
        return lambda value: type(value) is list and all(map(inner, value))
    if isinstance(field, fields.Nested) and isinstance(field.schema, PartSchema) and not field.many:
        return _quick_look_at_object(field.schema)
    return _QUICK.get(type(field), never)


def _quick_look_at_object(schema: PartSchema) -> Check:
    looks = {f.data_key or name: (quick_look(f), bool(f.allow_none)) for name, f in schema.load_fields.items()}
    required = {f.data_key or name for name, f in schema.load_fields.items() if f.required}
    other = (never, False)

    def is_fine(value: Any) -> bool:
        if type(value) is not dict or not required <= value.keys():
            return False
        for name, member in value.items():
            look, nullable = looks.get(name, other)
            if not (look(member) or (member is None and nullable)):
                return False
        return True

    return is_fine


def never(value: Any) -> bool:
    """It takes more than a quick look."""
    return False


def is_text(value: Any) -> bool:
    """A text."""
    return type(value) is str


def is_stamp(value: Any) -> bool:
    """A time in exactly the wire's form."""
    if type(value) is not str or len(value) != 24 or value[10] != "T" or value[19] != "." or value[23] != "Z":
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return value[5] != "W"  # the date may not be one by weeks


_QUICK: Mapping[type[fields.Field], Check] = {
    fields.String: is_text,
    Timestamp: is_stamp,
    Boolean: lambda value: type(value) is bool,
    Integer: lambda value: type(value) is int and -(2**63) <= value < 2**63,
    Number: lambda value: type(value) is float or (type(value) is int and -(2**63) <= value < 2**63),
    JsonObject: lambda value: type(value) is dict,
    fields.Raw: lambda value: value is not None,
}


def _spell(messages: Any, path: str) -> Iterator[tuple[str, str]]:
    """marshmallow's tree of messages as pairs of path and message."""
    if isinstance(messages, dict):
        for name, inner in messages.items():
            step = f"[{name}]" if isinstance(name, int) else "" if name in ("_schema", "value") else f".{name}"
            yield from _spell(inner, path + step.replace(".[", "["))
    elif isinstance(messages, list):
        for message in messages:
            yield from _spell(message, path)
    else:
        yield path, str(messages)


# Members that only the state document has


def text(**kwargs: Any) -> fields.String:
    """A text."""
    return fields.String(**kwargs)


def null_text(**kwargs: Any) -> fields.String:
    """A text or null."""
    return fields.String(allow_none=True, **kwargs)


class TextsAsText(fields.String):
    """The JSON text of an array of texts, or the array. Loads as the text."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        try:
            texts = orjson.loads(value) if isinstance(value, str) else value
        except orjson.JSONDecodeError:
            raise ValidationError("Not valid JSON text.") from None
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise ValidationError("Must be an array of texts, or its JSON text.")
        return value if isinstance(value, str) else orjson.dumps(value).decode()


class ContactRows(fields.Raw):
    """What a campaign has to call: objects in an array, or, as the record is typed, any object."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        rows = value if isinstance(value, list) else [value]
        if not all(isinstance(row, dict) for row in rows):
            raise ValidationError("Must be an array of objects, or an object.")
        return value


class Digest(fields.String):
    """The hex SHA-256 of a key."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        found = super()._deserialize(value, attr, data, **kwargs)
        if len(found) != 64 or not set(found) <= set("0123456789abcdef"):
            raise ValidationError("Must be 64 lower-case hex digits.")
        return found


class ApiKeys(fields.Field):
    """A team's keys: clear texts, or objects of `form`."""

    def __init__(self, form: RowForm) -> None:
        super().__init__()
        self.form = form

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Row]:
        if not isinstance(value, list):
            raise ValidationError("Must be a list.")
        faults: Faults = []
        keys = []
        for index, key in enumerate(value):
            if isinstance(key, str) and key:
                keys.append({"secret": key})
            elif isinstance(key, dict):
                keys.append(self.form.read(key, f"[{index}]", faults, strict=False))
            else:
                faults.append((f"[{index}]", "Must be a text that is not empty, or an object."))
        if faults:
            raise ValidationError({path: [message] for path, message in faults})
        return keys
