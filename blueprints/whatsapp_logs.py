"""WhatsApp logs of a worker."""

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.message_logs import WhatsappLog
from dryline.models.workers import Worker
from dryline.schemas.logs import NumberedLogsSchema
from dryline.schemas.message_logs import WhatsappLogPageSchema, WhatsappLogSchema

blp = Area(
    "WhatsApp Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/whatsapp",
    description="Logs of WhatsApp conversations.",
)


@blp.route("", get="listWhatsAppLogs")
class WhatsappLogs(MethodView):
    @blp.arguments(NumberedLogsSchema, location="query")
    @blp.response(200, WhatsappLogPageSchema)
    def get(self, query, worker_id):
        """List a worker's WhatsApp logs, newest first.

        WhatsApp logs come from state documents only: the API has no operation that creates WhatsApp deployments.
        """
        return WhatsappLog.numbered(Worker.fetch(g.team, worker_id), **query)


@blp.route("/<log_id>", get="getWhatsAppLog")
class WhatsappLogById(MethodView):
    @blp.response(200, WhatsappLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve a WhatsApp log."""
        return Worker.fetch(g.team, worker_id).child(WhatsappLog, log_id)
