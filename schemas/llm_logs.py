"""Schemas of LLM logs."""

from typing import Any

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, Integer, JsonObject, QueryInteger, QuerySchema, Timestamp
from dryline.schemas.row_schemas import RowSchema
from dryline.storage import json_shapes
from dryline.storage.errors import Invalid


class LlmLogSchema(ApiSchema):  # Contract: records.llm_log
    """A log of a request to a language model, recorded by a hook."""

    id = fields.String()
    event_type = fields.String(metadata={"description": "hook of the log: beforeRequestHook or afterRequestHook"})
    created_at = Timestamp()
    updated_at = Timestamp(allow_none=True)
    team_id = fields.String()
    call_id = fields.String(allow_none=True)
    session_id = fields.String(allow_none=True)
    data = JsonObject(allow_none=True, metadata={"description": "request and response of the language model"})


class LlmLogListSchema(QuerySchema):
    """Filters and page of the team's LLM logs."""

    call_id = fields.String(metadata={"description": "only this call"})
    session_id = fields.String(metadata={"description": "only this session"})
    event_type = fields.String(metadata={"description": "hook of the log: beforeRequestHook or afterRequestHook"})
    limit = QueryInteger(load_default=50, validate=validate.Range(0, 100))
    offset = QueryInteger(load_default=0, validate=validate.Range(0))


class LlmLogPageSchema(ApiSchema):
    """A page of LLM logs."""

    logs = fields.List(fields.Nested(LlmLogSchema), metadata={"description": "logs on this page"})
    total = Integer()
    limit = Integer()
    offset = Integer()


def hook_records(body: Any) -> list[dict[str, Any]]:
    """Return the records of a gateway's hook, which sends one or a list. Raises Invalid for another body."""
    records = body if isinstance(body, list) else [body]
    if not all(isinstance(record, dict) for record in records):
        raise Invalid("Must be a JSON object, or an array of objects.", "")
    return [_hook_record(record) for record in records]


def _hook_record(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a record, whose ids may stand at the top or in `metadata`. Contract: receivePortkeyLogs.

    A record without `eventType` is of the hook after the request if it has a response.
    """
    event_type = _text_member(sent, "eventType")
    if not event_type:
        event_type = "afterRequestHook" if "response" in sent else "beforeRequestHook"
    return {
        "event_type": event_type,
        "call_id": _text_member(sent, "callId"),
        "session_id": _text_member(sent, "sessionId"),
        "worker_id": _text_member(sent, "workerId"),
        "data": sent,
    }


def _text_member(sent: dict[str, Any], name: str) -> str | None:
    """Return a text from the top of a record or from its `metadata`."""
    for holder in (sent, sent.get("metadata")):
        if isinstance(holder, dict) and isinstance(holder.get(name), str):
            return holder[name]
    return None


ROWS = {
    "llmLogs": RowSchema(
        LlmLogSchema,
        "eventType",
        shapes=json_shapes.LLM_LOG,
        worker_id=fields.String(allow_none=True),
    )
}
