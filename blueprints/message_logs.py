"""SMS and WhatsApp logs of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.message_logs import SmsLog, WhatsappLog
from dryline.models.workers import Worker
from dryline.schemas.logs import NumberedLogsSchema
from dryline.schemas.message_logs import SmsLogPageSchema, SmsLogSchema, WhatsappLogPageSchema, WhatsappLogSchema
from dryline.web.base import Area

sms = Area(
    "SMS Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/sms",
    description="Logs of SMS conversations.",
)
whatsapp = Area(
    "WhatsApp Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/whatsapp",
    description="Logs of WhatsApp conversations.",
)


@sms.route("", get="listSMSLogs")
class SmsLogs(MethodView):
    @sms.arguments(NumberedLogsSchema, location="query")
    @sms.response(200, SmsLogPageSchema)
    def get(self, query, worker_id):
        """List a worker's SMS logs, newest first.

        SMS logs come from state documents only: the API has no operation that creates SMS deployments.
        """
        return SmsLog.numbered(Worker.fetch(g.team, worker_id), **query)


@sms.route("/<log_id>", get="getSMSLog")
class SmsLogById(MethodView):
    @sms.response(200, SmsLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve an SMS log."""
        return Worker.fetch(g.team, worker_id).child(SmsLog, log_id)


@whatsapp.route("", get="listWhatsAppLogs")
class WhatsappLogs(MethodView):
    @whatsapp.arguments(NumberedLogsSchema, location="query")
    @whatsapp.response(200, WhatsappLogPageSchema)
    def get(self, query, worker_id):
        """List a worker's WhatsApp logs, newest first.

        WhatsApp logs come from state documents only: the API has no operation that creates WhatsApp deployments.
        """
        return WhatsappLog.numbered(Worker.fetch(g.team, worker_id), **query)


@whatsapp.route("/<log_id>", get="getWhatsAppLog")
class WhatsappLogById(MethodView):
    @whatsapp.response(200, WhatsappLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve a WhatsApp log."""
        return Worker.fetch(g.team, worker_id).child(WhatsappLog, log_id)
