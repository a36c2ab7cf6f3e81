"""LLM logs: the requests to language models that the gateway's hooks report."""

from collections.abc import Iterable, Mapping
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import WORKER, StateCollection
from dryline.models.logs import Log
from dryline.models.open_json import OpenJsonRecord
from dryline.models.workers import Worker
from dryline.storage import json_shapes
from dryline.storage.record import JsonField, Record, Rows


class LlmLog(OpenJsonRecord):
    """One record of a hook. It belongs to the team, and to a worker where one is known.

    It is deleted with its worker, and with the log of its call or session.
    """

    id_prefix = "llmlog"

    updated_at = TextField()
    worker_id = TextField(null=True)
    event_type = TextField()
    call_id = TextField(null=True)
    session_id = TextField(null=True)
    data = JsonField(null=True)

    @classmethod
    def receive(cls, team: Record, records: Iterable[Mapping[str, Any]]) -> None:
        """Store the records of a hook, without the model's name in their requests. Contract: receivePortkeyLogs.

        A worker that the team does not have is left out: a gateway's log is never refused because of its references.
        """
        for record in records:
            worker = Worker.find(id=record["worker_id"], team_id=team.team_id)
            values = {**record, "data": _without_model(record["data"]), "worker_id": worker.id if worker else None}
            cls.add(team, **values, other_shapes=json_shapes.other_shapes(json_shapes.LLM_LOG, values))

    @classmethod
    def oldest_first(cls, team: Record, **where: Any) -> Rows:
        """Return the team's records with these column values, oldest first. Contract: listLlmLogsByCall."""
        return Rows(cls, {"team_id": team.team_id, **where}, order=("created_at", "id"))

    @classmethod
    def of_conversation(cls, log: Log) -> list[Self]:
        """Return the records of a conversation's session and of its call, in the order they arrived."""
        session_id, call_id = log.engine_ids
        ids = [
            cls.select(cls.id).where(cls.team_id == log.team_id, column == value)
            for column, value in ((cls.session_id, session_id), (cls.call_id, call_id))
            if value is not None
        ]
        if not ids:
            return []
        # A union of two look-ups: with OR, SQLite would read all logs of the team.
        union = ids[0] if len(ids) == 1 else ids[0] | ids[1]
        return list(cls.select().where(cls.id.in_(union)).order_by(cls.created_at, cls.id))

    @classmethod
    def window(cls, team: Record, *, limit: int, offset: int, **where: Any) -> dict[str, Any]:
        """Return `limit` of the team's records after the first `offset`, newest first. Contract: listLlmLogs."""
        rows = cls.listing(team, **where)
        return {"total": rows.count(), "logs": rows.slice(limit, offset), "limit": limit, "offset": offset}


def _without_model(data: dict[str, Any]) -> dict[str, Any]:
    request = data.get("request")
    if not isinstance(request, dict) or not isinstance(request.get("json"), dict):
        return data
    body = {name: value for name, value in request["json"].items() if name != "model"}
    return {**data, "request": {**request, "json": body}}


STATE = {"llmLogs": StateCollection(LlmLog, optional_links=WORKER)}
