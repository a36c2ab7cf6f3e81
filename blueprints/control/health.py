"""The health check for scripts, containers and test suites that wait for a start."""

from flask import request
from flask.views import MethodView
from marshmallow import fields

from dryline import __version__
from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema
from dryline.storage.current_world import current

blp = ControlArea("Control", guarded=False, description="The control plane: what a test needs beside the API.")


class WorkSchema(ApiSchema):
    """Work that goes on: a request of the control plane, or a step of background work."""

    name = fields.String(metadata={"description": "method and path of the request, or the name of the step"})
    seconds = fields.Float(metadata={"description": "for how long it has gone on, in real time"})


class HealthSchema(ApiSchema):
    """The state of the server."""

    status = fields.String(metadata={"description": "always `ok`"})
    version = fields.String(metadata={"description": "version of dryline"})
    node = fields.String(
        allow_none=True, metadata={"description": "name of the server if it is one of several, otherwise null"}
    )
    work = fields.List(fields.Nested(WorkSchema), metadata={"description": "other work that goes on, oldest first"})


@blp.route("/health", get="getHealth")
class Health(MethodView):
    quick = True

    @blp.response(200, HealthSchema)
    @blp.errors(400, 503)
    def get(self):
        """Check whether the server is up.

        503 if its data directory was removed or replaced, or its database is damaged. This operation needs neither key
        nor token.
        """
        current().require_usable_database()
        work = [
            {"name": name, "seconds": round(seconds, 3)}
            for name, seconds in current().activity.oldest_first()
            if name != f"{request.method} {request.url_rule}"
        ]
        return {"status": "ok", "version": __version__, "node": current().settings.node, "work": work}
