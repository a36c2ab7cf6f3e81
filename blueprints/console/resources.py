"""A worker's resources, and the answer to a query of them."""

from typing import Any

from flask import render_template, request

from dryline.blueprints.console.base import PageBlueprint, require_team
from dryline.models import resource_search
from dryline.models.folders import Folder
from dryline.models.resources import Resource
from dryline.models.workers import Worker

blp = PageBlueprint("resources", path="/workers/<worker_id>/resources", section="workers")


@blp.get("")
def show(worker_id: str) -> Any:
    """List the resources; with `q` in the address, also the answer to this query."""
    worker = Worker.fetch(require_team(), worker_id)
    query = request.args.get("q", "").strip()
    return render_template(
        "resources.html",
        worker=worker,
        resources=Resource.of(worker),
        folders={folder.id: folder.name for folder in Folder.listing(worker, worker_id=worker.id)},
        q=query,
        answer=resource_search.ask(worker, query=query) if query else None,
    )
