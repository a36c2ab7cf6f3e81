"""Echo: suites, agents, scorecards and their runs."""

from flask import g
from flask.views import MethodView

from dryline.models.echo import EchoAgent, EchoScorecard, EchoSuite
from dryline.models.echo_runs import EchoRun
from dryline.schemas.echo import (
    EchoAgentSchema,
    EchoRunSchema,
    EchoScorecardSchema,
    EchoSuiteSchema,
)
from dryline.web.base import Area

blp = Area("Echo", "/api/echo", description="Echo: test suites, simulated callers, scorecards and runs.")


@blp.route("/suites", get="listEchoSuites", post="createEchoSuite")
class EchoSuites(MethodView):
    @blp.response(200, EchoSuiteSchema(many=True))
    def get(self):
        """List the team's Echo suites, newest first."""
        return EchoSuite.listing(g.team)

    @blp.arguments(EchoSuiteSchema)
    @blp.response(201, EchoSuiteSchema)
    @blp.errors(404)
    def post(self, body):
        """Create an Echo suite.

        404 naming the field if the team has no such deployment or Echo scorecard. `scorecardIds` are stored as sent.
        """
        return EchoSuite.define(g.team, **body)


@blp.route("/suites/<id>", put="updateEchoSuite", delete="deleteEchoSuite")
class EchoSuiteById(MethodView):
    @blp.arguments(EchoSuiteSchema(partial=True))
    @blp.response(200, EchoSuiteSchema)
    def put(self, body, id):
        """Update an Echo suite."""
        return EchoSuite.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an Echo suite."""
        EchoSuite.fetch(g.team, id).remove()


@blp.route("/agents", get="listEchoAgents", post="createEchoAgent")
class EchoAgents(MethodView):
    @blp.response(200, EchoAgentSchema(many=True))
    def get(self):
        """List the team's Echo agents, newest first."""
        return EchoAgent.listing(g.team)

    @blp.arguments(EchoAgentSchema)
    @blp.response(201, EchoAgentSchema)
    @blp.errors(404)
    def post(self, body):
        """Create an Echo agent.

        The agent plays the caller in runs. 404 naming the field if the team has no such deployment, suite or scorecard.
        """
        return EchoAgent.define(g.team, **body)


@blp.route("/agents/<id>", put="updateEchoAgent", delete="deleteEchoAgent")
class EchoAgentById(MethodView):
    @blp.arguments(EchoAgentSchema(partial=True))
    @blp.response(200, EchoAgentSchema)
    def put(self, body, id):
        """Update an Echo agent."""
        return EchoAgent.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an Echo agent."""
        EchoAgent.fetch(g.team, id).remove()


@blp.route("/scorecards", get="listEchoScorecards", post="createEchoScorecard")
class EchoScorecards(MethodView):
    @blp.response(200, EchoScorecardSchema(many=True))
    def get(self):
        """List the team's Echo scorecards, newest first."""
        return EchoScorecard.listing(g.team)

    @blp.arguments(EchoScorecardSchema)
    @blp.response(201, EchoScorecardSchema)
    @blp.errors(404)
    def post(self, body):
        """Create an Echo scorecard.

        `items` are stored as sent. 404 naming the field if the team has no such suite, agent or deployment.
        """
        return EchoScorecard.define(g.team, **body)


@blp.route("/scorecards/<id>", get="getEchoScorecard", put="updateEchoScorecard", delete="deleteEchoScorecard")
class EchoScorecardById(MethodView):
    @blp.response(200, EchoScorecardSchema)
    def get(self, id):
        """Retrieve an Echo scorecard."""
        return EchoScorecard.fetch(g.team, id)

    @blp.arguments(EchoScorecardSchema(partial=True))
    @blp.response(200, EchoScorecardSchema)
    def put(self, body, id):
        """Update an Echo scorecard."""
        return EchoScorecard.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an Echo scorecard."""
        EchoScorecard.fetch(g.team, id).remove()


@blp.route("/run", post="runEcho")
class EchoRunStart(MethodView):
    takes_secret = True  # Contract: runEcho

    @blp.arguments(EchoRunSchema)
    @blp.response(200, EchoRunSchema)
    @blp.errors(404)
    def post(self, body):
        """Start a run of an Echo agent or suite.

        The run is QUEUED for 1 second of API time, RUNNING for 2 seconds per conversation, and then PASSED or FAILED.
        The API has no operation that returns runs; use `GET /_dryline/echo-runs`. The key may be sent in the header
        `team-secret` instead. 404 if the team has no such agent, suite or scorecard.
        """
        return EchoRun.start(g.team, **body)
