"""Schemas that checks of requests and of deliveries share: how many are expected, and how long to wait for them."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from dryline.schemas.base import ApiSchema, Integer


class TimesSchema(ApiSchema):
    """The expected number of requests."""

    error_messages = {"type": "Must be a number, or an object with min and max."}  # noqa: RUF012

    min = Integer(load_default=None, validate=validate.Range(0), metadata={"description": "least number of requests"})
    max = Integer(load_default=None, validate=validate.Range(0), metadata={"description": "most requests"})

    @validates_schema
    def check_bounds(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that some number is within the bounds."""
        if None not in (data["min"], data["max"]) and data["min"] > data["max"]:
            raise ValidationError("Must not be less than min.", "max")


class Times(fields.Nested):
    """Bounds, or a number of requests that is exact."""

    other_schemas = ({"type": "integer", "minimum": 0},)

    def _deserialize(self, value: Any, attr: Any, data: Any, partial: Any = None, **kwargs: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = {"min": value, "max": value}
        return super()._deserialize(value, attr, data, partial, **kwargs)


class ExpectedSchema(ApiSchema):
    """An expected number. Without `times`, at least one is expected; a number is exact."""

    times = Times(TimesSchema, load_default=None)


class AwaitedSchema(ApiSchema):
    """The terms of waiting. Subclasses add `count`."""

    timeout_ms = Integer(
        load_default=10_000,
        validate=validate.Range(0, 60_000),
        metadata={"description": "longest time to wait, in milliseconds of real time"},
    )


def awaited_count(of_what: str) -> Integer:
    """Return the field for the number to wait for."""
    return Integer(load_default=1, validate=validate.Range(1, 10_000), metadata={"description": f"number of {of_what}"})
