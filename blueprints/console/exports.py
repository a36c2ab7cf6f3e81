"""Exports: states, files, expiry, and transitions by hand."""

import contextlib
import csv
import io
import itertools
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

from flask import g, render_template, request

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, load_form, require_team
from dryline.blueprints.console.operations import OperationAnswer, form_body, send, show_sent, typed
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.control.exports import TransitionBody
from dryline.jobs import exports
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.workers import Worker
from dryline.schemas.exports import FORMATS, LOG_TYPES, ExportBody, ExportSchema, members
from dryline.storage.current_world import current
from dryline.web.links import with_link
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
    rows, new_count = hide_new_rows(Export.recent(g.team))
    exports = [(export, ExportSchema().dump(with_link(export))) for export in rows]
    return render_template("exports.html", exports=exports, rows=rows, new_count=new_count)


@blp.get("/new")
def new() -> Any:
    """Show the form. The address may give its values, by the API's names."""
    now = current().now()
    end = now + timedelta(minutes=1)  # the form shows whole minutes, and the calls of the present one count
    defaults = {"startDate": wire(now - DEFAULT_WINDOW)[:16], "endDate": wire(end)[:16], "format": "CSV"}
    return render_template(
        "export_new.html",
        form={name: typed(name, value) for name, value in _values(defaults).items()},
        formats=FORMATS,
        log_types={log_type: members(log_type) for log_type in LOG_TYPES},
        workers=list(Worker.listing(require_team())),
        deployments=list(Deployment.listing(require_team())),
    )


def _values(defaults: dict[str, str]) -> dict[str, str]:
    """Return the values of the form by name: those of the address, and where it has none the defaults."""
    return dict.fromkeys(FORM_FIELDS, "") | defaults | request.args.to_dict()


@blp.post("")
def create() -> Any:
    answer = request_export()
    return show_sent(answer, "The export is requested.", "exports.export", export_id=answer.body["id"])


def request_export() -> OperationAnswer:
    """Request the export that the form describes. Raises FormRefused."""
    return send("POST", "/api/team/exports", body=form_body(ExportBody))


@blp.get("/<export_id>")
def export(export_id: str) -> Any:
    export = with_link(Export.fetch(require_team(), export_id))
    members = ExportSchema().dump(export)
    columns, rows = preview(export, MAX_FILE_ROWS) if export.is_available else ([], [])
    order = sorted(range(len(columns)), key=lambda index: _rank(columns[index]))
    return render_template(
        "export.html",
        export=export,
        members=members,
        worker=Worker.find(id=export.worker_id, team_id=export.team_id) if export.worker_id else None,
        deployment=Deployment.find(id=export.deployment_id, team_id=export.team_id) if export.deployment_id else None,
        transitions=export.transitions_by_hand,
        columns=[FileColumn(columns[index]) for index in order],
        rows=[[row[index] for index in order] for row in rows],
    )


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


def _rank(column: str) -> int:
    """Return the place of a column on the page: first what a person looks for, last ids."""
    if column in FIRST_COLUMNS:
        return FIRST_COLUMNS.index(column)
    return len(FIRST_COLUMNS) + (column.lower().endswith(("id", "type")))


@blp.post("/<export_id>/transition")
def transition(export_id: str) -> Any:
    """Make one transition by hand."""
    export_id = Export.fetch(require_team(), export_id).id
    export = exports.transition(current(), export_id, **load_form(TransitionBody))
    curl = plane_curl("POST", f"/exports/{quote(export_id, safe='')}/transition", form_body(TransitionBody))
    return flash_and_redirect(f"The export is {export.status}.", curl=curl)


def preview(export: Export, count: int) -> tuple[list[str], list[list[Any]]]:
    """Return the names and the first `count` records within the first bytes of a finished file; none without a file."""
    try:
        with export.path.open("rb") as file:
            text = file.read(PREVIEW_BYTES).decode(errors="ignore")
            is_complete = not file.read(1)
    except OSError:
        return [], []
    if export.format == "CSV":
        rows = list(itertools.islice(csv.reader(io.StringIO(text, newline="")), count + 2))
        return rows[0], rows[1 : len(rows) if is_complete else -1][:count]
    records = list(itertools.islice(_complete_records(text), count))
    names = list(dict.fromkeys(name for record in records for name in record))
    return names, [[record.get(name) for name in names] for record in records]


def _complete_records(text: str) -> Iterator[dict[str, Any]]:
    """Yield the complete records of a JSON array that may be cut off."""
    decoder, at = json.JSONDecoder(), 1
    with contextlib.suppress(json.JSONDecodeError):
        while at < len(text):
            record, end = decoder.raw_decode(text, at)
            yield record
            at = end + 1
