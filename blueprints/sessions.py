"""Sessions of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.sessions import Session
from dryline.models.workers import Worker
from dryline.schemas.sessions import SessionSchema
from dryline.web.base import Area

blp = Area("Sessions", "/api/workers/<worker_id>/sessions", description="Engine sessions of conversations.")


@blp.route("/<session_id>", get="getSession")
class SessionById(MethodView):
    @blp.response(200, SessionSchema)
    def get(self, worker_id, session_id):
        """Retrieve a session with its state, messages, trace and tokens.

        A call's session is its log's `bbEngineSessionId`.
        """
        return Worker.fetch(g.team, worker_id).child(Session, session_id)
