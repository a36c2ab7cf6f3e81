"""Exports: how each stands, what it holds, how long it lasts, and its moves by hand."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import Pages, done, form, settled, team
from dryline.blueprints.control.exports import TransitionBody
from dryline.blueprints.links import base_url, with_link
from dryline.jobs import export_files, exports
from dryline.models.deployments import Deployment
from dryline.models.exports import TRANSITIONS, Export
from dryline.models.workers import Worker
from dryline.schemas.exports import FORMATS, LOG_TYPES, ExportBody, ExportSchema, members
from dryline.storage.current_world import current
from dryline.world.clock import wire

blp = Pages("exports", "Exports", "x", path="/exports")

FIRST_ROWS = 10
# What an export holds where nobody says otherwise: the last week.
WINDOW = timedelta(days=7)


@blp.get("")
def show() -> Any:
    """The team's exports, as the API lists them."""
    found, waiting = settled(Export.recent(g.team) if g.team else [])
    shown = [(export, ExportSchema().dump(with_link(export))) for export in found]
    return render_template("exports.html", exports=shown, rows=found, waiting=waiting)


@blp.get("/new")
def new() -> Any:
    """What an export is asked for with. The address may give values, by the API's names."""
    now = current().clock.now()
    given = {"startDate": wire(now - WINDOW)[:16], "endDate": wire(now)[:16], "format": "CSV", **request.args.to_dict()}
    return render_template(
        "export_new.html",
        given=given,
        formats=FORMATS,
        log_types={log_type: members(log_type) for log_type in LOG_TYPES},
        workers=list(Worker.listing(team())),
        deployments=list(Deployment.listing(team())),
    )


@blp.post("")
def ask() -> Any:
    """Ask for an export."""
    with current().transaction():
        export = Export.request(team(), base_url(), **form(ExportBody))
    return done("The export is asked for.", "exports.export", export_id=export.id)


@blp.get("/<export_id>")
def export(export_id: str) -> Any:
    """One export."""
    found = with_link(Export.fetch(team(), export_id))
    shown = ExportSchema().dump(found)
    names, rows = export_files.preview(found, FIRST_ROWS) if found.is_available else ([], [])
    return render_template(
        "export.html",
        export=found,
        shown=shown,
        machine=charts.state_machine(TRANSITIONS, shown["status"]),
        moves=TRANSITIONS[found.status],
        written=export_files.bytes_written(found),
        names=names,
        rows=rows,
    )


@blp.post("/<export_id>/transition")
def transition(export_id: str) -> Any:
    """Make one move of the state machine."""
    moved = exports.transition(current(), Export.fetch(team(), export_id).id, **form(TransitionBody))
    return done(f"The export is {moved.status}.")
