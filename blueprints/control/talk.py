"""Conversations with flows."""

from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.models.talk_sessions import TalkSession
from dryline.schemas.talk_sessions import TalkBody, TalkSessionSchema, TurnBody
from dryline.storage.current_world import current

blp = ControlArea("Control: talk", "/_dryline/talk", description="Conversations with flows.")


def _conversations():
    from dryline.flow.sessions import conversations  # noqa: PLC0415  # 50 ms

    return conversations


@blp.route("", post="startTalk")
class Talks(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.arguments(TalkBody)
    @blp.response(201, TalkSessionSchema)
    @blp.errors(404, 503)
    def post(self, query, body):
        """Start a conversation with a flow, a deployment's flow, or code.

        `events` are the flow's actions until it waits for the user; `waiting` describes what it waits for. 404 for an
        unknown flow or deployment.
        """
        return _conversations().begin(current(), query.get("team_id"), **body)


@blp.route("/<talk_id>", get="getTalk", post="continueTalk", delete="deleteTalk")
class TalkById(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, TalkSessionSchema)
    def get(self, query, talk_id):
        """Retrieve a conversation with all its events."""
        with current().reading():
            return TalkSession.by_id(talk_id, query.get("team_id")).recall()

    @blp.arguments(TeamQuery, location="query")
    @blp.arguments(TurnBody)
    @blp.response(200, TalkSessionSchema)
    @blp.errors(409, 503)
    def post(self, query, body, talk_id):
        """Say something in a conversation, or choose a condition directly.

        With `choose`, `say` is the utterance that led to the condition. `answers` and `arguments` replace a model's.
        `events` are the flow's actions that follow. 400 for a condition that is not open and for an answer that no
        question asked for; the turn does not count then. 409 if the conversation has ended.
        """
        return _conversations().take_turn(current(), talk_id, query.get("team_id"), **body)

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    def delete(self, query, talk_id):
        """Delete a conversation."""
        with current().transaction():
            TalkSession.by_id(talk_id, query.get("team_id")).remove()
