"""LLM logs of the team, and the operation that receives them from the LLM gateway."""

from flask import g, request
from flask.views import MethodView

from dryline.models.llm_logs import LlmLog
from dryline.models.workers import Worker
from dryline.schemas.llm_logs import LlmLogListSchema, LlmLogPageSchema, LlmLogSchema, hook_records
from dryline.web.base import Area, read_json

blp = Area(
    "LLM Logs",
    "/",
    description="Logs of requests to language models. They belong to the team, whichever worker the path names.",
)

ANY_RECORD = {
    "application/json": {"schema": {"oneOf": [{"type": "object"}, {"type": "array", "items": {"type": "object"}}]}}
}


@blp.route("/api/workers/<worker_id>/llm-logs", get="listLlmLogs")
class LlmLogs(MethodView):
    @blp.arguments(LlmLogListSchema, location="query")
    @blp.response(200, LlmLogPageSchema)
    def get(self, query, worker_id):
        """List the team's LLM logs, newest first.

        The list covers the whole team, although the path names a worker.
        """
        return LlmLog.window(Worker.fetch(g.team, worker_id), **query)


@blp.route("/api/workers/<worker_id>/llm-logs/<log_id>", get="getLlmLog", delete="deleteLlmLog")
class LlmLogById(MethodView):
    @blp.response(200, LlmLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve an LLM log."""
        return LlmLog.fetch(Worker.fetch(g.team, worker_id), log_id)

    @blp.response(204)
    def delete(self, worker_id, log_id):
        """Delete an LLM log."""
        LlmLog.fetch(Worker.fetch(g.team, worker_id), log_id).remove()


@blp.route("/api/workers/<worker_id>/llm-logs/by-call/<call_id>", get="listLlmLogsByCall", delete="deleteLlmLogsByCall")
class LlmLogsByCall(MethodView):
    @blp.response(200, LlmLogSchema(many=True))
    def get(self, worker_id, call_id):
        """List the LLM logs of a call, oldest first."""
        return LlmLog.oldest_first(Worker.fetch(g.team, worker_id), call_id=call_id)

    @blp.response(204)
    def delete(self, worker_id, call_id):
        """Delete the LLM logs of a call.

        The answer is 204 even if there are none.
        """
        worker = Worker.fetch(g.team, worker_id)
        LlmLog.remove_where(team_id=worker.team_id, call_id=call_id)


@blp.route("/api/workers/<worker_id>/llm-logs/by-session/<session_id>", get="listLlmLogsBySession")
class LlmLogsBySession(MethodView):
    @blp.response(200, LlmLogSchema(many=True))
    def get(self, worker_id, session_id):
        """List the LLM logs of a session, oldest first."""
        return LlmLog.oldest_first(Worker.fetch(g.team, worker_id), session_id=session_id)


@blp.route("/portkey-logs", post="receivePortkeyLogs")
class PortkeyLogs(MethodView):
    @blp.doc(requestBody={"required": True, "content": ANY_RECORD})
    @blp.response(200, description="The logs are stored.")
    @blp.errors(400)
    def post(self):
        """Receive one or several logs of the LLM gateway.

        This is the target of the gateway's hook. `callId`, `sessionId` and `eventType` are read from the log itself or
        from its `metadata`. The model's name is removed from the stored request.
        """
        LlmLog.receive(g.team, hook_records(read_json(request)))
