"""Echo suites, agents and scorecards for a worker's deployments, and their runs."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, require_team
from dryline.models.echo import EchoSuite, echo_of
from dryline.models.echo_runs import EchoRun
from dryline.models.workers import Worker
from dryline.storage.current_world import current

blp = PageBlueprint("scorecards", path="/workers/<worker_id>/scorecards", section="workers")

MAX_RUNS = 20


@blp.get("")
def show(worker_id: str) -> Any:
    """Show what belongs to the worker's deployments, and the team's runs of it."""
    worker = Worker.fetch(require_team(), worker_id)
    suites, agents, cards = echo_of(worker)
    ids = {one.id for one in (*agents, *cards)}
    own_runs = [
        run
        for run in EchoRun.listing(worker)
        if any(one.get("agentId") in ids or one.get("scorecardId") in ids for one in run.plan)
    ]
    runs, new_count = hide_new_rows(own_runs[:MAX_RUNS])
    return render_template(
        "scorecards.html", worker=worker, suites=suites, agents=agents, cards=cards, runs=runs, new_count=new_count
    )


@blp.post("/suites/<suite_id>/run")
def run(worker_id: str, suite_id: str) -> Any:
    with current().transaction():
        suite = EchoSuite.fetch(Worker.fetch(require_team(), worker_id), suite_id)
        EchoRun.start(require_team(), type="test_suite", agent_data={"suiteId": suite.id})
    return flash_and_redirect("The run has begun.", "scorecards.show", worker_id=worker_id)
