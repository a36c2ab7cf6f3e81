"""Downloads of export files and of recordings. The signed link is the permission; no key is needed."""

from flask.views import MethodView
from marshmallow import fields

from dryline.models import recordings
from dryline.models.exports import Export
from dryline.schemas.base import QuerySchema
from dryline.simulator import recording_files
from dryline.simulator.recordings import call_of
from dryline.storage.current_world import current
from dryline.storage.errors import NotReady
from dryline.web import files
from dryline.web.base import Area

exports = Area("Downloads", "/downloads", key_required=False, description="Files behind signed links.")
calls = Area(
    "Recordings",
    "/recordings",
    key_required=False,
    own_transactions=True,  # a recording may take seconds to make
    description="Recordings of calls, behind signed links.",
)

EXPORT = {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "array", "items": {}}}}
RECORDING = {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}
TYPES = {"CSV": "text/csv; charset=utf-8", "JSON": "application/json"}


def documented_responses(file, content):
    """Return the documented responses of a download: the file, a part of it, or none."""
    return {
        "200": {"description": f"The {file}", "content": content},
        "206": {"description": "The requested part of the file", "content": content},
        "304": {"description": "The file has not changed"},
    }


class LinkSchema(QuerySchema):
    """The query of a download link."""

    signature = fields.String(load_default="")


class RecordingLinkSchema(QuerySchema):
    """The query of a recording's link."""

    log = fields.String(load_default="", metadata={"description": "id of the call's log"})
    until = fields.String(load_default="", metadata={"description": "expiry of the link"})
    signature = fields.String(load_default="", metadata={"description": "signature of the link"})


@exports.route("/exports/<path:export_id>", get="downloadExport")
class ExportFile(MethodView):
    @exports.arguments(LinkSchema, location="query")
    @exports.doc(responses=documented_responses("file", EXPORT))
    @exports.errors(403, 416, 503)
    def get(self, query, export_id):
        """Download the file of an export.

        The URL is the export's `downloadUrl`. It needs no key and supports `Range`. 403 if the link was altered or has
        expired, 503 while its file is missing.
        """
        export = Export.from_link(export_id, **query)
        try:
            return files.file_response(export.path, TYPES[export.format], export.path.name)
        except FileNotFoundError:  # the rows of an import are there before their files; or somebody removed it
            raise NotReady(
                f"The file of export {export.id} is missing. An import is writing it, or the next start does."
            ) from None


@calls.route("/<call_sid>.wav", get="getRecording")
class RecordingFile(MethodView):
    @calls.arguments(RecordingLinkSchema, location="query")
    @calls.doc(responses=documented_responses("recording", RECORDING))
    @calls.errors(403, 416, 503)
    def get(self, query, call_sid):
        """Download the recording of a call.

        The URL is the log's `recordingUrl`. It needs no key and supports `Range`. The file is WAV with two channels and
        is made on first use. 403 if the link was altered or has expired, 404 if the log is deleted.
        """
        world = current()
        with world.reading():
            log = recordings.log_of_link(call_sid, **query)
            call = call_of(log)
        path = recording_files.RECORDING_FILES.of(world).file(log.id, call)
        try:
            return files.file_response(path, "audio/wav", f"{call_sid}.wav", as_attachment=False)
        except FileNotFoundError:  # deleted meanwhile, with its log or to free space
            raise NotReady(f"Recording {call_sid} was just deleted. Try again.") from None
