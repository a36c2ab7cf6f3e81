"""Manual transitions of exports."""

from flask.views import MethodView
from marshmallow import fields

from dryline.blueprints.control.base import ControlArea
from dryline.jobs import exports
from dryline.schemas.base import ApiSchema, OneOf
from dryline.schemas.exports import STATUSES, ExportSchema
from dryline.storage.current_world import current
from dryline.web.links import with_download_url

blp = ControlArea("Control: exports", description="Set the status of an export by hand.")


class TransitionBody(ApiSchema):
    """The status to set an export to."""

    status = fields.String(required=True, validate=OneOf(*STATUSES), metadata={"description": "new status"})
    error_message = fields.String(metadata={"description": "error message of the export, for FAILED"})


@blp.route("/exports/<export_id>/transition", post="transitionExport")
class ExportTransition(MethodView):
    @blp.arguments(TransitionBody)
    @blp.response(200, ExportSchema)
    @blp.errors(404, 409)
    def post(self, body, export_id):
        """Set the status of an export.

        COMPLETED writes the file, EXPIRED deletes it, FAILED takes an `errorMessage`. Set `exportMode` to manual first:
        then exports change by this alone. 409 in the mode auto, and if the export cannot change to this status.
        """
        return with_download_url(exports.transition(current(), export_id, **body))
