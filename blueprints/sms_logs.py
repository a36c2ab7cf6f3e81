"""SMS logs of a worker."""

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.message_logs import SmsLog
from dryline.models.workers import Worker
from dryline.schemas.logs import NumberedLogsSchema
from dryline.schemas.message_logs import SmsLogPageSchema, SmsLogSchema

blp = Area(
    "SMS Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/sms",
    description="Logs of SMS conversations.",
)


@blp.route("", get="listSMSLogs")
class SmsLogs(MethodView):
    @blp.arguments(NumberedLogsSchema, location="query")
    @blp.response(200, SmsLogPageSchema)
    def get(self, query, worker_id):
        """List a worker's SMS logs, newest first.

        SMS logs come from state documents only: the API has no operation that creates SMS deployments.
        """
        return SmsLog.numbered(Worker.fetch(g.team, worker_id), **query)


@blp.route("/<log_id>", get="getSMSLog")
class SmsLogById(MethodView):
    @blp.response(200, SmsLogSchema)
    def get(self, worker_id, log_id):
        """Retrieve an SMS log."""
        return Worker.fetch(g.team, worker_id).child(SmsLog, log_id)
