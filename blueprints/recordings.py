"""Recordings of calls. The signed link is the permission; no key is needed."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints import files
from dryline.blueprints.base import Area
from dryline.models import recordings
from dryline.schemas.base import QuerySchema
from dryline.storage.current_world import current
from dryline.storage.errors import NotReady

blp = Area("Recordings", "/recordings", key_required=False, description="Recordings of calls, behind signed links.")

_CONTENT = {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}
_ANSWERS = {
    "200": {"description": "The recording", "content": _CONTENT},
    "206": {"description": "The requested part of the file", "content": _CONTENT},
    "304": {"description": "The file has not changed"},
}


class RecordingLinkSchema(QuerySchema):
    """The query of a recording's link."""

    log = fields.String(load_default="", metadata={"description": "id of the call's log"})
    until = fields.String(load_default="", metadata={"description": "expiry of the link"})
    signature = fields.String(load_default="", metadata={"description": "signature of the link"})


@blp.route("/<call_sid>.wav", get="getRecording")
class RecordingFile(MethodView):
    @blp.arguments(RecordingLinkSchema, location="query")
    @blp.doc(responses=_ANSWERS)
    @blp.errors(403, 416, 503)
    def get(self, query, call_sid):
        """Download the recording of a call.

        The URL is the log's `recordingUrl`. It needs no key and supports `Range`. The file is WAV with two channels and
        is made on first use. 403 if the link was altered or has expired, 404 if the log is deleted.
        """
        from dryline.simulator import recording_files  # imported on first use: a start does not need it
        from dryline.simulator.recordings import call_of

        world = current()
        with world.reading():
            log = recordings.log_of_link(call_sid, **query)
            call = call_of(log)
        path = recording_files.file_of(world, log.id, call)
        recording_files.mark_as_played(path)
        try:
            return files.send(path, "audio/wav", f"{call_sid}.wav", saved=False)
        except FileNotFoundError:  # deleted meanwhile, with its log or to free space
            raise NotReady(f"Recording {call_sid} was just deleted. Try again.") from None
