"""JSON that comes as text, or becomes text. The API has a few members that are one in bodies and the other in answers."""

from __future__ import annotations

from typing import Any

import orjson
from marshmallow import ValidationError, fields


class JsonTextOrObject(fields.Raw):
    """A JSON object, or the JSON text of one. Loads as the object."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.metadata = {"oneOf": [{"type": "string"}, {"type": "object"}], **self.metadata}

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        if isinstance(value, str):
            try:
                value = orjson.loads(value)
                orjson.dumps(value)  # what is nested too deeply to be answered is refused here
            except (orjson.JSONDecodeError, TypeError) as error:
                raise ValidationError("Not valid JSON text.") from error
        if not isinstance(value, dict):
            raise ValidationError("Not a JSON object, nor the JSON text of one.")
        return value


class JsonText(JsonTextOrObject):
    """The JSON text of an object. Loads as the object; an empty text is none."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.metadata = {**self.metadata, "oneOf": [{"type": "string"}]}

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str):
            raise ValidationError("Not a valid string.")
        return super()._deserialize(value, attr, data, **kwargs) if value else None


class StringsAsText(fields.List):
    """An array of strings. Loads as its JSON text, which is how the API answers it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        return orjson.dumps(super()._deserialize(value, attr, data, **kwargs)).decode()


class AsSent(fields.Nested):
    """JSON that is checked against a schema and kept as it was sent, members that the schema lacks included."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        kwargs["partial"] = False
        super()._deserialize(value, attr, data, **kwargs)
        return value
