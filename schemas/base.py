"""The base of all schemas: camelCase on the wire, strict types in bodies, records dumped by renaming their fields."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from difflib import get_close_matches
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Any, ClassVar, Self

from marshmallow import EXCLUDE, INCLUDE, RAISE, Schema, ValidationError, fields, types, validate

from dryline.world.clock import EARLIEST, LATEST, parse, wire
from dryline.world.wording import camel

MAX_PATH_PATTERN = 2_000  # characters
_LONGEST_NAME = 100  # characters; the names of fields have up to 40
_MOST_COMPARED = 100  # unknown names of a body, for a name that is missing
# The beginning of every message about an unknown field.
UNKNOWN = "Unknown field"
# That of marshmallow's message about a missing one.
MISSING = "Missing data for required field"


def unknown_field(name: str, known: tuple[str, ...]) -> str:
    """Return the message about an unknown name, with the nearest known one."""
    return UNKNOWN + _end_of_message(_nearest_name(name, known))


def _nearest_name(name: str, known: tuple[str, ...]) -> str | None:
    """Return the known name that an unknown one stands for; None for a name that is like none of them."""
    return _cached_nearest_name(name, known) if len(name) <= _LONGEST_NAME else None


@lru_cache(maxsize=1_000)
def _cached_nearest_name(name: str, known: tuple[str, ...]) -> str | None:
    if camel(name) in known:
        return camel(name)
    return _nearest_spelling(name, known)


def _nearest_spelling(name: str, known: Iterable[str]) -> str | None:
    return next(iter(get_close_matches(name, known, n=1)), None)


def _end_of_message(near: str | None) -> str:
    return f"; did you mean {near}?" if near else "."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest known one, or a full stop."""
    return _end_of_message(_nearest_spelling(name, known))


