"""Teams and their keys: a team of its own for each test, on one server."""

from __future__ import annotations

from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea
from dryline.models.teams import ApiKey, Team
from dryline.schemas.teams import ApiKeyBody, NewApiKeySchema, NewTeamBody, NewTeamSchema, TeamWithKeysSchema
from dryline.state import document as state
from dryline.storage.current_world import current

blp = ControlArea("Control: teams", "/_dryline/teams", description="Teams and their API keys.")


@blp.route("", get="listTeams", post="createTeam")
class Teams(MethodView):
    @blp.response(200, TeamWithKeysSchema(many=True))
    def get(self):
        """List the teams, oldest first, each with its keys, which are never shown in clear.

        A key's id is what `revokeApiKey` takes.
        """
        with current().reading():
            keys = ApiKey.by_team()
            return [{**team.__data__, "api_keys": keys.get(team.id, [])} for team in Team.everyone()]

    @blp.arguments(NewTeamBody)
    @blp.response(201, NewTeamSchema)
    @blp.errors(409)
    def post(self, body):
        """Make a team and its first key, which is shown this once.

        Nothing of one team is seen by another: a team a test lets tests share a server. 409 for a key that exists.
        """
        with current().transaction():
            team = Team.new(body["name"])
            key, secret = ApiKey.issue(team, body.get("key"))
            return {**team.__data__, "api_keys": [key], "api_key": secret}


@blp.route("/<team_id>", delete="deleteTeam")
class TeamById(MethodView):
    @blp.response(204)
    @blp.errors(409)
    def delete(self, team_id):
        """Delete a team with all that it has.

        409 for the team that the server started with.
        """
        state.delete_team(current(), team_id)


@blp.route("/<team_id>/keys", post="createApiKey")
class TeamKeys(MethodView):
    @blp.arguments(ApiKeyBody)
    @blp.response(201, NewApiKeySchema)
    @blp.errors(409)
    def post(self, body, team_id):
        """Make another key, which is shown this once, or let one of another server work here too.

        409 for a key that exists.
        """
        with current().transaction():
            team, name = Team.by_id(team_id), body.get("name")
            if "sha256" in body:
                return ApiKey.copy(team, body["sha256"], name).__data__
            key, secret = ApiKey.issue(team, body.get("key"), name)
        return {**key.__data__, "key": secret}


@blp.route("/<team_id>/keys/<key_id>", delete="revokeApiKey")
class TeamKeyById(MethodView):
    @blp.response(204)
    def delete(self, team_id, key_id):
        """Revoke a key: from now on it opens nothing.

        404 where the team has no such key.
        """
        with current().transaction():
            ApiKey.fetch(Team.by_id(team_id), key_id).revoke()
