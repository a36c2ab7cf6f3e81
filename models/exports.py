"""Log exports: what was asked for, the states it goes through, and who may fetch its file.

The files themselves are written by jobs/export_files.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from peewee import IntegerField, TextField

from dryline.models.collection import DEPLOYMENT, WORKER, ImportContext, Row, StateCollection
from dryline.models.deployments import Deployment
from dryline.models.due import due_rows
from dryline.models.logs import Log, model_of
from dryline.models.row_files import RowFiles
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Conflict, Forbidden, Invalid, NotFound
from dryline.storage.record import JsonField, Record, unique
from dryline.world.channels import CHANNELS
from dryline.world.clock import parse, wire

FILES = RowFiles("exports")

# What `log_type` may be, in the order in which an export of all of them lists them.
LOGS: dict[str, type[Log]] = {channel.key: model_of(channel) for channel in CHANNELS}

# The state machine, as the API and the control plane know it.
MOVES = {
    "PENDING": ("PROCESSING", "FAILED"),
    "PROCESSING": ("COMPLETED", "FAILED"),
    "COMPLETED": ("EXPIRED",),
    "FAILED": (),
    "EXPIRED": (),
}
# What nobody asks for: its writer had to stop, or is gone (a server that ends, a kill, a row that came in or back);
# its file was lost, and cannot be made anew.
SETBACKS = {"PROCESSING": "PENDING", "COMPLETED": "FAILED"}
# What is shown of a COMPLETED export until its lost file is there again: as while it was written.
_BEING_MADE = {"status": "PROCESSING", "row_count": None, "file_size_bytes": None, "expires_at": None}

LONGEST_WINDOW = timedelta(days=90)
LIFE = timedelta(hours=24)
SHOWN = 20


class Export(Record):
    """A file of the team's logs, made in the background and kept for 24 hours.

    `log_type` None means logs of every type, `fields` None every member. `fields` and `filters_json` hold wire names:
    they are kept as they were asked for.
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
    # How the client reached this server that requested it; None for imported rows.
    base_url = TextField(null=True)

    download_url: str | None  # where the address of this server is known: blueprints/links.py

    # Asking

    @classmethod
    def request(cls, team: Record, base_url: str, **asked: Any) -> Self:
        """A new export, begun once the transaction is committed. Contract: createExport.

        The addresses of recordings in its file begin with `base_url`.

        Raises Invalid for a window that runs backwards or over more than 90 days, NotFound for a worker or deployment
        that the team does not have, Conflict while another export of the team is active.
        """
        start, end = parse(asked["start_date"]), parse(asked["end_date"])
        if end < start:
            raise Invalid("The window ends before it starts.", "end_date")
        if end - start > LONGEST_WINDOW:
            raise Invalid(f"The window is longer than {LONGEST_WINDOW.days} days.", "end_date")
        if asked.get("worker_id") is not None:
            Worker.fetch(team, asked["worker_id"], field="worker_id")
        if asked.get("deployment_id") is not None:
            _demand_deployment(team, asked["deployment_id"], asked.get("worker_id"))
        with unique("The team already has an export in PENDING or PROCESSING."):
            export = cls.add(team, base_url=base_url, **asked)
        world = current()
        world.db.after_commit(world.wake)
        return export

    @classmethod
    def recent(cls, team: Record) -> list[Self]:
        """The team's 20 newest exports. Contract: listExports."""
        return list(cls.listing(team).slice(SHOWN))

    # Moving

    def move(self, status: str, **values: Any) -> Self:
        """Go on to `status` and set `values`, if the row is still there and still as it was read.

        Raises Conflict where the state machine has no such move, or when the export has changed meanwhile.
        """
        self.demand_move(status)
        return self._set(status=status, **values)

    def demand_move(self, status: str) -> None:
        """Raises Conflict where the state machine has no move from here to `status`."""
        if status not in MOVES[self.status]:
            raise Conflict(f"Export {self.id} is {self.status}; it cannot become {status}.")

    def give_back(self) -> Self:
        """From PROCESSING to PENDING: whoever wrote it could not go on. Raises Conflict when it changed meanwhile."""
        return self._set(status=SETBACKS["PROCESSING"])

    def complete(self, rows: int, size: int) -> Self:
        """From PROCESSING to COMPLETED, with a file of `size` bytes, for the next 24 hours of API time."""
        return self.move("COMPLETED", row_count=rows, file_size_bytes=size, expires_at=_in_24_hours())

    def renew(self, rows: int, size: int) -> Self:
        """Still COMPLETED, and as long as before, with a file that was made anew."""
        return self._set(row_count=rows, file_size_bytes=size, expires_at=self.expires_at or _in_24_hours())

    def fail(self, reason: str) -> Self:
        """FAILED, without a file. Raises Conflict when it changed meanwhile."""
        if SETBACKS.get(self.status) != "FAILED":
            self.demand_move("FAILED")
        nothing = dict.fromkeys(("row_count", "file_size_bytes", "expires_at"))
        return self._set(status="FAILED", error_message=reason, **nothing)

    def _set(self, **values: Any) -> Self:
        cls = type(self)
        # An import or a reset may have put another row in its place, even under the same id.
        unchanged = (cls.id == self.id, cls.status == self.status, cls.created_at == self.created_at)
        if not cls.update(**values).where(*unchanged).execute():
            raise Conflict(f"Export {self.id} has changed meanwhile.")
        self.__data__.update(values)
        return self

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` exports to be written by a moment, the oldest first. None in the mode `manual`."""
        live = current().live
        if live.export_mode != "auto":
            return []
        asked = wire(parse(moment) - timedelta(milliseconds=live.export_delay_ms))
        # One that is newer than now was made before the clock was set back: it does not wait for that time again.
        ripe = "status = 'PENDING' AND (created_at <= :asked OR created_at > :moment)"
        return due_rows(cls, ripe, "created_at, id", limit, asked=asked, moment=moment)

    @classmethod
    def outlived(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` COMPLETED exports whose 24 hours are over at a moment."""
        over = "status = 'COMPLETED' AND expires_at <= :moment"
        return due_rows(cls, over, "created_at, id", limit, moment=moment)

    # The file

    @property
    def path(self) -> Path:
        """Where its file lies, or would."""
        return FILES.path(self.id, f".{self.format.lower()}")

    @property
    def alive(self) -> bool:
        """Whether its 24 hours still run, or have yet to begin."""
        return self.expires_at is None or self.expires_at > current().clock.of(self.team_id).stamp()

    @property
    def open(self) -> bool:
        """Whether its file may be fetched now."""
        return self._finished and self.expires_at is not None and not self.lost

    @cached_property
    def lost(self) -> bool:
        """Whether its file should be there and is not: removed, imported without, or taken by a crash.

        Looked for once: the file may come about while the export is shown, whose status and link go together.
        """
        return self._finished and not self.path.exists()

    @property
    def _finished(self) -> bool:
        return self.status == "COMPLETED" and self.alive

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """The wire form. Until a lost file is made anew the export is PROCESSING to whoever polls it."""
        found = super().project(names)
        if self.lost:
            found |= {wire: _BEING_MADE[name] for wire, name in names.items() if name in _BEING_MADE}
        return found

    @property
    def signature(self) -> str:
        """What its link carries: proves that this server made it, for this id and this expiry."""
        return FILES.sign("get", self.id, self.expires_at or "")

    @classmethod
    def behind_link(cls, id: str, signature: str) -> Self:
        """The export that a link leads to. Source: DESIGN, Exports.

        Raises Forbidden when the link is altered or expired, NotFound when the export is gone. Its file may be lost.
        """
        export = cls.find(id=id)
        signed = FILES.check("get", id, signature, export.team_id if export else None)
        if export is None:
            raise NotFound(f"{cls.noun()} {id} not found.")
        if export.expires_at != signed["until"] or not export._finished:
            raise Forbidden("The link has expired.")
        return export


def _in_24_hours() -> str:
    return wire(current().clock.now() + LIFE)


def _demand_deployment(team: Record, id: str, worker_id: str | None) -> None:
    """Raises NotFound unless the team has this deployment, on this worker where one is named.

    Deployments of SMS and WhatsApp have no record of their own: they exist where a log names them.
    """
    where = {"worker_id": worker_id} if worker_id is not None else {}
    if Deployment.find(id=id, team_id=team.team_id, **where) is not None:
        return
    without = [LOGS[channel.key] for channel in CHANNELS if not channel.deployments]
    if not any(log.listing(team, deployment_id=id, **where).count() for log in without):
        raise NotFound(f"Deployment {id} not found.", "deployment_id")


def complete_export(row: Row, rows: ImportContext) -> None:
    """What comes in is written by nobody; a file that is still owed is made anew."""
    if row["status"] == "PROCESSING":
        row["status"] = SETBACKS["PROCESSING"]
    if row["status"] == "COMPLETED":
        now = current().clock.now()
        if row.get("expires_at") is None:
            row["expires_at"] = wire(now + LIFE)
        if row["expires_at"] > wire(now):
            row["file_size_bytes"] = row["row_count"] = None


def give_back_all(team_id: str | None) -> None:
    """PROCESSING rows of all teams, or of one, become PENDING: nobody writes them now."""
    mine = () if team_id is None else (Export.team_id == team_id,)
    Export.update(status=SETBACKS["PROCESSING"]).where(Export.status == "PROCESSING", *mine).execute()


STATE = {
    "exports": StateCollection(
        Export, optional_links={**WORKER, **DEPLOYMENT}, complete=complete_export, after_restore=give_back_all
    )
}
