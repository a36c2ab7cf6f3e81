"""Log exports."""

from flask import g
from flask.views import MethodView

from dryline.models.exports import Export
from dryline.schemas.exports import ExportBody, ExportSchema
from dryline.web.base import Area
from dryline.web.links import base_url, with_download_url

blp = Area("Log Exports", "/api/team/exports", description="Exports of logs to files, written in the background.")


@blp.route("", get="listExports", post="createExport")
class Exports(MethodView):
    @blp.response(200, ExportSchema(many=True))
    def get(self):
        """List the team's 20 newest exports."""
        return [with_download_url(export) for export in Export.recent(g.team)]

    @blp.arguments(ExportBody)
    @blp.response(201, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Request an export of logs.

        The file is written in the background. The export's status is PENDING, then PROCESSING, then COMPLETED with a
        `downloadUrl` or FAILED with an `errorMessage`. After 24 hours of API time it is EXPIRED. Poll `getExport`. The
        date range applies to `startTime`, includes both ends and spans at most 90 days. 404 if the team has no such
        worker or deployment, 409 while another export of the team is PENDING or PROCESSING.
        """
        return with_download_url(Export.request(g.team, base_url(), **body))


@blp.route("/<export_id>", get="getExport")
class ExportById(MethodView):
    quick = True

    @blp.response(200, ExportSchema)
    def get(self, export_id):
        """Retrieve an export.

        `status` is its progress. `downloadUrl` is set while the status is COMPLETED and null otherwise.
        """
        return with_download_url(Export.fetch(g.team, export_id))
