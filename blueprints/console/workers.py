"""The team's workers, and a page for each with its resources, tests and scorecards."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from flask import g, render_template, request
from marshmallow import fields

from dryline.blueprints.console import figures
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form, require_team, without_new_rows
from dryline.blueprints.console.flow_templates import TEMPLATES
from dryline.blueprints.console.operations import form_body, perform_operation, show_sent
from dryline.models import activity, call_figures, resource_search
from dryline.models.deployments import Deployment
from dryline.models.echo import echo_of
from dryline.models.echo_runs import EchoRun
from dryline.models.flows import Flow
from dryline.models.folders import Folder
from dryline.models.resources import Resource
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.tags import Tag, workers_with_tags
from dryline.models.tests import Test, TestRun
from dryline.models.workers import Worker
from dryline.schemas.base import OneOf
from dryline.schemas.tags import TagAssignmentSchema
from dryline.schemas.workers import WorkerSchema
from dryline.storage.current_world import current

blp = PageBlueprint("workers", "Workers", "w", path="/workers")

MAX_ERRORS = 5
MAX_RUNS = 20


class WorkerSheetSchema(WorkerSchema):
    """A worker with a flow from the form, where the description may be empty. `template` names the flow."""

    description = fields.String(load_default=None)
    status = fields.String(load_default="active")
    template = fields.String(required=True, validate=OneOf(*TEMPLATES))


def _is_listed(worker: dict[str, Any], tag: str, text: str) -> bool:
    """Return whether a worker has a tag, and a text in its name, description or id."""
    has_text = text in f"{worker['name']} {worker['description'] or ''} {worker['id']}".lower()
    has_tag = tag == "" or any(each["id"] == tag for each in worker["tags"])
    return has_text and has_tag


@blp.get("")
def show() -> Any:
    """List the workers; `tag` and `q` in the address filter them."""
    tag, text = request.args.get("tag", ""), request.args.get("q", "").lower()
    # `dump` of a list returns its JSON.
    workers = orjson.loads(orjson.dumps(WorkerSchema().dump(workers_with_tags(g.team))))
    return render_template(
        "workers.html",
        workers=[worker for worker in workers if _is_listed(worker, tag, text)],
        counts=activity.count_parts(g.team),
        tags=[(one.id, one.label) for one in Tag.listing(g.team)],
        tag=tag,
        q=request.args.get("q", ""),
    )


@blp.get("/new")
def new() -> Any:
    return render_template("worker_new.html", templates=TEMPLATES)


@blp.post("")
def create() -> Any:
    """Create a worker, and the flow of the chosen template."""
    if not request.form.get("template"):
        body = {"description": None, "status": "active", **form_body(WorkerSchema, "template")}
        answer = perform_operation("POST", "/api/workers", body=body)
        return show_sent(answer, f"Created {body['name']}.", "workers.worker", worker_id=answer.body["id"])

    body = load_form(WorkerSheetSchema)
    template = TEMPLATES[body.pop("template")]
    team = require_team()
    with current().transaction():
        worker = Worker.add(team, **body)
        variables = template.variables_of(worker.name)
        flow = Flow.write(worker, team, name=template.name, label=None, code=template.code, variables=variables)
    message = f"Created {worker.name}. Try its flow, change it, and deploy it to a number."
    return flash_and_redirect(message, "flows.flow", worker_id=worker.id, flow_id=flow.id)


@blp.get("/<worker_id>")
def worker(worker_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    return render_template("worker.html", worker=worker, page=WorkerPage(worker))


@dataclass
class WorkerPage:
    """The summary of a worker."""

    worker: Worker

    @cached_property
    def tags(self) -> list[Tag]:
        """The tags of the worker."""
        return Tag.of_worker(self.worker)

    @cached_property
    def other_tags(self) -> list[Tag]:
        """The tags that it does not have."""
        ids = {tag.id for tag in self.tags}
        return [tag for tag in Tag.listing(self.worker) if tag.id not in ids]

    @property
    def figures(self) -> list[figures.Figure]:
        """The figures of its calls."""
        sums = call_figures.figures_by_worker(self.worker).get(self.worker.id)
        return figures.figures_of([sums] if sums else [])

    @property
    def flows(self) -> list[Flow]:
        """The flows of the worker."""
        return list(Flow.listing(self.worker, worker_id=self.worker.id))

    @property
    def deployments(self) -> list[Deployment]:
        """The deployments of the worker."""
        return list(Deployment.listing(self.worker, worker_id=self.worker.id))

    @property
    def errors(self) -> list[RuntimeErrorRecord]:
        """The newest runtime errors, equal ones with their number."""
        return activity.newest_errors(self.worker, MAX_ERRORS, worker_id=self.worker.id)


@blp.post("/<worker_id>/tags")
def assign_tag(worker_id: str) -> Any:
    answer = perform_operation("POST", "/api/workers/{}/tags", worker_id, body=form_body(TagAssignmentSchema))
    return show_sent(answer, "The tag is added.")


@blp.post("/<worker_id>/tags/<tag_id>/remove")
def remove_tag(worker_id: str, tag_id: str) -> Any:
    answer = perform_operation("DELETE", "/api/workers/{}/tags/{}", worker_id, tag_id)
    return show_sent(answer, "The tag is removed.")


@blp.get("/<worker_id>/resources")
def resources(worker_id: str) -> Any:
    """List the resources; with `q` in the address, also the answer to this query."""
    worker = Worker.fetch(require_team(), worker_id)
    query = request.args.get("q", "").strip()
    return render_template(
        "resources.html",
        worker=worker,
        resources=Resource.of_types(worker),
        folders={folder.id: folder.name for folder in Folder.listing(worker, worker_id=worker.id)},
        q=query,
        answer=resource_search.answer_query(worker, query=query) if query else None,
    )


@blp.get("/<worker_id>/tests")
def tests(worker_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    tests = list(Test.listing(worker, worker_id=worker.id))
    last_runs = TestRun.last_of_each_test(worker)
    flows = {flow.id: flow.name for flow in Flow.listing(worker, worker_id=worker.id)}
    return render_template("tests.html", worker=worker, tests=tests, last_runs=last_runs, flows=flows)


@blp.get("/<worker_id>/tests/<test_id>")
def test(worker_id: str, test_id: str) -> Any:
    worker = Worker.fetch(require_team(), worker_id)
    test = worker.child(Test, test_id)
    runs, new_count = without_new_rows(list(TestRun.listing(test, test_id=test.id).slice(MAX_RUNS)))
    flow = Flow.find(id=test.flow_id, team_id=test.team_id)
    return render_template("test.html", worker=worker, test=test, runs=runs, new_count=new_count, flow=flow)


@blp.post("/<worker_id>/tests/<test_id>/run")
def run_test(worker_id: str, test_id: str) -> Any:
    answer = perform_operation("POST", "/api/workers/{}/tests/{}/run", worker_id, test_id)
    return show_sent(answer, "The run has begun.", "workers.test", worker_id=worker_id, test_id=test_id)


@blp.get("/<worker_id>/scorecards")
def scorecards(worker_id: str) -> Any:
    """Show what belongs to the worker's deployments, and the team's runs of it."""
    worker = Worker.fetch(require_team(), worker_id)
    suites, agents, cards = echo_of(worker)
    ids = {record.id for record in (*agents, *cards)}
    worker_runs = []
    for run in EchoRun.listing(worker):
        if any(step.get("agentId") in ids or step.get("scorecardId") in ids for step in run.plan):
            worker_runs.append(run)
    runs, new_count = without_new_rows(worker_runs[:MAX_RUNS])
    return render_template(
        "scorecards.html", worker=worker, suites=suites, agents=agents, cards=cards, runs=runs, new_count=new_count
    )


@blp.post("/<worker_id>/scorecards/suites/<suite_id>/run")
def run_suite(worker_id: str, suite_id: str) -> Any:
    body = {"type": "test_suite", "agent_data": {"suiteId": suite_id}}
    answer = perform_operation("POST", "/api/echo/run", body=body)
    return show_sent(answer, "The run has begun.", "workers.scorecards", worker_id=worker_id)
