"""Flows: their code with what is wrong with it, where it leads, its versions and what changed between them."""

from __future__ import annotations

from typing import Any

from flask import render_template, request

from dryline.blueprints.console.base import Pages, team
from dryline.blueprints.console.words import pretty
from dryline.models.deployment_parameters import show_flow
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.talks.engines import engine_of
from dryline.world.world import current

blp = Pages("flows", path="/workers/<worker_id>/flows", under="workers")


@blp.get("")
def show(worker_id: str) -> Any:
    """A worker's flows."""
    worker = Worker.fetch(team(), worker_id)
    flows = list(Flow.listing(worker, worker_id=worker.id))
    used: dict[str, list[Deployment]] = {}
    for one in Deployment.listing(worker, worker_id=worker.id):
        used.setdefault(one.flow_id, []).append(one)
    counts = {flow.id: FlowVersion.listing(flow, flow_id=flow.id).count() for flow in flows}
    return render_template("flows.html", worker=worker, flows=flows, used=used, counts=counts)


@blp.get("/<flow_id>")
def flow(worker_id: str, flow_id: str) -> Any:
    """One flow as it is, or as one of its versions has it."""
    from dryline.blueprints.console import highlighting  # imported late: only pages with code need its library

    worker = Worker.fetch(team(), worker_id)
    found = show_flow(worker.its(Flow, flow_id), request.args.get("version") or None)
    engine = engine_of(current())
    findings = engine.check(found.code)
    sound = all(finding.severity != "error" for finding in findings)
    return render_template(
        "flow.html",
        worker=worker,
        flow=found,
        version=request.args.get("version"),
        versions=list(FlowVersion.listing(found, flow_id=found.id)),
        lines=highlighting.lines(found.code),
        findings=findings,
        sound=sound,
        paths=engine.paths(found.code) if sound else [],
        deployments=list(Deployment.listing(found, flow_id=found.id)),
    )


@blp.get("/<flow_id>/diff")
def diff(worker_id: str, flow_id: str) -> Any:
    """What changed from one version to another: by default from the last but one to the flow as it is."""
    from dryline.blueprints.console import highlighting

    worker = Worker.fetch(team(), worker_id)
    found = worker.its(Flow, flow_id)
    versions = list(FlowVersion.listing(found, flow_id=found.id))
    before = next((one.id for one in versions if one.code != found.code), "")
    old, new = request.args.get("old", before), request.args.get("new", "")
    one, other = (worker.its(Flow, flow_id) for _ in range(2))
    show_flow(one, old or None)
    show_flow(other, new or None)
    return render_template(
        "flow_diff.html",
        worker=worker,
        flow=found,
        versions=versions,
        old=old,
        new=new,
        code=highlighting.compare(one.code, other.code),
        variables=highlighting.compare(pretty(one.variables), pretty(other.variables)),
    )
