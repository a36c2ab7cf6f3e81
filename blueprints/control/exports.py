"""Exports by hand."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea
from dryline.blueprints.links import with_link
from dryline.jobs import exports
from dryline.schemas.base import ApiSchema, OneOf
from dryline.schemas.exports import STATUSES, ExportSchema
from dryline.storage.current_world import current

blp = ControlArea("Control: exports", description="Drive one export through its states.")


class TransitionBody(ApiSchema):
    """Where to go."""

    status = fields.String(required=True, validate=OneOf(*STATUSES), metadata={"description": "state to move to"})
    error_message = fields.String(metadata={"description": "with FAILED"})


@blp.route("/exports/<export_id>/transition", post="transitionExport")
class ExportTransition(MethodView):
    @blp.arguments(TransitionBody)
    @blp.response(200, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body, export_id):
        """Make one move of the state machine.

        COMPLETED writes the file, EXPIRED removes it, FAILED takes an `errorMessage`. For exports that wait: `PUT
        /_dryline/settings` with `exportMode` manual keeps them from moving by themselves. 409 for a move that there
        is not.
        """
        return with_link(exports.transition(current(), export_id, **body))
