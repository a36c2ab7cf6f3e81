"""Echo: suites, agents, scorecards and their runs."""

from __future__ import annotations

from flask import g, request
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.echo import EchoAgent, EchoScorecard, EchoSuite
from dryline.models.echo_runs import EchoRun
from dryline.models.teams import authenticate
from dryline.schemas.echo import (
    EchoAgentBody,
    EchoAgentSchema,
    EchoRunSchema,
    EchoScorecardBody,
    EchoScorecardSchema,
    EchoSuiteBody,
    EchoSuiteSchema,
)


class EchoArea(Area):
    """An area whose run also takes the team's key in the header `team-secret`. Contract: runEcho."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, key_required=False, **kwargs)
        self.security = [{"apiKey": []}]
        self.admit = demand_key_or_secret


def demand_key_or_secret():
    """Let the holder of a valid key in, as `demand_key` does. Raises Unauthorized."""
    if request.method == "OPTIONS":
        return
    secret = request.headers.get("x-api-key")
    if secret is None and request.path.rstrip("/").endswith("/run"):
        secret = request.headers.get("team-secret")
    g.key = authenticate(secret)
    g.team = g.key.team


blp = EchoArea("Echo", "/api/echo", description="Test suites, simulated callers, scorecards and runs.")


@blp.route("/suites")
class EchoSuites(MethodView):
    @blp.response(200, EchoSuiteSchema(many=True))
    def get(self):
        """List the team's suites, newest first."""
        return EchoSuite.listing(g.team)

    @blp.arguments(EchoSuiteBody)
    @blp.response(201, EchoSuiteSchema)
    @blp.errors(404)
    def post(self, body):
        """Create a suite."""
        return EchoSuite.define(g.team, **body)


@blp.route("/suites/<id>")
class EchoSuiteById(MethodView):
    @blp.arguments(EchoSuiteBody(partial=True))
    @blp.response(200, EchoSuiteSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return EchoSuite.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a suite. Its agents and scorecards stay, without a suite."""
        EchoSuite.fetch(g.team, id).remove()


@blp.route("/agents")
class EchoAgents(MethodView):
    @blp.response(200, EchoAgentSchema(many=True))
    def get(self):
        """List the team's agents, newest first."""
        return EchoAgent.listing(g.team)

    @blp.arguments(EchoAgentBody)
    @blp.response(201, EchoAgentSchema)
    @blp.errors(404)
    def post(self, body):
        """Create an agent."""
        return EchoAgent.define(g.team, **body)


@blp.route("/agents/<id>")
class EchoAgentById(MethodView):
    @blp.arguments(EchoAgentBody(partial=True))
    @blp.response(200, EchoAgentSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return EchoAgent.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete an agent. Its scorecards stay, without an agent."""
        EchoAgent.fetch(g.team, id).remove()


@blp.route("/scorecards")
class EchoScorecards(MethodView):
    @blp.response(200, EchoScorecardSchema(many=True))
    def get(self):
        """List the team's scorecards, newest first."""
        return EchoScorecard.listing(g.team)

    @blp.arguments(EchoScorecardBody)
    @blp.response(201, EchoScorecardSchema)
    @blp.errors(404)
    def post(self, body):
        """Create a scorecard."""
        return EchoScorecard.define(g.team, **body)


@blp.route("/scorecards/<id>")
class EchoScorecardById(MethodView):
    @blp.response(200, EchoScorecardSchema)
    def get(self, id):
        """Retrieve a scorecard."""
        return EchoScorecard.fetch(g.team, id)

    @blp.arguments(EchoScorecardBody(partial=True))
    @blp.response(200, EchoScorecardSchema)
    def put(self, body, id):
        """Change the members that are sent."""
        return EchoScorecard.fetch(g.team, id).revise(**body)

    @blp.response(204)
    def delete(self, id):
        """Delete a scorecard and drop it from suites and agents."""
        EchoScorecard.fetch(g.team, id).remove()


@blp.route("/run")
class EchoRunStart(MethodView):
    @blp.doc(security=[{"apiKey": []}, {"teamSecret": []}])
    @blp.arguments(EchoRunSchema)
    @blp.response(200, EchoRunSchema)
    @blp.errors(404)
    def post(self, body):
        """Start a run of an agent or a suite. The key may come in the header team-secret instead."""
        return EchoRun.start(g.team, **body)
