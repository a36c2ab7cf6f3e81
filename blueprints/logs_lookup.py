"""Logs of any channel, by id."""

from flask import g
from flask.views import MethodView

from dryline.models.logs_lookup import find_log
from dryline.schemas.logs_lookup import AnyLogSchema
from dryline.web.base import Area
from dryline.web.links import log_with_recording

blp = Area("Logs", "/api/logs", description="Logs of any channel, found by their id alone.")


@blp.route("/<log_id>", get="lookupLog")
class LogById(MethodView):
    @blp.response(200, AnyLogSchema)
    def get(self, log_id):
        """Retrieve a log of any channel.

        `type` is the channel. 404 if the team has no such log.
        """
        return log_with_recording(find_log(g.team, log_id))
