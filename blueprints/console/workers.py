"""The team's workers, and a page for each."""

from typing import Any

import orjson
from flask import g, render_template, request

from dryline.blueprints.console import figures
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, require_team
from dryline.models import activity, call_figures
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.tags import Tag, WorkerTag, workers_with_tags
from dryline.models.workers import Worker
from dryline.schemas.workers import WorkerSchema
from dryline.storage.current_world import current

blp = PageBlueprint("workers", "Workers", "w", path="/workers")

MAX_ERRORS = 5


@blp.get("")
def show() -> Any:
    """List the workers; `tag` and `q` in the address filter them."""
    tag, text = request.args.get("tag", ""), request.args.get("q", "").lower()
    # `dump` of a list returns its JSON.
    workers = orjson.loads(orjson.dumps(WorkerSchema().dump(workers_with_tags(g.team)))) if g.team else []
    return render_template(
        "workers.html",
        workers=[
            worker
            for worker in workers
            if text in f"{worker['name']} {worker['description'] or ''} {worker['id']}".lower()
            and (not tag or any(one["id"] == tag for one in worker["tags"]))
        ],
        counts=activity.count_parts(g.team) if g.team else {},
        tags=list(Tag.listing(g.team)) if g.team else [],
        tag=tag,
        q=request.args.get("q", ""),
    )


@blp.get("/<worker_id>")
def worker(worker_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    tags = Tag.of_worker(worker)
    return render_template(
        "worker.html",
        worker=worker,
        tags=tags,
        other_tags=[tag for tag in Tag.listing(worker) if tag.id not in {one.id for one in tags}],
        figures=figures.figures_of(filter(None, [call_figures.by_worker(worker).get(worker.id)])),
        flows=list(Flow.listing(worker, worker_id=worker.id)),
        deployments=list(Deployment.listing(worker, worker_id=worker.id)),
        errors=list(RuntimeErrorRecord.listing(worker, worker_id=worker.id).slice(MAX_ERRORS)),
    )


@blp.post("/<worker_id>/tags")
def assign_tag(worker_id: str) -> Any:
    with current().transaction():
        worker = Worker.fetch(require_team(), worker_id)
        Tag.fetch(worker, request.form.get("tagId", "")).assign(worker)
    return flash_and_redirect("The tag is added.")


@blp.post("/<worker_id>/tags/<tag_id>/remove")
def remove_tag(worker_id: str, tag_id: str) -> Any:
    with current().transaction():
        WorkerTag.take_off(Worker.fetch(require_team(), worker_id), tag_id)
    return flash_and_redirect("The tag is removed.")
