"""Workers: the team's, and what one of them is made of."""

from __future__ import annotations

from typing import Any

import orjson
from flask import g, render_template, request

from dryline.blueprints.console.base import Pages, done, team
from dryline.models import activity
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.tags import Tag, WorkerTag, workers_with_tags
from dryline.models.workers import Worker
from dryline.schemas.workers import WorkerSchema
from dryline.storage.current_world import current

blp = Pages("workers", "Workers", "w", path="/workers")

ERRORS_SHOWN = 5


@blp.get("")
def show() -> Any:
    """The team's workers, those with a tag or with a text in them where the address asks for one."""
    tag, text = request.args.get("tag", ""), request.args.get("q", "").lower()
    # A list is dumped as the JSON that the API answers with.
    found = orjson.loads(orjson.dumps(WorkerSchema().dump(workers_with_tags(g.team)))) if g.team else []
    return render_template(
        "workers.html",
        workers=[
            worker
            for worker in found
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
    """One worker."""
    found = Worker.fetch(team(), worker_id)
    tags = Tag.of_worker(found)
    errors = RuntimeErrorRecord.listing(found, worker_id=found.id).slice(ERRORS_SHOWN)
    return render_template(
        "worker.html",
        worker=found,
        tags=tags,
        further_tags=[tag for tag in Tag.listing(found) if tag.id not in {one.id for one in tags}],
        flows=list(Flow.listing(found, worker_id=found.id)),
        deployments=list(Deployment.listing(found, worker_id=found.id)),
        errors=list(errors),
    )


@blp.post("/<worker_id>/tags")
def tag(worker_id: str) -> Any:
    """Put a tag on the worker."""
    with current().transaction():
        found = Worker.fetch(team(), worker_id)
        Tag.fetch(found, request.form.get("tagId", "")).assign(found)
    return done("The worker has the tag.")


@blp.post("/<worker_id>/tags/<tag_id>/remove")
def untag(worker_id: str, tag_id: str) -> Any:
    """Take a tag off the worker."""
    with current().transaction():
        WorkerTag.take_off(Worker.fetch(team(), worker_id), tag_id)
    return done("The tag is off.")
