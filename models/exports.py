"""Log exports: requests, the state machine of their status, and access to their files.

jobs/exports.py changes their status; jobs/export_files.py writes the files.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from peewee import IntegerField, SqliteDatabase, TextField

from dryline.models.collection import DEPLOYMENT, WORKER, ImportContext, Row, StateCollection
from dryline.models.deployments import Deployment
from dryline.models.due import due_rows
from dryline.models.logs import Log
from dryline.models.logs_lookup import LOG_CLASSES
from dryline.models.row_files import RowFiles
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Conflict, Forbidden, Invalid, NotFound
from dryline.storage.record import JsonField, Record, unique
from dryline.world.clock import parse, wire

FILES = RowFiles("exports")

# The log tables by `log_type`, in the order of an export of all types.
LOGS: dict[str, type[Log]] = {log_class.channel.key: log_class for log_class in LOG_CLASSES}

# The state machine of the API and of the control plane. The server itself also makes PENDING of PROCESSING if the
# writing was interrupted, and FAILED of COMPLETED if a lost file cannot be written again.
TRANSITIONS = {
    "PENDING": ("PROCESSING", "FAILED"),
    "PROCESSING": ("COMPLETED", "FAILED"),
    "COMPLETED": ("EXPIRED",),
    "FAILED": (),
    "EXPIRED": (),
}
LONGEST_WINDOW = timedelta(days=90)
LIFETIME = timedelta(hours=24)
LIST_LIMIT = 20


class Export(Record):
    """A file of the team's logs, written in the background and available for 24 hours.

    `log_type` None means logs of all types, `fields` None all members. `fields` and `filters_json` hold wire names, as
    the request had them.
    """

    id_prefix = "export"

    status = TextField(default="PENDING")
    format = TextField()
    log_type = TextField(null=True)
    start_date = TextField(null=True)
    end_date = TextField(null=True)
    worker_id = TextField(null=True)
    deployment_id = TextField(null=True)
    fields = JsonField(null=True)
    filters_json = JsonField(null=True)
    row_count = IntegerField(null=True)
    file_size_bytes = IntegerField(null=True)
    error_message = TextField(null=True)
    expires_at = TextField(null=True)
    # The URL by which the request reached this server; None for imported rows.
    base_url = TextField(null=True)

    download_url: str | None  # set by web/links.py, which knows the URL of this server

    # Requests

    @classmethod
    def request(cls, team: Record, base_url: str, **params: Any) -> Self:
        """Add an export. The jobs are woken when the transaction commits. Contract: createExport.

        The addresses of recordings in its file begin with `base_url`.

        Raises Invalid for a window that runs backwards or is longer than 90 days, NotFound for a worker or deployment
        that the team does not have, Conflict while another export of the team is active.
        """
        start, end = parse(params["start_date"]), parse(params["end_date"])
        if end < start:
            raise Invalid("The window ends before it starts.", "end_date")
        if end - start > LONGEST_WINDOW:
            raise Invalid(f"The window is longer than {LONGEST_WINDOW.days} days.", "end_date")
        if params.get("worker_id") is not None:
            Worker.fetch(team, params["worker_id"], field="worker_id")
        if params.get("deployment_id") is not None:
            _require_deployment(team, params["deployment_id"], params.get("worker_id"))
        with unique("The team already has an export in PENDING or PROCESSING. Wait until it is finished."):
            export = cls.add(team, base_url=base_url, **params)
        world = current()
        world.db.after_commit(world.wake)
        return export

    @classmethod
    def recent(cls, team: Record) -> list[Self]:
        """Return the team's 20 newest exports. Contract: listExports."""
        return list(cls.listing(team).slice(LIST_LIMIT))

    # Status

    def transition(self, status: str, **values: Any) -> Self:
        """Change the status and set `values`.

        Raises Conflict where the state machine has no such transition, or if the row has changed since it was read.
        """
        self.require_transition(status)
        return self._change_unless_replaced(status=status, **values)

    def require_transition(self, status: str) -> None:
        """Raise Conflict where the state machine has no transition from the present status to `status`."""
        if status not in TRANSITIONS[self.status]:
            choices = " or ".join(TRANSITIONS[self.status])
            hint = f" The next status is {choices}." if choices else " This status is final."
            raise Conflict(f"Export {self.id} is {self.status}; it cannot become {status}.{hint}")

    def require_transition_by_hand(self, status: str) -> None:
        """Raise Conflict unless exports change by hand, and this one can change to `status`."""
        if not self.is_changed_by_hand:
            raise Conflict(
                f"Export {self.id} cannot be changed by hand: the export mode is auto, in which the server changes "
                "exports at any moment. Set exportMode to manual before you request the export: "
                'settings(export_mode="manual") in a test, else PUT /_dryline/settings.'
            )
        self.require_transition(status)

    @property
    def is_changed_by_hand(self) -> bool:
        """Whether the control plane changes its status, and not the server."""
        return current().runtime_settings.export_mode == "manual"

    @property
    def transitions_by_hand(self) -> tuple[str, ...]:
        """The statuses that it can be changed to by hand."""
        return TRANSITIONS[self.status] if self.is_changed_by_hand else ()

    def requeue(self) -> Self:
        """Change PROCESSING to PENDING after an interruption. Raises Conflict if the row has changed."""
        return self._change_unless_replaced(status="PENDING")

    def complete(self, row_count: int, size: int) -> Self:
        """Change PROCESSING to COMPLETED: the file of `size` bytes is available for 24 hours of API time.

        A COMPLETED export, whose lost file was written again, expires when it would have.
        """
        if self.status != "COMPLETED":
            self.require_transition("COMPLETED")
        expires_at = self.expires_at or wire(current().now() + LIFETIME)
        return self._change_unless_replaced(
            status="COMPLETED", row_count=row_count, file_size_bytes=size, expires_at=expires_at
        )

    def fail(self, reason: str) -> Self:
        """Change the status to FAILED, without a file. Raises Conflict if the row has changed."""
        if self.status != "COMPLETED":
            self.require_transition("FAILED")
        no_file = dict.fromkeys(("row_count", "file_size_bytes", "expires_at"))
        return self._change_unless_replaced(status="FAILED", error_message=reason, **no_file)

    def _change_unless_replaced(self, **values: Any) -> Self:
        cls = type(self)
        # An import or a reset may have put another row in its place, even with the same id.
        unchanged = (cls.id == self.id, cls.status == self.status, cls.created_at == self.created_at)
        if not cls.update(**values).where(*unchanged).execute():
            raise Conflict(f"Export {self.id} was changed meanwhile. Read it again.")
        self.__data__.update(values)
        return self

    @classmethod
    def due(cls, now: str, limit: int) -> list[Self]:
        settings = current().runtime_settings
        if settings.export_mode != "auto":
            return []
        latest = wire(parse(now) - timedelta(milliseconds=settings.export_delay_ms))
        return due_rows(cls._due_query, limit, latest=latest, now=now)

    @classmethod
    def _due_query(cls, latest: str, now: str) -> Any:
        # An export that is newer than now was created before the clock was set back. It does not wait a second time.
        is_due = (cls.created_at <= latest) | (cls.created_at > now)
        return cls.select().where(cls.status == "PENDING", is_due).order_by(cls.created_at, cls.id)

    @classmethod
    def due_to_expire(cls, now: str, limit: int) -> list[Self]:
        """Return the next `limit` COMPLETED exports whose 24 hours are over."""
        return due_rows(cls._due_to_expire_query, limit, now=now)

    @classmethod
    def _due_to_expire_query(cls, now: str) -> Any:
        return cls.select().where(cls.status == "COMPLETED", cls.expires_at <= now).order_by(cls.created_at, cls.id)

    # The file

    @property
    def path(self) -> Path:
        """The path of its file, whether it exists or not."""
        return FILES.path(self.id, f".{self.format.lower()}")

    @property
    def is_unexpired(self) -> bool:
        """Whether its 24 hours are running, or have not begun."""
        return self.expires_at is None or self.expires_at > current().stamp()

    @property
    def is_available(self) -> bool:
        """Whether its file can be downloaded now."""
        return self.status == "COMPLETED" and self.is_unexpired

    @property
    def signature(self) -> str:
        """The token of its download link, valid for this id and this expiry."""
        return FILES.sign("get", self.id, self.expires_at or "")

    @classmethod
    def from_link(cls, id: str, signature: str) -> Self:
        """Return the export of a download link. Source: DESIGN, Exports.

        Raises Forbidden when the link is altered or expired, NotFound when the export does not exist.
        """
        claims = FILES.check("get", id, signature)
        export = cls.find(id=id)
        if export is None:
            raise NotFound(f"{cls.noun()} {id} not found.")

        is_newest_link = export.expires_at == claims["until"]
        if not is_newest_link or not export.is_available:
            raise Forbidden("The link has expired.")
        return export


