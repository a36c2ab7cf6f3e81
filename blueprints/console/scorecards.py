"""Scorecards: what Echo judges a worker's conversations by, its suites and agents, and their runs."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages, done, team
from dryline.models.echo import EchoSuite, echo_of
from dryline.models.echo_runs import EchoRun
from dryline.models.workers import Worker
from dryline.world.world import current

blp = Pages("scorecards", path="/workers/<worker_id>/scorecards", under="workers")

RUNS_SHOWN = 20


@blp.get("")
def show(worker_id: str) -> Any:
    """The suites, agents and scorecards that belong to the worker's deployments, and the team's runs of them."""
    worker = Worker.fetch(team(), worker_id)
    suites, agents, cards = echo_of(worker)
    judges = {one.id for one in (*agents, *cards)}
    runs = [run for run in EchoRun.listing(worker) if any(judges & {one["agentId"], one["scorecardId"]} for one in run.plan)]
    return render_template(
        "scorecards.html", worker=worker, suites=suites, agents=agents, cards=cards, runs=runs[:RUNS_SHOWN]
    )


@blp.post("/suites/<suite_id>/run")
def run(worker_id: str, suite_id: str) -> Any:
    """Run a suite."""
    with current().transaction():
        suite = EchoSuite.fetch(Worker.fetch(team(), worker_id), suite_id)
        EchoRun.start(team(), type="test_suite", agent_data={"suiteId": suite.id})
    return done("The run has begun.", "scorecards.show", worker_id=worker_id)
