"""Tests of a worker's flows, and their runs."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, require_team
from dryline.models.flows import Flow
from dryline.models.tests import Test, TestRun
from dryline.models.workers import Worker
from dryline.storage.current_world import current

blp = PageBlueprint("tests", path="/workers/<worker_id>/tests", section="workers")

MAX_RUNS = 20


@blp.get("")
def show(worker_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    tests = list(Test.listing(worker, worker_id=worker.id))
    last_runs = TestRun.last_of_each_test(worker)
    flows = {flow.id: flow.name for flow in Flow.listing(worker, worker_id=worker.id)}
    return render_template("tests.html", worker=worker, tests=tests, last_runs=last_runs, flows=flows)


@blp.get("/<test_id>")
def test(worker_id: str, test_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    test = worker.child(Test, test_id)
    runs, new_count = hide_new_rows(list(TestRun.listing(test, test_id=test.id).slice(MAX_RUNS)))
    flow = Flow.find(id=test.flow_id, team_id=test.team_id)
    return render_template("test.html", worker=worker, test=test, runs=runs, new_count=new_count, flow=flow)


@blp.post("/<test_id>/run")
def run(worker_id: str, test_id: str) -> Any:
    with current().transaction():
        Worker.fetch(require_team(), worker_id).child(Test, test_id).run()
    return flash_and_redirect("The run has begun.", "tests.test", worker_id=worker_id, test_id=test_id)
