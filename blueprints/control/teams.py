"""Teams and their keys. Each test can have a team of its own on one server."""

from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea, UndoQuery, undo_name
from dryline.models.teams import ApiKey, Team
from dryline.schemas.teams import ApiKeyBody, NewApiKeySchema, NewTeamBody, NewTeamSchema, TeamWithKeysSchema
from dryline.state import changes
from dryline.state.undo import undoable
from dryline.storage.current_world import current

blp = ControlArea("Control: teams", "/_dryline/teams", description="Teams and their API keys.")


@blp.route("", get="listTeams", post="createTeam")
class Teams(MethodView):
    @blp.response(200, TeamWithKeysSchema(many=True))
    def get(self):
        """List the teams with their keys, oldest first.

        Keys are never shown in clear.
        """
        with current().reading():
            keys = ApiKey.by_team()
            return [{**team.__data__, "api_keys": keys.get(team.id, [])} for team in Team.everyone()]

    @blp.arguments(NewTeamBody)
    @blp.response(201, NewTeamSchema)
    @blp.errors(409)
    def post(self, body):
        """Create a team and its first key.

        The key is shown in this answer only. Teams cannot see each other's data. 409 if the key exists.
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
        """Delete a team and all its data.

        409 for the team that the server started with.
        """
        changes.delete_team(current(), team_id)


@blp.route("/<team_id>/keys", post="createApiKey")
class TeamKeys(MethodView):
    @blp.arguments(ApiKeyBody)
    @blp.response(201, NewApiKeySchema)
    @blp.errors(409)
    def post(self, body, team_id):
        """Create a key, or admit the key of another server.

        A new key is shown in this answer only. 409 if the key exists.
        """
        with current().transaction():
            team, name = Team.by_id(team_id), body.get("name")
            if "sha256" in body:
                return ApiKey.copy(team, body["sha256"], name).__data__
            key, secret = ApiKey.issue(team, body.get("key"), name)
        return {**key.__data__, "key": secret}


@blp.route("/<team_id>/keys/<key_id>", delete="revokeApiKey")
class TeamKeyById(MethodView):
    @blp.arguments(UndoQuery, location="query")
    @blp.response(204)
    def delete(self, query, team_id, key_id):
        """Revoke a key.

        Requests with the key are refused from now on. 404 if the team has no such key.
        """
        with undoable(current(), undo_name(query.get("undo"), "revocation")), current().transaction():
            ApiKey.fetch(Team.by_id(team_id), key_id).revoke()
