"""Is it there? For scripts, containers and test suites that wait for a start."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline import __version__
from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema

blp = ControlArea("Control", guarded=False, description="The stand-in's own plane.")


class HealthSchema(ApiSchema):
    """The server is up."""

    status = fields.String()
    version = fields.String()


@blp.route("/health")
class Health(MethodView):
    @blp.response(200, HealthSchema)
    def get(self):
        """Say that the server is up."""
        return {"status": "ok", "version": __version__}