class ApiSchema(Schema):
    """A record or a body. Names become camelCase, unknown fields are ignored, dumping only renames.

    A record has one schema. Its body, its patch (`partial=True`) and its answer follow from it: `dump_only` marks the
    fields that only answers have, `load_only` those that only bodies have. `Meta.sometimes` names the fields that an
    answer may lack; the OpenAPI document marks the others as required. `Meta.null_in_answers` names those that a body
    may leave out but not send as null. `Meta.without_effect` names the fields of a body that are checked and then
    dropped.
    """

    class Meta:
        unknown = EXCLUDE
        sometimes: ClassVar[tuple[str, ...]] = ()
        null_in_answers: ClassVar[tuple[str, ...]] = ()
        without_effect: ClassVar[tuple[str, ...]] = ()

    # The name of the record in the OpenAPI document: `Worker`. A request's is `WorkerBody` or `WorkerPatch`.
    record_name: ClassVar[str]

    error_messages: dict[str, str] = {"type": "Must be a JSON object."}  # noqa: RUF012  # declared so by marshmallow

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Name the record: `WorkerSchema`, `WorkerBody` and `WorkerUpdateBody` are all of a `Worker`."""
        super().__init_subclass__(**kwargs)
        cls.record_name = cls.__name__.removesuffix("Schema").removesuffix("Body").removesuffix("Update")

    def __deepcopy__(self, memo: Any) -> Self:
        """Return the schema itself. It never changes, and flask-smorest copies it with every decorator of a view."""
        return self

    def on_bind_field(self, field_name: str, field_obj: fields.Field) -> None:
        """Set the field's name on the wire."""
        if field_obj.data_key is None:
            field_obj.data_key = camel(field_name)

    def load(
        self,
        data: Any,
        *,
        many: bool | None = None,
        partial: bool | types.StrSequenceOrSet | None = None,
        unknown: types.UnknownOption | None = None,
    ) -> Any:
        """Return the checked fields of a body, by the names of their attributes. Raises ValidationError.

        A creation may leave out required fields that may be null. A schema that refuses unknown fields (`strict`)
        requires them.
        """
        is_creation = not (self.partial if partial is None else partial)
        if self._nullable_as_null and is_creation and (unknown or self.unknown) != RAISE and isinstance(data, Mapping):
            data = {**self._nullable_as_null, **data}
        loaded = super().load(data, many=many, partial=partial, unknown=unknown)
        for name in self.Meta.without_effect:
            loaded.pop(name, None)
        return loaded

    def handle_error(self, error: ValidationError, data: Any, **kwargs: Any) -> None:
        """Add the nearest name to the messages about unknown and missing fields."""
        messages = error.messages
        if isinstance(messages, dict):
            for name, texts in messages.items():
                if texts == [self.error_messages["unknown"]]:
                    messages[name] = [unknown_field(str(name), self._loaded_names)]
                elif texts == [f"{MISSING}."] and isinstance(data, Mapping):
                    messages[name] = [self._missing_field(str(name), data)]

    def _missing_field(self, name: str, data: Mapping[str, Any]) -> str:
        """Return the message about a missing field, with the similar name that was sent in its place."""
        unknown = (sent for sent in map(str, data) if sent not in self._loaded_names)
        for sent in islice(unknown, _MOST_COMPARED):
            if _nearest_name(sent, self._loaded_names) == name:
                return f"{MISSING}; {sent} is unknown, did you mean {name}?"
        return f"{MISSING}."

    @cached_property
    def _loaded_names(self) -> tuple[str, ...]:
        """The names on the wire of the fields of a body."""
        return tuple(field.data_key or "" for field in self.load_fields.values())

    @cached_property
    def _nullable_as_null(self) -> Mapping[str, None]:
        """The required fields that may be null, as null."""
        return {f.data_key: None for f in self.load_fields.values() if f.required and f.allow_none and f.data_key}

    @cached_property
    def wire_names(self) -> Mapping[str, str]:
        """The attribute of each dumped field, by its name on the wire."""
        return {f.data_key: f.attribute or name for name, f in self.dump_fields.items() if f.data_key}

    @cached_property
    def _nested_schemas(self) -> list[tuple[str, ApiSchema]]:
        """The dumped fields that are records, with their schemas."""
        nested = []
        for field in self.dump_fields.values():
            inner = field.inner if isinstance(field, fields.List) else field
            if isinstance(inner, fields.Nested) and isinstance(inner.schema, ApiSchema) and field.data_key:
                nested.append((field.data_key, inner.schema))
        return nested

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form of a record, of `Rows`, of a list of records, or of a dict by attributes.

        A record is a `Projectable` (storage/projection.py).
        """
        if obj is None:
            return None
        names = self.wire_names
        if isinstance(obj, list):
            return [self.dump(item, many=False) for item in obj]
        if isinstance(obj, dict):
            dumped = {name: obj[attribute] for name, attribute in names.items() if attribute in obj}
        else:
            dumped = obj.project(names)
        if self._nested_schemas:
            self._dump_nested(dumped if isinstance(dumped, list) else [dumped])
        return dumped

    def _dump_nested(self, rows: list[dict[str, Any]]) -> None:
        for name, schema in self._nested_schemas:
            for row in rows:
                value = row.get(name)
                # JSON from a column is in wire form already, records are not.
                if value and (hasattr(value, "project") or _holds_records(value)):
                    row[name] = schema.dump(value)


def instance_of(schema: Any) -> Any:
    """Return the shared instance of a schema class; anything else unchanged."""
    return _cached_instance(schema) if isinstance(schema, type) else schema


@cache
def _cached_instance(schema: type) -> Any:
    return schema()


@cache
def strict(schema: ApiSchema) -> ApiSchema:
    """Return the schema that refuses unknown fields at every depth, and requires fields that may be null.

    Schemas with `unknown = INCLUDE` accept any field here too, as the contract does.
    """
    only = None if schema.only is None else set(schema.only)
    strict_schema = type(schema)(
        only=only, exclude=schema.exclude, many=schema.many, partial=schema.partial, unknown=RAISE
    )
    _refuse_unknown(strict_schema)
    return strict_schema


def _refuse_unknown(schema: Schema) -> None:
    for member in schema.load_fields.values():
        field: fields.Field | None = member
        while isinstance(field, fields.List | fields.Dict):
            field = field.inner if isinstance(field, fields.List) else field.value_field
        if isinstance(field, fields.Nested):
            if field.schema.unknown != INCLUDE:
                field.unknown = RAISE
            _refuse_unknown(field.schema)


def _holds_records(value: Any) -> bool:
    return isinstance(value, list) and hasattr(value[0], "project")


class PartSchema(ApiSchema):
    """A piece of JSON inside a record, stored as sent. Its required fields are required in bodies and answers alike."""


class QuerySchema(ApiSchema):
    """Query parameters. All are text, so numbers and flags need the fields below."""


class Integer(fields.Integer):
    """A JSON integer of at most 64 bits; neither text nor a flag."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(strict=True, **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not -(2**63) <= value < 2**63:
            raise self.make_error("invalid", input=value)
        return value


