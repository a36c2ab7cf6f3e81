"""What the logs of every channel share. Each channel has a table of its own."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, NamedTuple

from dryline.models.collection import FLOW, WORKER, StateCollection
from dryline.storage.record import Column, JsonField, Record, connection
from dryline.world.channels import CHANNELS, Channel

# Times have one form, in which nothing has to be escaped or quoted.
TIMES = frozenset({"created_at", "updated_at", "start_time", "end_time"})


class Traces(NamedTuple):
    """How what the engine left behind a conversation is found; None where its log does not tell."""

    session_id: str | None
    call_id: str | None


class Log(Record):
    """One conversation of a deployment. Ids are unique across the channels.

    Each channel adds `kind` and the column `type`, which holds it. A log goes with its worker and with its deployment,
    which `remove_below` sees to, and outlives its flow.
    """

    id_prefix = "log"
    kind: ClassVar[str]
    # How a log of the channel names its session and its call, in SQL.
    session: ClassVar[str] = "NULL"
    call: ClassVar[str] = "NULL"

    updated_at = Column()
    worker_id = Column()
    deployment_id = Column(null=True)
    flow_id = Column(null=True)
    start_time = Column(null=True)
    end_time = Column(null=True)
    messages = JsonField(null=True)
    extractions_data = JsonField(null=True)
    metadata = JsonField(null=True)
    flow_snapshot = JsonField(null=True)
    session_log_data = JsonField(null=True)

    @classmethod
    def numbered(cls, worker: Record, *, page: int, limit: int, **where: Any) -> Page:
        """Page `page` of the worker's logs with these column values, newest first. Contract: listSMSLogs."""
        rows = cls.listing(worker, worker_id=worker.id, **where)
        total = rows.count()
        return Page(rows.slice(limit, first_of(page, limit)), total, page, limit)

    @property
    def traces(self) -> Traces:
        """The session and the call that it was."""
        sql = f"SELECT {self.session}, {self.call} FROM {self._meta.table_name} WHERE id = ?"
        return Traces(*connection().execute(sql, (self.id,)).fetchone())

    @classmethod
    def remove_below(cls, parent: Record, column: str) -> None:
        """Delete the logs whose `column` names the parent, with what ran behind them: sessions, LLM logs, errors."""
        table = cls._meta.table_name
        mine = f"FROM {table} WHERE {column} = :parent AND team_id = :team"
        sessions = f"(SELECT {cls.session} {mine})"
        for statement in (
            f"DELETE FROM llm_log WHERE team_id = :team AND session_id IN {sessions}",
            f"DELETE FROM llm_log WHERE team_id = :team AND call_id IN (SELECT {cls.call} {mine})",
            f"DELETE FROM runtime_error WHERE team_id = :team AND (bb_engine_session_id IN {sessions}"
            f" OR json_extract(metadata, '$.logId') IN (SELECT id {mine}))",
            f"DELETE FROM session WHERE team_id = :team AND id IN {sessions}",
            f"DELETE {mine}",
        ):
            connection().execute(statement, {"parent": parent.id, "team": parent.team_id})


def first_of(page: int, limit: int) -> int:
    """How many rows lie before the page, as far as SQLite can count."""
    return min((page - 1) * limit, 2**63 - 1)


class Page:
    """`limit` rows of a list of `total`, the `page`-th such cut. It is its own `pagination`."""

    def __init__(self, data: Any, total: int, page: int, limit: int) -> None:
        self.data = data
        self.total = total
        self.page = page
        self.limit = limit
        self.total_pages = -(-total // limit)
        self.has_next = page < self.total_pages
        self.has_prev = page > 1

    @property
    def pagination(self) -> Page:
        """Where the cut lies."""
        return self

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """The wire form; `names` maps the wire's name to the attribute."""
        return {wire: getattr(self, attribute) for wire, attribute in names.items()}


def model_of(channel: Channel) -> type[Log]:
    """The class of a channel's logs."""
    return getattr(import_module(f"dryline.models.{channel.area}"), channel.record)


def collection_of(model: type[Log]) -> StateCollection:
    """The state of one channel's logs, which go with their worker."""
    channel = next(channel for channel in CHANNELS if channel.type == model.kind)
    return StateCollection(
        model,
        required_links=WORKER,
        optional_links={**FLOW, **({"deployment_id": channel.deployments} if channel.deployments else {})},
        fixed={"type": model.kind},
        shares_ids=tuple(channel.collection for channel in CHANNELS),
    )
