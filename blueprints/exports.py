"""Log exports."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.blueprints.links import base_url, with_link
from dryline.models.exports import Export
from dryline.schemas.exports import ExportBody, ExportSchema

blp = Area("Log Exports", "/api/team/exports", description="Files of logs, made in the background.")


@blp.route("", get="listExports", post="createExport")
class Exports(MethodView):
    @blp.response(200, ExportSchema(many=True))
    def get(self):
        """List the team's 20 newest exports.

        Whoever waits for one polls `getExport`.
        """
        return [with_link(export) for export in Export.recent(g.team)]

    @blp.arguments(ExportBody)
    @blp.response(201, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Ask for an export of logs.

        It is written in the background: PENDING, PROCESSING, COMPLETED with a `downloadUrl`, and EXPIRED after 24
        hours of API time; FAILED with an `errorMessage`. Poll `getExport`. The window goes by `startTime`, holds
        both its ends, and is 90 days at most. 404 for a worker or deployment that the team does not have, 409 while
        another export of the team is PENDING or PROCESSING.
        """
        return with_link(Export.request(g.team, base_url(), **body))


@blp.route("/<export_id>", get="getExport")
class ExportById(MethodView):
    @blp.response(200, ExportSchema)
    def get(self, export_id):
        """Retrieve an export: its status and, once it is finished, where to fetch its file.

        `downloadUrl` is null before COMPLETED and after EXPIRED.
        """
        return with_link(Export.fetch(g.team, export_id))
