"""Voice logs of a worker."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.blueprints.links import page_with_recordings, with_recordings
from dryline.models import voice_log_pages
from dryline.models.workers import Worker
from dryline.schemas.voice_logs import SelectionSchema, VoiceLogListSchema, VoiceLogPageSchema, VoiceLogSchema

blp = Area(
    "Voice Deployment Logs",
    "/api/workers/<worker_id>/deploymentLogs/voice",
    description="What was said in calls, and how they went.",
)


@blp.route("", get="listVoiceLogs")
class VoiceLogs(MethodView):
    @blp.arguments(VoiceLogListSchema, location="query")
    @blp.response(200, VoiceLogPageSchema)
    def get(self, asked, worker_id):
        """List a worker's voice logs, by page or by cursor.

        By page: `page` and `limit`, in `pagination`. By cursor: send `nextCursor` of a page as `cursor` until it is
        null; a cursor goes before page and order, and new calls do not move its pages. Borders of times and
        durations are inclusive. `fields` picks members. 400 for a cursor that this server did not make.
        """
        return page_with_recordings(voice_log_pages.search(Worker.fetch(g.team, worker_id), **asked))


@blp.route("/<log_id>", get="getVoiceLog")
class VoiceLogById(MethodView):
    @blp.arguments(SelectionSchema, location="query")
    @blp.response(200, VoiceLogSchema)
    def get(self, asked, worker_id, log_id):
        """Retrieve a voice log, or some of its members.

        `fields` names them, separated by commas; `id` always comes along. 400 for a name that a log does not have.
        """
        return with_recordings(voice_log_pages.read(Worker.fetch(g.team, worker_id), log_id, **asked))
