"""Log exports."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.blueprints.links import base_url, with_link
from dryline.models.exports import Export
from dryline.schemas.exports import ExportBody, ExportSchema

blp = Area("Log Exports", "/api/team/exports", description="Files of logs, made in the background.")


@blp.route("")
class Exports(MethodView):
    @blp.response(200, ExportSchema(many=True))
    def get(self):
        """List the team's 20 newest exports."""
        return [with_link(export) for export in Export.recent(g.team)]

    @blp.arguments(ExportBody)
    @blp.response(201, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body):
        """Ask for an export of logs: poll it until it is finished."""
        return with_link(Export.request(g.team, base_url(), **body))


@blp.route("/<export_id>")
class ExportById(MethodView):
    @blp.response(200, ExportSchema)
    def get(self, export_id):
        """Retrieve an export: its status and, once it is finished, where to fetch its file."""
        return with_link(Export.fetch(g.team, export_id))
