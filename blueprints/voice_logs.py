"""Voice logs of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models import voice_log_pages
from dryline.models.workers import Worker
from dryline.schemas.voice_logs import SelectionSchema, VoiceLogListSchema, VoiceLogPageSchema, VoiceLogSchema
from dryline.web.base import Area
from dryline.web.links import with_recordings

blp = Area(
    "Voice Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/voice",
    description="Logs of calls: transcript, outcome, metrics.",
)


@blp.route("", get="listVoiceLogs")
class VoiceLogs(MethodView):
    @blp.arguments(VoiceLogListSchema, location="query")
    @blp.response(200, VoiceLogPageSchema)
    def get(self, query, worker_id):
        """List a worker's voice logs, by page or by cursor.

        With `page` and `limit`, the answer's `pagination` describes the page. To read by cursor, send each answer's
        `nextCursor` as `cursor` until it is null. A cursor overrides page and order, and new calls do not shift its
        pages. Limits of times and durations are inclusive. `fields` selects the fields of each log. 400 if the cursor
        is not from this server.
        """
        page = voice_log_pages.search(Worker.fetch(g.team, worker_id), **query)
        with_recordings(page.data)
        return page


@blp.route("/<log_id>", get="getVoiceLog")
class VoiceLogById(MethodView):
    @blp.arguments(SelectionSchema, location="query")
    @blp.response(200, VoiceLogSchema)
    def get(self, query, worker_id, log_id):
        """Retrieve a voice log.

        `fields` selects its fields, separated by commas; `id` is always included. 400 if a log has no such field.
        """
        return with_recordings(voice_log_pages.read(Worker.fetch(g.team, worker_id), log_id, **query))
