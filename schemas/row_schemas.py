"""Row schemas: how a collection's rows are read from a state document, each field by the record's own schema."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

import orjson
from marshmallow import INCLUDE, ValidationError, fields

from dryline.schemas.base import ApiSchema, Boolean, JsonObject, camel, unknown_field
from dryline.settings import header_problem
from dryline.storage.json_shapes import Shapes, other_shapes

MOST_FAULTS = 20  # reported errors of one document

Row = dict[str, Any]
Faults = list[tuple[str, str]]


class RowSchema:
    """The fields of a collection's rows: those of the record's `schema` except `without`, and `further` ones.

    `needs` names the fields that a row must have besides its id. `on_export` is called with each exported row. `shapes`
    are those of the JSON that the contract leaves open: the columns with others are noted in `other_shapes`.
    """

    def __init__(
        self,
        schema: type[ApiSchema] | None,
        needs: str = "",
        *,
        without: str = "",
        id: str = "id",
        on_export: Callable[[Row], None] | None = None,
        shapes: Shapes | None = None,
        **further: fields.Field,
    ) -> None:
        self._schema, self._without, self._further = schema, without.split(), further
        self.id = id
        self.on_export = on_export
        self._shapes = shapes or {}
        self.needs = tuple(dict.fromkeys(f"{id} {needs}".split()))

    @cached_property
    def _columns(self) -> Mapping[str, tuple[str, fields.Field]]:
        """The column and the field of each row field, by its name on the wire."""
        record = dict(self._schema().fields) if self._schema else {}
        for name in self._schema.Meta.null_in_answers if self._schema else ():
            record[name].allow_none = True
        exported = {name: f for name, f in record.items() if not f.load_only and name not in self._without}
        return {
            field.data_key or camel(name): (field.attribute or name, field)
            for name, field in {**exported, **self._further}.items()
        }

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The column of each row field, by its name on the wire."""
        return {key: column for key, (column, _) in self._columns.items()}

    @cached_property
    def _accepted(self) -> Mapping[str, tuple[str, fields.Field]]:
        # `teamId` is not exported, but accepted with every row; it must be that of the row's parent.
        return {"teamId": ("team_id", fields.String()), **self._columns}

    def read(self, row: Any, path: str, faults: Faults, unknown: Faults) -> Row:
        """Return the row's values by column. Its errors are appended to `faults`, unknown members to `unknown`."""
        if not isinstance(row, dict):
            faults.append((path, "Must be an object."))
            return {}
        values: Row = {}
        accepted = self._accepted
        for name, value in row.items():
            if name not in accepted:
                unknown.append((f"{path}.{name}", unknown_field(name, tuple(accepted))))
                continue
            column, field = accepted[name]
            is_plain = type(value) is _PLAIN.get(type(field)) and not field.validators
            if is_plain or (value is None and field.allow_none):
                values[column] = value
                continue
            try:
                loaded = field.deserialize(value)
            except ValidationError as error:
                faults.extend(_flatten_row_messages(error.messages, f"{path}.{name}"))
            else:  # times are stored in wire form, JSON as sent
                values[column] = value if isinstance(field, fields.Nested | fields.List | fields.Dict) else loaded
        for name in self.needs:
            if name not in row:
                faults.append((f"{path}.{name}", "Missing data for required field."))
            elif row[name] is None and accepted[name][1].allow_none:  # an answer of the API may have null there
                faults.append((f"{path}.{name}", "Field may not be null."))
            elif name == self.id and row[name] == "":
                faults.append((f"{path}.{name}", "Must not be empty."))
        if others := other_shapes(self._shapes, values):
            values["other_shapes"] = others
        return values

    def read_columns(self, row: Any, path: str, faults: Faults) -> Row:
        """Return a row whose names are those of columns, checked as `read` does. Names without a field stay as sent."""
        if not isinstance(row, dict):
            faults.append((path, "Must be an object."))
            return {}
        on_the_wire = {name: row[column] for name, column in self.names.items() if column in row}
        rest = {name: value for name, value in row.items() if name != "other_shapes"}
        return rest | self.read(on_the_wire, path, faults, [])

    def unknown_parts(self, row: Row, path: str) -> Iterator[tuple[str, str]]:
        """Yield the unknown members of the records inside a row, with messages."""
        for name, value in row.items():
            if name in self._columns:
                yield from _unknown_parts(self._columns[name][1], value, f"{path}.{name}")


