"""Is it there? For scripts, containers and test suites that wait for a start."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields

from dryline import __version__
from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema
from dryline.storage.current_world import current

blp = ControlArea("Control", guarded=False, description="The stand-in's own plane.")


class HealthSchema(ApiSchema):
    """The server is up."""

    status = fields.String(metadata={"description": "ok"})
    version = fields.String(metadata={"description": "version of dryline"})
    node = fields.String(allow_none=True, metadata={"description": "its name, where it is one of several"})


@blp.route("/health", get="getHealth")
class Health(MethodView):
    @blp.response(200, HealthSchema)
    @blp.errors(400)
    def get(self):
        """Say that the server is up.

        Always open: no key, no token. For health checks and for who waits for a start.
        """
        return {"status": "ok", "version": __version__, "node": current().settings.node}
