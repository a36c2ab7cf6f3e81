"""Tests of a worker's flows: run them, and see how the runs went."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages, done, settled, team
from dryline.models.flows import Flow
from dryline.models.tests import Test, TestRun
from dryline.models.workers import Worker
from dryline.storage.current_world import current

blp = Pages("tests", path="/workers/<worker_id>/tests", under="workers")

RUNS_SHOWN = 20


@blp.get("")
def show(worker_id: str) -> Any:
    """A worker's tests, each with its last run."""
    worker = Worker.fetch(team(), worker_id)
    tests = list(Test.listing(worker, worker_id=worker.id))
    last = TestRun.last_of_each_test(worker)
    flows = {flow.id: flow.name for flow in Flow.listing(worker, worker_id=worker.id)}
    return render_template("tests.html", worker=worker, tests=tests, last=last, flows=flows)


@blp.get("/<test_id>")
def test(worker_id: str, test_id: str) -> Any:
    """One test and its runs."""
    worker = Worker.fetch(team(), worker_id)
    found = worker.child(Test, test_id)
    runs, waiting = settled(list(TestRun.listing(found, test_id=found.id).slice(RUNS_SHOWN)))
    flow = Flow.find(id=found.flow_id, team_id=found.team_id)
    return render_template("test.html", worker=worker, test=found, runs=runs, waiting=waiting, flow=flow)


@blp.post("/<test_id>/run")
def run(worker_id: str, test_id: str) -> Any:
    """Start a run."""
    with current().transaction():
        Worker.fetch(team(), worker_id).child(Test, test_id).run()
    return done("The run has begun.", "tests.test", worker_id=worker_id, test_id=test_id)
