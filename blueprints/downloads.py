"""Downloads of export files. The signed link is the permission; no key is needed."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints import files
from dryline.blueprints.base import Area
from dryline.models.exports import Export
from dryline.schemas.base import QuerySchema
from dryline.storage.errors import NotReady

blp = Area("Downloads", "/downloads", key_required=False, description="Files behind signed links.")

TYPES = {"CSV": "text/csv; charset=utf-8", "JSON": "application/json"}

_CONTENT = {"text/csv": {"schema": {"type": "string"}}, "application/json": {"schema": {"type": "array", "items": {}}}}
_ANSWERS = {
    "200": {"description": "The file", "content": _CONTENT},
    "206": {"description": "The requested part of the file", "content": _CONTENT},
    "304": {"description": "The file has not changed"},
}


class LinkSchema(QuerySchema):
    """The query of a download link."""

    signature = fields.String(load_default="")


@blp.route("/exports/<path:export_id>", get="downloadExport")
class ExportFile(MethodView):
    @blp.arguments(LinkSchema, location="query")
    @blp.doc(responses=_ANSWERS)
    @blp.errors(403, 416, 503)
    def get(self, query, export_id):
        """Download the file of an export.

        The URL is the export's `downloadUrl`. It needs no key and supports `Range`. 403 if the link was altered or has
        expired, 503 while its file is missing.
        """
        export = Export.from_link(export_id, **query)
        try:
            return files.send(export.path, TYPES[export.format], export.path.name)
        except FileNotFoundError:  # the rows of an import are there before their files; or somebody removed it
            raise NotReady(
                f"The file of export {export.id} is missing. An import is writing it, or the next start does."
            ) from None
