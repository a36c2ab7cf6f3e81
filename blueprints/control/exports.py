"""Exports by hand."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea
from dryline.blueprints.links import with_link
from dryline.jobs import exports
from dryline.schemas.base import ApiSchema, OneOf
from dryline.schemas.exports import STATUSES, ExportSchema
from dryline.world.world import current

blp = ControlArea("Control: exports", description="Drive one export through its states.")


class TransitionBody(ApiSchema):
    """Where to go."""

    status = fields.String(required=True, validate=OneOf(*STATUSES))
    error_message = fields.String(metadata={"description": "with FAILED"})


@blp.route("/exports/<export_id>/transition")
class ExportTransition(MethodView):
    @blp.arguments(TransitionBody)
    @blp.response(200, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body, export_id):
        """Make one move of the state machine. To COMPLETED writes the file, to EXPIRED removes it."""
        return with_link(exports.transition(current(), export_id, **body))
