"""Echo: suites, agents, scorecards and their runs."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.echo import EchoAgent, EchoScorecard, EchoSuite
from dryline.models.echo_runs import EchoRun
from dryline.schemas.echo import (
    EchoAgentBody,
    EchoAgentSchema,
    EchoRunSchema,
    EchoScorecardBody,
    EchoScorecardSchema,
    EchoSuiteBody,
    EchoSuiteSchema,
)

# A run's key may come in `team-secret`. Contract: runEcho.
blp = Area(
    "Echo",
    "/api/echo",
    description="Test suites, simulated callers, scorecards and runs.",
    secret_for="EchoRunStart",
)


@blp.route("/suites", get="listEchoSuites", post="createEchoSuite")
class EchoSuites(MethodView):
    @blp.response(200, EchoSuiteSchema(many=True))
    def get(self):
        """List the team's suites, newest first.

        All of them, without pages.
        """
        return EchoSuite.listing(g.team)

    @blp.arguments(EchoSuiteBody)
    @blp.response(201, EchoSuiteSchema)
    @blp.errors(404)
    def post(self, body):
        """Create a suite.

        404 naming the member for a deployment or Echo scorecard that the team does not have; `scorecardIds` are
        kept as sent.
        """
        return EchoSuite.define(g.team, **body)


@blp.route("/suites/<id>", put="updateEchoSuite", delete="deleteEchoSuite")
class EchoSuiteById(MethodView):
    @blp.arguments(EchoSuiteBody(partial=True))
    @blp.response(200, EchoSuiteSchema)
    def put(self, body, id):
        """Change a suite.

        Members that are left out keep their value; null clears one that may be null. 404 naming the member for a
        link that leads nowhere.
        """
        return EchoSuite.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a suite.

        Its agents and scorecards stay, without a suite.
        """
        EchoSuite.fetch(g.team, id).remove()


@blp.route("/agents", get="listEchoAgents", post="createEchoAgent")
class EchoAgents(MethodView):
    @blp.response(200, EchoAgentSchema(many=True))
    def get(self):
        """List the team's agents, newest first.

        All of them, without pages.
        """
        return EchoAgent.listing(g.team)

    @blp.arguments(EchoAgentBody)
    @blp.response(201, EchoAgentSchema)
    @blp.errors(404)
    def post(self, body):
        """Create an agent.

        It plays the caller in runs. 404 naming the member for a deployment, suite or scorecard that the team does
        not have.
        """
        return EchoAgent.define(g.team, **body)


@blp.route("/agents/<id>", put="updateEchoAgent", delete="deleteEchoAgent")
class EchoAgentById(MethodView):
    @blp.arguments(EchoAgentBody(partial=True))
    @blp.response(200, EchoAgentSchema)
    def put(self, body, id):
        """Change an agent.

        Members that are left out keep their value; null clears one that may be null. 404 naming the member for a
        link that leads nowhere.
        """
        return EchoAgent.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an agent.

        Its scorecards stay, without an agent.
        """
        EchoAgent.fetch(g.team, id).remove()


@blp.route("/scorecards", get="listEchoScorecards", post="createEchoScorecard")
class EchoScorecards(MethodView):
    @blp.response(200, EchoScorecardSchema(many=True))
    def get(self):
        """List the team's scorecards, newest first.

        All of them, without pages.
        """
        return EchoScorecard.listing(g.team)

    @blp.arguments(EchoScorecardBody)
    @blp.response(201, EchoScorecardSchema)
    @blp.errors(404)
    def post(self, body):
        """Create a scorecard.

        `items` are kept as sent. 404 naming the member for a suite, agent or deployment that the team does not
        have.
        """
        return EchoScorecard.define(g.team, **body)


@blp.route("/scorecards/<id>", get="getEchoScorecard", put="updateEchoScorecard", delete="deleteEchoScorecard")
class EchoScorecardById(MethodView):
    @blp.response(200, EchoScorecardSchema)
    def get(self, id):
        """Retrieve a scorecard.

        404 where the team has none of this id.
        """
        return EchoScorecard.fetch(g.team, id)

    @blp.arguments(EchoScorecardBody(partial=True))
    @blp.response(200, EchoScorecardSchema)
    def put(self, body, id):
        """Change a scorecard.

        Members that are left out keep their value; null clears one that may be null. 404 naming the member for a
        link that leads nowhere.
        """
        return EchoScorecard.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a scorecard.

        It is dropped from the lists of suites and agents.
        """
        EchoScorecard.fetch(g.team, id).remove()


@blp.route("/run", post="runEcho")
class EchoRunStart(MethodView):
    @blp.arguments(EchoRunSchema)
    @blp.response(200, EchoRunSchema)
    @blp.errors(404)
    def post(self, body):
        """Start a run of an agent or a suite.

        The key may come in the header `team-secret` instead. The run is QUEUED for 1 s of API time, RUNNING for 2 s
        a conversation, then PASSED or FAILED; the API has no way to read it: `GET /_dryline/echo-runs` does. 404
        for an agent, suite or scorecard that the team does not have.
        """
        return EchoRun.start(g.team, **body)
