"""Exports: states, files, expiry, and transitions by hand."""

import contextlib
import csv
import io
import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import g, render_template, request

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team, without_new_rows
from dryline.blueprints.console.operations import OperationAnswer, form_body, perform_operation, show_sent, typed
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.control.exports import TransitionBody
from dryline.jobs import exports
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.workers import Worker
from dryline.schemas.exports import FORMATS, LOG_TYPES, ExportBody, ExportSchema, field_names_of
from dryline.storage.current_world import current
from dryline.web.links import with_download_url
from dryline.world.clock import wire

blp = PageBlueprint("exports", "Exports", "x", path="/exports")

MAX_FILE_ROWS = 10
PREVIEW_BYTES = 130_000  # no cell in them is too long for the module csv
# Of the first rows of a file. They have different names in the types of logs.
FIRST_COLUMNS = ("startTime", "direction", "fromNumber", "toNumber", "userName", "status", "duration")
TIMES = ("createdAt", "updatedAt", "startTime", "endTime")
IDS = ("id", "workerid", "deploymentid", "flowid", "callsid")  # without underscores, in lower case
FORM_FIELDS = ("logType", "workerId", "deploymentId", "fields", "filtersJson")  # without a default
DEFAULT_WINDOW = timedelta(days=7)


@blp.get("")
def show() -> Any:
    """List the exports of the team, newest first."""
    rows, new_count = without_new_rows(Export.recent(g.team))
    exports = [(export, ExportSchema().dump(with_download_url(export))) for export in rows]
    return render_template("exports.html", exports=exports, rows=rows, new_count=new_count)


@blp.get("/new")
def new() -> Any:
    """Show the form. The address may give its values, by the API's names."""
    now = current().now()
    end = now + timedelta(minutes=1)  # the form shows whole minutes, and the calls of the present one count
    defaults = {"startDate": wire(now - DEFAULT_WINDOW)[:16], "endDate": wire(end)[:16], "format": "CSV"}
    return render_template(
        "export_new.html",
        form={name: typed(name, value) for name, value in _form_values(defaults).items()},
        formats=FORMATS,
        log_types={log_type: field_names_of(log_type) for log_type in LOG_TYPES},
        workers=list(Worker.listing(require_team())),
        deployments=list(Deployment.listing(require_team())),
    )


def _form_values(defaults: dict[str, str]) -> dict[str, str]:
    """Return the values of the form by name: those of the address, and where it has none the defaults."""
    return dict.fromkeys(FORM_FIELDS, "") | defaults | request.args.to_dict()


@blp.post("")
def create() -> Any:
    answer = request_export()
    return show_sent(answer, "The export is requested.", "exports.export", export_id=answer.body["id"])


def request_export() -> OperationAnswer:
    """Request the export that the form describes. Raises FormRefused."""
    return perform_operation("POST", "/api/team/exports", body=form_body(ExportBody))


@blp.get("/<export_id>")
def export(export_id: str) -> Any:
    return render_template("export.html", page=ExportPage(with_download_url(Export.fetch(require_team(), export_id))))


@dataclass
class ExportPage:
    """The page of an export, with the first rows of its file."""

    export: Export

    @cached_property
    def members(self) -> dict[str, Any]:
        """The export as the API answers it."""
        return ExportSchema().dump(self.export)

    @property
    def worker_name(self) -> str | None:
        """The name of its worker, or the id of one that is deleted."""
        worker = Worker.find(id=self.export.worker_id, team_id=self.export.team_id)
        return worker.name if worker else self.export.worker_id

    @cached_property
    def deployment(self) -> Deployment | None:
        """Its deployment; None if it has none, or one that is deleted."""
        return Deployment.find(id=self.export.deployment_id, team_id=self.export.team_id)

    @property
    def transitions(self) -> tuple[str, ...]:
        """The statuses that it can be given by hand."""
        return self.export.transitions_by_hand

    @cached_property
    def _preview(self) -> tuple[list[str], list[list[Any]]]:
        return read_first_records(self.export, MAX_FILE_ROWS) if self.export.is_available else ([], [])

    @cached_property
    def _order(self) -> list[int]:
        """The indexes of the columns, in their order on the page."""
        names = self._preview[0]
        return sorted(range(len(names)), key=lambda index: _column_rank(names[index]))

    @cached_property
    def columns(self) -> list["FileColumn"]:
        """The columns of the file."""
        names = self._preview[0]
        return [FileColumn(names[index]) for index in self._order]

    @cached_property
    def rows(self) -> list[list[Any]]:
        """The first rows of the file."""
        return [[row[index] for index in self._order] for row in self._preview[1]]


class FileColumn(NamedTuple):
    """A column of a file."""

    name: str

    @property
    def is_time(self) -> bool:
        """Whether its cells are times of the API."""
        return self.name in TIMES

    @property
    def is_id(self) -> bool:
        """Whether its cells are ids, by the names of JSON or of CSV."""
        return self.name.lower().replace("_", "") in IDS


def _column_rank(column: str) -> int:
    """Return the position of a column on the page: first what a person looks for, last ids."""
    if column in FIRST_COLUMNS:
        return FIRST_COLUMNS.index(column)
    is_last = column.lower().endswith(("id", "type"))
    return len(FIRST_COLUMNS) + 1 if is_last else len(FIRST_COLUMNS)


@blp.post("/<export_id>/transition")
def transition(export_id: str) -> Any:
    """Make one transition by hand."""
    export_id = Export.fetch(require_team(), export_id).id
    export = exports.transition(current(), export_id, **load_form(TransitionBody))
    curl = plane_curl("POST", f"/exports/{quote(export_id, safe='')}/transition", form_body(TransitionBody))
    return flash_and_redirect(f"The export is {export.status}.", curl=curl)


def read_first_records(export: Export, count: int) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the first `count` records within the first bytes of a finished file; none without a file."""
    try:
        with export.path.open("rb") as file:
            text = file.read(PREVIEW_BYTES).decode(errors="ignore")
            is_complete = not file.read(1)
    except OSError:
        return [], []
    if export.format == "CSV":
        return _first_csv_records(text, count, is_complete=is_complete)
    records = list(itertools.islice(_complete_records(text), count))
    names = list(dict.fromkeys(name for record in records for name in record))
    return names, [[record.get(name) for name in names] for record in records]


def _first_csv_records(text: str, count: int, *, is_complete: bool) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the first records of a CSV text. If it is cut off, its last record may not be whole."""
    rows = list(itertools.islice(csv.reader(io.StringIO(text, newline="")), count + 2))
    if not is_complete:
        rows.pop()
    if not rows:
        return [], []
    names, *records = rows
    return names, records[:count]


def _complete_records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the complete records of a JSON array that may be cut off."""
    decoder, offset = json.JSONDecoder(), 1
    with contextlib.suppress(json.JSONDecodeError):
        while offset < len(text):
            record, end = decoder.raw_decode(text, offset)
            yield record
            offset = end + 1
