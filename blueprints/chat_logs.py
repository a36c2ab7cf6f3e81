"""Logs of a worker's chats and chat widgets."""

from flask import g
from flask.views import MethodView

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.workers import Worker
from dryline.schemas.chat_logs import ChatEmbedLogFilterSchema, ChatEmbedLogSchema, ChatLogSchema
from dryline.schemas.logs import LogFilterSchema
from dryline.web.base import Area

blp = Area(
    "Chat Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs",
    description="Logs of chats and chat widgets.",
)


@blp.route("/chat", get="listChatLogs")
class ChatLogs(MethodView):
    @blp.arguments(LogFilterSchema, location="query")
    @blp.response(200, ChatLogSchema(many=True))
    def get(self, filters, worker_id):
        """List a worker's chat logs, newest first."""
        worker = Worker.fetch(g.team, worker_id)
        return ChatLog.listing(worker, worker_id=worker.id, **filters)


@blp.route("/chat/<log_id>", get="getChatLog")
class ChatLogById(MethodView):
    @blp.response(200, ChatLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve a chat log."""
        return Worker.fetch(g.team, worker_id).child(ChatLog, log_id)


@blp.route("/chat-embed", get="listChatEmbedLogs")
class ChatEmbedLogs(MethodView):
    @blp.arguments(ChatEmbedLogFilterSchema, location="query")
    @blp.response(200, ChatEmbedLogSchema(many=True))
    def get(self, filters, worker_id):
        """List a worker's chat widget logs, newest first."""
        worker = Worker.fetch(g.team, worker_id)
        return ChatEmbedLog.listing(worker, worker_id=worker.id, **filters)


@blp.route("/chat-embed/<log_id>", get="getChatEmbedLog")
class ChatEmbedLogById(MethodView):
    @blp.response(200, ChatEmbedLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve a chat widget log."""
        return Worker.fetch(g.team, worker_id).child(ChatEmbedLog, log_id)
