"""The base class of the logs of all channels, and pages of logs. Each channel has a table of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from peewee import SQL, TextField

from dryline.models.channels import CHANNELS, Channel
from dryline.models.collection import FLOW, WORKER, ImportContext, Row, StateCollection
from dryline.models.open_json import OpenJsonRecord, analysis_of, messages_of, trace_of
from dryline.models.plain_sql import remove_logs
from dryline.storage.record import JsonField, Record, Rows, tuples


class Log(OpenJsonRecord):
    """One conversation of a deployment. Ids are unique across the channels.

    Each subclass names its channel, and adds the column `type`, which holds the channel's. A log is deleted with its
    worker and with its deployment (`remove_below`), and outlives its flow.
    """

    id_prefix = "log"
    channel: ClassVar[Channel]
    # SQL expressions for the ids of a log's session and call.
    session: ClassVar[str] = "NULL"
    call: ClassVar[str] = "NULL"

    updated_at = TextField()
    worker_id = TextField()
    deployment_id = TextField(null=True)
    flow_id = TextField(null=True)
    start_time = TextField(null=True)
    end_time = TextField(null=True)
    messages = JsonField(null=True)
    extractions_data = JsonField(null=True)
    metadata = JsonField(null=True)
    flow_snapshot = JsonField(null=True)
    session_log_data = JsonField(null=True)

    @classmethod
    def numbered(cls, owner: Record, *, page: int, limit: int, **where: Any) -> Page:
        """Return a page of the logs of a worker, or of a team, with these column values. Contract: listSMSLogs."""
        # Without the team of a worker: SQLite would count the worker's logs in the index of the team.
        rows = Rows(cls, {owner_column(owner): owner.id, **where})
        total = rows.count()
        return Page(rows.slice(limit, offset_of(page, limit)), total, page, limit)

    @classmethod
    def newest_start(cls, worker_id: str, deployment_id: str) -> str | None:
        """Return when the newest conversation of a deployment began, also one in progress."""
        rows = cls.select(cls.start_time).where((cls.worker_id == worker_id) & (cls.deployment_id == deployment_id))
        return rows.order_by(cls.start_time.desc()).limit(1).scalar()

    @property
    def code(self) -> str | None:
        """The code of the flow that ran. The contract has any JSON there, which dryline writes as text."""
        return self.flow_snapshot if isinstance(self.flow_snapshot, str) else None

    @property
    def said(self) -> list[dict[str, Any]]:
        """The messages; none if `messages` has another shape."""
        return messages_of(self.__data__)

    @property
    def trace(self) -> list[dict[str, Any]] | None:
        """The flow's steps; None if there is no trace, or `session_log_data` has another shape."""
        return trace_of(self.__data__)

    @property
    def analysis(self) -> dict[str, Any]:
        """The analysis of a call, such as its summary and sentiment; empty if `data` has another shape."""
        return analysis_of(self.__data__)

    @property
    def engine_ids(self) -> tuple[str | None, str | None]:
        """The ids of its session and its call."""
        cls = type(self)
        (ids,) = tuples(cls.select(SQL(cls.session), SQL(cls.call)).where(cls.id == self.id))
        return ids

    @classmethod
    def remove_below(cls, parent: Record, column: str) -> None:
        """Delete the logs whose `column` is the parent's id, with their sessions, LLM logs and runtime errors."""
        remove_logs(cls._meta.table_name, cls.session, cls.call, column, parent)


def owner_column(owner: Record) -> str:
    """Return the column of a log that holds the id of the owner of a list: a worker or a team."""
    return "team_id" if owner._meta.table_name == "team" else "worker_id"


def offset_of(page: int, limit: int) -> int:
    """Return the number of rows before the page, at most SQLite's largest integer."""
    return min((page - 1) * limit, 2**63 - 1)


class Page:
    """Page number `page` of a list of `total` rows, with at most `limit` rows. It is its own `pagination`."""

    def __init__(self, data: Any, total: int, page: int, limit: int) -> None:
        self.data = data
        self.total = total
        self.page = page
        self.limit = limit
        self.total_pages = -(-total // limit)
        self.has_next = page < self.total_pages
        self.has_prev = page > 1
        self.pagination = self  # some answers have these members again in an object `pagination`

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form; `names` maps wire names to attributes."""
        return {wire: getattr(self, attribute) for wire, attribute in names.items()}


def complete_imported_log(row: Row, rows: ImportContext) -> None:
    """Write the code of a flow's version in the place of its id: documents of many calls have the code once.

    Any other JSON stays as it is.
    """
    snapshot = row.get("flow_snapshot")
    if isinstance(snapshot, dict) and isinstance(snapshot.get("flowVersionId"), str):
        version = rows.find_row("flowVersions", snapshot["flowVersionId"])
        row["flow_snapshot"] = version.get("code", snapshot)


def collection_of(model: type[Log]) -> StateCollection:
    """Return the declaration of one channel's logs in the state document."""
    channel = model.channel
    # Where deployments have no record, a log's deployment is any text.
    deployment = {"deployment_id": channel.deployments} if channel.deployments else {}
    return StateCollection(
        model,
        required_links=WORKER,
        optional_links={**FLOW, **deployment},
        fixed={"type": channel.type},
        complete=complete_imported_log,
        shares_ids=tuple(channel.collection for channel in CHANNELS),
    )
