"""Scorecards: what Echo judges a worker's conversations by, its suites and agents, and their runs."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages, done, settled, team
from dryline.models.echo import EchoSuite, echo_of
from dryline.models.echo_runs import EchoRun
from dryline.models.workers import Worker
from dryline.storage.current_world import current

blp = Pages("scorecards", path="/workers/<worker_id>/scorecards", under="workers")

RUNS_SHOWN = 20
JUDGES = ("agentId", "scorecardId")  # whom a run's plan names


@blp.get("")
def show(worker_id: str) -> Any:
    """The suites, agents and scorecards that belong to the worker's deployments, and the team's runs of them."""
    worker = Worker.fetch(team(), worker_id)
    suites, agents, cards = echo_of(worker)
    judges = {one.id for one in (*agents, *cards)}
    mine = [run for run in EchoRun.listing(worker) if judges & {one.get(name) for one in run.plan for name in JUDGES}]
    runs, waiting = settled(mine[:RUNS_SHOWN])
    return render_template(
        "scorecards.html", worker=worker, suites=suites, agents=agents, cards=cards, runs=runs, waiting=waiting
    )


@blp.post("/suites/<suite_id>/run")
def run(worker_id: str, suite_id: str) -> Any:
    """Run a suite."""
    with current().transaction():
        suite = EchoSuite.fetch(Worker.fetch(team(), worker_id), suite_id)
        EchoRun.start(team(), type="test_suite", agent_data={"suiteId": suite.id})
    return done("The run has begun.", "scorecards.show", worker_id=worker_id)
