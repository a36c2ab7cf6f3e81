"""Resources: what a worker may look things up in, and what its search finds there."""

from __future__ import annotations

from typing import Any

from flask import render_template, request

from dryline.blueprints.console.base import Pages, team
from dryline.models import resource_search
from dryline.models.folders import Folder
from dryline.models.resources import Resource
from dryline.models.workers import Worker

blp = Pages("resources", path="/workers/<worker_id>/resources", under="workers")


@blp.get("")
def show(worker_id: str) -> Any:
    """A worker's resources; with `q`, what they say about it."""
    worker = Worker.fetch(team(), worker_id)
    query = request.args.get("q", "").strip()
    return render_template(
        "resources.html",
        worker=worker,
        resources=Resource.of(worker),
        folders={folder.id: folder.name for folder in Folder.listing(worker, worker_id=worker.id)},
        q=query,
        found=resource_search.ask(worker, query=query) if query else None,
    )