def _require_deployment(team: Record, id: str, worker_id: str | None) -> None:
    """Raise NotFound unless the team has this deployment, of this worker if one is named.

    SMS and WhatsApp have no deployment records: a deployment of theirs exists if a log names it.
    """
    where = {"worker_id": worker_id} if worker_id is not None else {}
    if Deployment.find(id=id, team_id=team.team_id, **where) is not None:
        return
    without_records = [log_class for log_class in LOG_CLASSES if not log_class.channel.deployments]
    if not any(log.listing(team, deployment_id=id, **where).count() for log in without_records):
        raise NotFound(f"Deployment {id} not found.", "deployment_id")


def complete_imported_export(row: Row, rows: ImportContext) -> None:
    """Requeue an imported export that was PROCESSING; have the file of a COMPLETED one written."""
    if row["status"] == "PROCESSING":
        row["status"] = "PENDING"
    if row["status"] == "COMPLETED":
        now = current().now()
        if row.get("expires_at") is None:
            row["expires_at"] = wire(now + LIFETIME)
        if row["expires_at"] > wire(now):
            row["file_size_bytes"] = row["row_count"] = None


def imported_export_changes_at(row: Row) -> str | None:
    """Return when the file of a COMPLETED export expires, which is counted from the present unless the row says it."""
    if row["status"] != "COMPLETED":
        return None
    return row.get("expires_at") or ""


def requeue_interrupted(db: SqliteDatabase | None = None) -> None:
    """Change PROCESSING to PENDING, after a restart or a restore interrupted the writing.

    `db` is the copy of a snapshot that is about to be restored, and by default the running world's database.
    """
    Export.update(status="PENDING").where(Export.status == "PROCESSING").execute(db)


STATE = {
    "exports": StateCollection(
        Export,
        optional_links={**WORKER, **DEPLOYMENT},
        complete=complete_imported_export,
        changes_at=imported_export_changes_at,
        after_restore=requeue_interrupted,
    )
}
