"""LLM logs: what the gateway's hooks saw of each request to a language model."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import WORKER, Collection
from dryline.models.logs import Log
from dryline.models.workers import Worker
from dryline.storage.record import JsonField, Record, Rows


class LlmLog(Record):
    """One hook record. It belongs to the team; `worker_id` may tell the worker it was made for, with which it goes.

    It goes with the log of its call or session, too.
    """

    id_prefix = "llmlog"

    updated_at = TextField()
    worker_id = TextField(null=True)
    event_type = TextField()
    call_id = TextField(null=True)
    session_id = TextField(null=True)
    data = JsonField(null=True)

    @classmethod
    def receive(cls, team: Record, *, data: dict[str, Any], worker_id: str | None, **values: Any) -> Self:
        """Keep what a hook sent, without the model's name in its request. Contract: receivePortkeyLogs.

        A worker that the team does not have is not kept: a gateway's log is never refused for what it names.
        """
        known = worker_id is not None and Worker.find(id=worker_id, team_id=team.team_id) is not None
        return cls.add(team, data=_without_model(data), worker_id=worker_id if known else None, **values)

    @classmethod
    def oldest_first(cls, team: Record, **where: Any) -> Rows:
        """The team's records with these column values, as they came in. Contract: listLlmLogsByCall."""
        return Rows(cls, {"team_id": team.team_id, **where}, order=("created_at", "id"))

    @classmethod
    def behind(cls, log: Log) -> list[Self]:
        """What was asked of language models in a conversation, as it came in: by its session, or by its call."""
        traces = log.traces
        mine = [getattr(cls, name) == id for name, id in traces._asdict().items() if id is not None]
        if not mine:
            return []
        found = cls.select().where(cls.team_id == log.team_id, reduce(operator.or_, mine))
        return list(found.order_by(cls.created_at, cls.id))

    @classmethod
    def window(cls, team: Record, *, limit: int, offset: int, **where: Any) -> dict[str, Any]:
        """`limit` of the team's records after the first `offset`, newest first. Contract: listLlmLogs."""
        rows = cls.listing(team, **where)
        return {"total": rows.count(), "logs": rows.slice(limit, offset), "limit": limit, "offset": offset}


def _without_model(data: dict[str, Any]) -> dict[str, Any]:
    request = data.get("request")
    if not isinstance(request, dict) or not isinstance(request.get("json"), dict):
        return data
    body = request["json"]
    return {**data, "request": {**request, "json": {name: body[name] for name in body if name != "model"}}}


STATE = {"llmLogs": Collection(LlmLog, may=WORKER)}