class Number(fields.Float):
    """A finite JSON number. An integer stays an integer."""

    def _serialize(self, value: Any, attr: Any, obj: Any, **kwargs: Any) -> Any:
        return value

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.make_error("invalid", input=value)
        if not math.isfinite(value):  # JSON has no such number; LenientNumber reads text
            raise self.make_error("special", input=value)
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise self.make_error("too_large", input=value)
        return value


class Boolean(fields.Boolean):
    """A JSON true or false."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> bool:
        if not isinstance(value, bool):
            raise self.make_error("invalid", input=value)
        return value


class QueryInteger(fields.Integer):
    """An integer in a query string."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        if not isinstance(value, str) or not re.fullmatch(r"-?[0-9]{1,18}", value):
            raise self.make_error("invalid", input=value)
        return int(value)


class QueryBoolean(fields.Boolean):
    """A flag in a query string: `true` or `false`."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(truthy={"true", "True"}, falsy={"false", "False"}, **kwargs)


class WindowSchema(QuerySchema):
    """The part of a list to return."""

    limit = QueryInteger(load_default=20, validate=validate.Range(1, 100))
    offset = QueryInteger(load_default=0, validate=validate.Range(0))


class Timestamp(fields.String):
    """An ISO 8601 time that a row can have. Any offset is accepted, none means UTC; stored as the API writes it.

    With `needs_offset` a time without an offset is refused, as its sender may mean local time.
    """

    default_error_messages = {  # noqa: RUF012  # declared so by marshmallow
        "invalid": "Not a valid datetime, such as 2026-01-31T09:00:00Z.",
        "no_offset": "Has no time zone: add one, such as the Z of 2026-01-31T09:00:00Z.",
        "out_of_range": f"Must be from {wire(EARLIEST)} to {wire(LATEST)}.",
    }

    def __init__(self, *, needs_offset: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.needs_offset = needs_offset

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        moment = self._moment(value)
        if not EARLIEST <= moment <= LATEST:
            raise self.make_error("out_of_range", input=value)
        return wire(moment)

    def _moment(self, value: Any) -> datetime:
        try:
            moment = parse(value)
        except (TypeError, ValueError) as error:
            raise self.make_error("invalid", input=value) from error
        if self.needs_offset and datetime.fromisoformat(value).tzinfo is None:
            raise self.make_error("no_offset", input=value)
        return moment


class PathPattern(fields.String):
    """A pattern of paths, as world/path_patterns.py reads it. It is bounded, because matching it takes a while."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(validate=validate.Length(max=MAX_PATH_PATTERN), **kwargs)


class AnyTime(Timestamp):
    """A time anywhere in the calendar: of a filter, whose ends may be those of the calendar, or of the clock."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        return wire(self._moment(value))


class PageSchema(ApiSchema):
    """A part of a list with the list's length. Subclasses add `data`."""

    total = Integer()
    has_more = Boolean()


class JsonObject(fields.Dict):
    """A JSON object of any content."""


def OneOf(*choices: str) -> validate.OneOf:
    """Return a validator for a closed set of values."""
    return validate.OneOf(choices)


class ErrorDetailSchema(ApiSchema):
    """An invalid field."""

    path = fields.String(required=True, metadata={"description": "field or query parameter, with dots if nested"})
    message = fields.String(required=True, metadata={"description": "description of the error"})


class ErrorSchema(ApiSchema):  # Contract: records.error
    """The body of every answer with a status of 400 or above."""

    class Meta(ApiSchema.Meta):
        sometimes = ("details",)

    error = fields.String(required=True, metadata={"description": "description of the error, in a sentence"})
    details = fields.List(fields.Nested(ErrorDetailSchema), metadata={"description": "the invalid fields of a 400"})
