"""Types of options and arguments that several commands share."""

import json
import re
from typing import Any

import click

_UNIT_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class Duration(click.ParamType):
    """A duration such as `90`, `90s`, `5m`, `2h` or `1d`, converted to seconds."""

    name = "duration"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", str(value))
        if match is None:
            self.fail(f"{value!r} is not like 90s, 5m, 2h or 1d.", param, ctx)
        return float(match[1]) * _UNIT_SECONDS[match[2]]


class CommaSeparated(click.types.StringParamType):
    """A text. A variable of a repeatable option has several, with commas between them."""

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the texts of a variable."""
        return [value.strip() for value in rv.split(",")]


class JsonParam(click.ParamType):
    """A JSON text, converted to its value."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            return json.loads(value)
        except ValueError as error:
            self.fail(f"it is not valid JSON: {error}.", param, ctx)


class JsonObjectParam(JsonParam):
    """A JSON object, converted to a dict."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        document = super().convert(value, param, ctx)
        if not isinstance(document, dict):
            self.fail("it must be a JSON object.", param, ctx)
        return document
