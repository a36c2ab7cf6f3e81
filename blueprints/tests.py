"""Tests of a worker's flows."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.tests import Test, TestRun
from dryline.models.workers import Worker
from dryline.schemas.tests import TestBody, TestRunSchema, TestSchema

blp = Area("Tests", "/api/workers/<worker_id>/tests", description="Tests of a worker's flows, and their runs.")


@blp.route("")
class Tests(MethodView):
    @blp.arguments(TestBody)
    @blp.response(201, TestSchema)
    def post(self, body, worker_id):
        """Create a test."""
        return Test.define(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<test_id>")
class TestById(MethodView):
    @blp.arguments(TestBody(partial=True))
    @blp.response(200, TestSchema)
    def put(self, body, worker_id, test_id):
        """Change the members that are sent."""
        return Worker.fetch(g.team, worker_id).its(Test, test_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, test_id):
        """Delete a test and its runs."""
        Worker.fetch(g.team, worker_id).its(Test, test_id).remove()


@blp.route("/<test_id>/run")
class TestRunStart(MethodView):
    @blp.response(200, TestRunSchema)
    def post(self, worker_id, test_id):
        """Start a run."""
        return Worker.fetch(g.team, worker_id).its(Test, test_id).run()


@blp.route("/<test_id>/runs")
class TestRuns(MethodView):
    @blp.response(200, TestRunSchema(many=True))
    def get(self, worker_id, test_id):
        """List a test's runs, newest first."""
        test = Worker.fetch(g.team, worker_id).its(Test, test_id)
        return TestRun.listing(test, test_id=test.id)
