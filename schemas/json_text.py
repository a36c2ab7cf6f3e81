"""JSON that comes as text, or becomes text: what a few members are in bodies but not in answers, or the reverse."""

from __future__ import annotations

from typing import Any

import orjson
from marshmallow import ValidationError, fields

from dryline.storage.nesting import too_deep


class ObjectAsText(fields.String):
    """The JSON text of an object, or the object itself. Loads as the object."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            value = decode(super()._deserialize(value, attr, data, **kwargs))
        if not isinstance(value, dict):
            raise ValidationError("Not the JSON text of an object.")
        return value


class FunctionsText(fields.String):
    """Text that answers as an object: the one whose JSON it is, `{"text": …}` for any other, null for an empty one."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            found = decode(text)
        except ValidationError:
            found = None
        return found if isinstance(found, dict) else {"text": text} if text else None


class StringsAsText(fields.List):
    """An array of strings. Loads as its JSON text, which is how the API answers it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return orjson.dumps(super()._deserialize(value, attr, data, **kwargs)).decode()


class AsSent(fields.Nested):
    """JSON that is checked against a schema and kept as it was sent, members that the schema lacks included."""

    def _deserialize(self, value: Any, attr: Any, data: Any, partial: Any = None, **kwargs: Any) -> Any:
        # An update may leave out members of the record, but not of its pieces.
        super()._deserialize(value, attr, data, partial=False, **kwargs)
        return value


def decode(text: str) -> Any:
    """What the JSON text says. Raises ValidationError, also for what is nested too deeply to be kept."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise ValidationError("Not valid JSON text.") from error
    if too_deep(text, value):
        raise ValidationError("Nested too deeply.")
    return value
