"""Tests of a worker's flows."""

from flask import g
from flask.views import MethodView

from dryline.models.tests import Test, TestRun
from dryline.models.workers import Worker
from dryline.schemas.tests import TestRunSchema, TestSchema
from dryline.web.base import Area

blp = Area("Tests", "/api/workers/<worker_id>/tests", description="Tests of a worker's flows, and their runs.")


@blp.route("", post="createTest")
class Tests(MethodView):
    @blp.arguments(TestSchema)
    @blp.response(201, TestSchema)
    def post(self, body, worker_id):
        """Create a test.

        `flowId` must be a flow of the worker, otherwise 404. Each checkpoint holds `runs` conversations, of which
        `tolerance` may fail.
        """
        return Test.define(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<test_id>", put="updateTest", delete="deleteTest")
class TestById(MethodView):
    @blp.arguments(TestSchema(partial=True))
    @blp.response(200, TestSchema)
    def put(self, body, worker_id, test_id):
        """Update a test.

        Pending runs use the test as it is when they start.
        """
        return Worker.fetch(g.team, worker_id).child(Test, test_id).revise(**body)

    @blp.response(204)
    def delete(self, worker_id, test_id):
        """Delete a test and its runs."""
        Worker.fetch(g.team, worker_id).child(Test, test_id).remove()


@blp.route("/<test_id>/run", post="runTest")
class TestRunStart(MethodView):
    @blp.response(200, TestRunSchema)
    def post(self, worker_id, test_id):
        """Start a run of a test.

        The run holds conversations with the test's flow. It is PENDING for 1 second of API time, RUNNING for 2 seconds
        per conversation, and then PASSED or FAILED with `results`. Poll `listTestRuns`.
        """
        return Worker.fetch(g.team, worker_id).child(Test, test_id).run()


@blp.route("/<test_id>/runs", get="listTestRuns")
class TestRuns(MethodView):
    @blp.response(200, TestRunSchema(many=True))
    def get(self, worker_id, test_id):
        """List a test's runs, newest first."""
        test = Worker.fetch(g.team, worker_id).child(Test, test_id)
        return TestRun.listing(test, test_id=test.id)
