"""Records with JSON that the contract leaves open, and what dryline reads of it. See storage/json_shapes.py."""

from collections.abc import Mapping
from typing import Any

from dryline.storage.json_shapes import readable
from dryline.storage.record import JsonField, Record


class OpenJsonRecord(Record):
    """A record whose JSON may have other shapes than dryline reads. `other_shapes` names these columns, or is None."""

    other_shapes = JsonField(null=True)

    def readable(self, column: str) -> Any:
        """Return the JSON of a column; None if it has another shape, or if the record has no such column."""
        return readable(self.__data__, column)

    def unreadable(self, column: str) -> Any:
        """Return the JSON of a column if it has another shape than dryline reads, or else None."""
        return self.__data__[column] if column in (self.other_shapes or ()) else None


# Members of the rows of logs, by column names.


def messages_of(row: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the messages of a log."""
    messages = readable(row, "messages")
    return messages["messages"] if messages else []


def trace_of(row: Mapping[str, Any]) -> list[dict[str, Any]] | None:
    """Return the flow's steps in a log, or None if it has no trace."""
    return (readable(row, "session_log_data") or {}).get("trace")


def analysis_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the analysis of a call, such as its summary and sentiment."""
    return (readable(row, "data") or {}).get("call_analysis") or {}