def _unknown_parts(field: fields.Field | None, value: Any, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(field, ApiKeys):
        known = tuple(field.row_schema.names)
        keys = value if isinstance(value, list) else []
        for index, key in enumerate(keys):
            names = key if isinstance(key, dict) else {}
            for name in names:
                if name not in known:
                    yield f"{path}[{index}].{name}", unknown_field(name, known)
    elif isinstance(value, list) and isinstance(field, fields.List):
        for index, one in enumerate(value):
            yield from _unknown_parts(field.inner, one, f"{path}[{index}]")
    elif isinstance(value, dict) and isinstance(field, fields.Dict):
        for name, one in value.items():
            yield from _unknown_parts(field.value_field, one, f"{path}.{name}")
    elif isinstance(value, dict) and isinstance(field, fields.Nested) and field.schema.unknown != INCLUDE:
        parts = {each.data_key or name: each for name, each in field.schema.fields.items()}
        for name, one in value.items():
            if name in parts:
                yield from _unknown_parts(parts[name], one, f"{path}.{name}")
            else:
                yield f"{path}.{name}", unknown_field(name, tuple(parts))


# The type of the values that a field without validators loads unchanged. Most values are such: with marshmallow for all
# of them, a reset to the demo takes a quarter longer.
_PLAIN: Mapping[type[fields.Field], type] = {fields.String: str, JsonObject: dict, Boolean: bool}


def _flatten_row_messages(messages: Any, path: str) -> Iterator[tuple[str, str]]:
    """Yield (path, message) from marshmallow's nested messages."""
    if isinstance(messages, dict):
        for name, inner in messages.items():
            if isinstance(name, int):
                step = f"[{name}]"
            elif name in ("_schema", "value"):
                step = ""
            else:
                step = f".{name}"
            yield from _flatten_row_messages(inner, path + step.replace(".[", "["))
    elif isinstance(messages, list):
        for message in messages:
            yield from _flatten_row_messages(message, path)
    else:
        yield path, str(messages)


# Fields that only the state document has


class TextsAsText(fields.String):
    """An array of texts or its JSON text, loaded as JSON text."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        try:
            texts = orjson.loads(value) if isinstance(value, str) else value
        except orjson.JSONDecodeError:
            raise ValidationError("Not valid JSON text.") from None
        if not isinstance(texts, list) or not all(isinstance(one, str) for one in texts):
            raise ValidationError("Must be an array of texts, or its JSON text.")
        return value if isinstance(value, str) else orjson.dumps(value).decode()


class Digest(fields.String):
    """The hexadecimal SHA-256 of a key."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        digest = super()._deserialize(value, attr, data, **kwargs)
        if len(digest) != 64 or not set(digest) <= set("0123456789abcdef"):
            raise ValidationError("Must be 64 lower-case hex digits.")
        return digest


def require_header_value(value: str) -> None:
    """Check that a header can carry a key. Raises ValidationError."""
    if problem := header_problem(value):
        raise ValidationError(f"{problem[0].upper()}{problem[1:]}")


class ApiKeys(fields.Field):
    """A team's keys: texts in clear, or objects of `row_schema`."""

    def __init__(self, row_schema: RowSchema) -> None:
        super().__init__()
        self.row_schema = row_schema

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> list[Row]:
        if not isinstance(value, list):
            raise ValidationError("Must be a list.")
        faults: Faults = []
        keys = []
        for index, key in enumerate(value):
            if isinstance(key, str):
                if problem := header_problem(key):
                    faults.append((f"[{index}]", f"It {problem}"))
                keys.append({"secret": key})
            elif isinstance(key, dict):
                keys.append(self.row_schema.read(key, f"[{index}]", faults, []))
            else:
                faults.append((f"[{index}]", "Must be a text or an object."))
        if faults:
            raise ValidationError({path: [message] for path, message in faults})
        return keys
