"""The shapes of stored JSON that the contract leaves open, as pages and background work read it.

Such JSON is never refused and never changed: the API answers what came in. It is checked once, where it comes in: in a
state document (schemas/row_schemas.py), in a gateway's request (models/llm_logs.py), in an older database (a step of
`storage/migrations/`). The column `other_shapes` then names the columns that have another shape. Whoever reads such
JSON asks for it with `readable`, and trusts its shape. Pages show the rest as JSON.

A change of a shape needs a step in `storage/migrations/` that calls `note_other_shapes`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import orjson
from peewee import SqliteDatabase, chunked

Row = dict[str, Any]
# The check of each column with open JSON.
Shapes = Mapping[str, Callable[[Any], bool]]

LONGEST_S = 1e9  # no conversation lasts longer, and no page could draw it


def readable(row: Mapping[str, Any], column: str) -> Any:
    """Return the JSON of a column; None if it has another shape, or if the row has no such column."""
    return None if column in (row.get("other_shapes") or ()) else row.get(column)


def other_shapes(shapes: Shapes, row: Mapping[str, Any]) -> list[str] | None:
    """Return the columns of a row whose JSON has another shape; None if there are none."""
    others = [
        column for column, has_shape in shapes.items() if row.get(column) is not None and not has_shape(row[column])
    ]
    return others or None


# Values


def _is_text(value: Any) -> bool:
    return value is None or type(value) is str


def _is_number(value: Any) -> bool:
    """Return whether a value is a number of seconds or milliseconds in a conversation, or null."""
    return value is None or (type(value) in (int, float) and 0 <= value <= LONGEST_S)


def _is_object(value: Any) -> bool:
    return value is None or type(value) is dict


def _is_list(value: Any, is_item: Callable[[Any], bool]) -> bool:
    return value is None or (type(value) is list and all(map(is_item, value)))


# Columns


def _is_conversation(value: Any) -> bool:
    """Check `messages`: an object whose `messages` is a list of messages."""
    return type(value) is dict and type(value.get("messages")) is list and all(map(_is_message, value["messages"]))


def _is_message(value: Any) -> bool:
    """Check a message: it has a `role`. Its `content` is any JSON."""
    return (
        type(value) is dict
        and type(value.get("role")) is str
        and _is_number(value.get("start"))
        and _is_number(value.get("end"))
        and _is_text(value.get("createdAt"))
        and _is_text(value.get("timestamp"))
    )


def _is_trace(value: Any) -> bool:
    """Check the steps of a flow."""
    return _is_list(value, _is_step)


def _is_step(value: Any) -> bool:
    """Check a step: its name is `step`, or `type` as another server may write it. Further members are any JSON."""
    return (
        type(value) is dict
        and type(value.get("step") or value.get("type")) is str
        and _is_number(value.get("at"))
        and (value.get("line") is None or type(value["line"]) is int)
        and _is_text(value.get("condition"))
    )


def _is_session_log(value: Any) -> bool:
    """Check `session_log_data`, which may have a `trace`."""
    return type(value) is dict and _is_trace(value.get("trace"))


def _is_metadata(value: Any) -> bool:
    """Check `metadata`, which may have the id of a campaign and the `wsUrl` of a batch."""
    return type(value) is dict and _is_text(value.get("campaignId")) and _is_text(value.get("wsUrl"))


def _is_call_data(value: Any) -> bool:
    """Check `data` of a call: its latency, its analysis and the reason of its end."""
    return (
        type(value) is dict
        and (value.get("latency") is None or _is_latency(value["latency"]))
        and (value.get("call_analysis") is None or _is_analysis(value["call_analysis"]))
        and _is_text(value.get("disconnection_reason"))
    )


def _is_latency(value: Any) -> bool:
    """Check a latency: percentiles, and the value of each answer."""
    percentiles = ("p50", "p90", "p95", "p99")
    return (
        type(value) is dict
        and all(_is_number(value.get(name)) for name in percentiles)
        and _is_list(value.get("values"), _is_number)
    )


def _is_analysis(value: Any) -> bool:
    return type(value) is dict and _is_text(value.get("call_summary")) and _is_text(value.get("user_sentiment"))


def _is_success_results(value: Any) -> bool:
    """Check `success_results`: an object whose `criteria` is a list of results."""
    return type(value) is dict and type(value.get("criteria")) is list and all(map(_is_criterion, value["criteria"]))


def _is_criterion(value: Any) -> bool:
    return type(value) is dict and _is_text(value.get("title")) and _is_list(value.get("items"), _is_result)


def _is_result(value: Any) -> bool:
    return type(value) is dict and _is_text(value.get("title")) and _is_text(value.get("reason"))


def _is_llm_log_data(value: Any) -> bool:
    """Check `data` of an LLM log: if it has a response with JSON, that of a chat completion."""
    if type(value) is not dict or not _is_object(value.get("response")):
        return False
    body = (value.get("response") or {}).get("json")
    return _is_object(body) and (
        body is None or (_is_list(body.get("choices"), _is_choice) and _is_object(body.get("usage")))
    )


def _is_choice(value: Any) -> bool:
    if type(value) is not dict or not _is_object(value.get("message")):
        return False
    return _is_list((value.get("message") or {}).get("tool_calls"), _is_tool_call)


def _is_tool_call(value: Any) -> bool:
    return type(value) is dict and _is_object(value.get("function"))


def _are_changes(value: Any) -> bool:
    """Check `changes` of a deployment: each has its old and its new value."""
    return type(value) is dict and all(
        type(change) is dict and "from" in change and "to" in change for change in value.values()
    )


def _are_test_results(value: Any) -> bool:
    """Check `results` of a test run: each checkpoint may have conversations, and these conditions that were taken."""
    return _is_list(
        value, lambda result: type(result) is dict and _is_list(result.get("conversations"), _is_test_conversation)
    )


def _is_test_conversation(value: Any) -> bool:
    return type(value) is dict and _is_list(value.get("taken"), lambda condition: True)


def _are_echo_results(value: Any) -> bool:
    """Check `results` of an Echo run: each scorecard may have items."""
    return _is_list(value, lambda card: type(card) is dict and _is_list(card.get("items"), lambda item: True))


LOG: Shapes = {"messages": _is_conversation, "metadata": _is_metadata, "session_log_data": _is_session_log}
VOICE_LOG: Shapes = {**LOG, "data": _is_call_data, "success_results": _is_success_results}
CHAT_EMBED_LOG: Shapes = {**LOG, "latency": _is_latency}
SESSION: Shapes = {"trace": _is_trace}
LLM_LOG: Shapes = {"data": _is_llm_log_data}
TEST_RUN: Shapes = {"results": _are_test_results}
ECHO_RUN: Shapes = {"results": _are_echo_results}
DEPLOYMENT_HISTORY: Shapes = {"changes": _are_changes}
# By table.
SHAPES: Mapping[str, Shapes] = {
    "voice_log": VOICE_LOG,
    "chat_log": LOG,
    "chat_embed_log": CHAT_EMBED_LOG,
    "sms_log": LOG,
    "whatsapp_log": LOG,
    "api_log": LOG,
    "session": SESSION,
    "llm_log": LLM_LOG,
    "deployment_history_entry": DEPLOYMENT_HISTORY,
    "test_run": TEST_RUN,
    "echo_run": ECHO_RUN,
}


# Older databases

_ROWS_AT_A_TIME = 500


def note_other_shapes(db: SqliteDatabase) -> None:
    """Set `other_shapes` in every row of the database, and in the rows that calls in progress will write."""
    for table, shapes in SHAPES.items():
        for id, row in _read_all_rows(db, table, tuple(shapes)):
            if others := other_shapes(shapes, row):
                _set_column(db, table, "other_shapes", id, others)
    for id, row in _read_all_rows(db, "call_in_progress", ("call",)):
        call = row["call"]
        parts = [(call["log"], VOICE_LOG), (call["session"], SESSION), *((part, LLM_LOG) for part in call["llm_logs"])]
        for part, shapes in parts:
            part["other_shapes"] = other_shapes(shapes, part)
        if any(part["other_shapes"] for part, _ in parts):
            _set_column(db, "call_in_progress", "call", id, call)


def _read_all_rows(db: SqliteDatabase, table: str, columns: tuple[str, ...]) -> Iterator[tuple[str, Row]]:
    """Yield the id and these columns of each row, which may be changed meanwhile."""
    ids = [id for (id,) in db.execute_sql(f"SELECT id FROM {table} ORDER BY id")]
    for portion in chunked(ids, _ROWS_AT_A_TIME):
        marks = ", ".join("?" * len(portion))
        sql = f"SELECT id, {', '.join(columns)} FROM {table} WHERE id IN ({marks})"
        for id, *texts in db.execute_sql(sql, portion).fetchall():
            values = (None if text is None else orjson.loads(text) for text in texts)
            yield id, dict(zip(columns, values, strict=True))


def _set_column(db: SqliteDatabase, table: str, column: str, id: str, value: Any) -> None:
    text = None if value is None else orjson.dumps(value).decode()
    db.execute_sql(f"UPDATE {table} SET {column} = ? WHERE id = ?", (text, id))
