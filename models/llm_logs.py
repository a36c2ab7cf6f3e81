"""LLM logs: what the gateway's hooks saw of each request to a language model."""

from __future__ import annotations

from dryline.models.base import JsonField, Record
from peewee import TextField


class LlmLog(Record):
    """One hook record. It belongs to the team; `worker_id` may tell the worker it was made for."""

    id_prefix = "llmlog"

    updated_at = TextField()
    worker_id = TextField(null=True)
    event_type = TextField()
    call_id = TextField(null=True)
    session_id = TextField(null=True)
    data = JsonField(null=True)
