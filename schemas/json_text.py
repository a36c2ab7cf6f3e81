"""Fields for JSON that is text on one side of the API and a value on the other."""

from typing import Any

import orjson
from marshmallow import ValidationError, fields

from dryline.storage.json_values import is_too_deep, loads


class ObjectAsText(fields.String):
    """An object or its JSON text, loaded as the object."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            value = decode_json_text(super()._deserialize(value, attr, data, **kwargs))
        if not isinstance(value, dict):
            raise ValidationError("Not the JSON text of an object.")
        return value


class ObjectOrObjects(fields.Dict):
    """An object, or a list of objects."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return [super(ObjectOrObjects, self)._deserialize(one, attr, data, **kwargs) for one in value]
        return super()._deserialize(value, attr, data, **kwargs)


class FunctionsText(fields.String):
    """A list of objects, loaded as sent, or a text.

    A text is loaded as the object whose JSON it is, else as `{"text": …}`; an empty text as null.
    """

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list) and all(isinstance(one, dict) for one in value):
            return value
        text = super()._deserialize(value, attr, data, **kwargs)
        try:
            value = decode_json_text(text)
        except ValidationError:
            value = None
        if isinstance(value, dict):
            return value
        return {"text": text} if text else None


class StringsAsText(fields.List):
    """An array of strings, loaded as its JSON text, which is how the API returns it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return orjson.dumps(super()._deserialize(value, attr, data, **kwargs)).decode()


class StoredAsSent(fields.Nested):
    """JSON that is checked by a schema and stored as sent, with unknown fields."""

    def _deserialize(self, value: Any, attr: Any, data: Any, partial: Any = None, **kwargs: Any) -> Any:
        # An update may leave out fields of the record, but not fields of its parts.
        super()._deserialize(value, attr, data, partial=False, **kwargs)
        return value


def decode_json_text(text: str) -> Any:
    """Return the value of JSON text. Raises ValidationError, also for JSON that is nested too deeply to be stored."""
    try:
        value = loads(text)
    except orjson.JSONDecodeError as error:
        raise ValidationError("Not valid JSON text.") from error
    except ValueError as error:
        raise ValidationError(f"Not valid JSON text: {error}.") from error
    if is_too_deep(text, value):
        raise ValidationError("Nested too deeply.")
    return value
