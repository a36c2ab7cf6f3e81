"""What can change while the server runs."""

from __future__ import annotations

from dataclasses import asdict

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema, Boolean, Integer, Number, OneOf
from dryline.storage.current_world import current

blp = ControlArea("Control: settings", description="What can change while the server runs.")

LONGEST_DELAY_MS = 30 * 24 * 3600 * 1000


class SettingsSchema(ApiSchema):
    """The live settings; a reset takes them back to what the server was started with."""

    export_mode = fields.String(
        validate=OneOf("auto", "manual"), metadata={"description": "manual: exports move by `transition` alone"}
    )
    export_delay_ms = Integer(
        validate=validate.Range(0, LONGEST_DELAY_MS),
        metadata={"description": "API time that an export waits before it is written"},
    )
    strict = Boolean(metadata={"description": "refuse members that the API does not have"})
    calls_per_minute = Number(
        validate=validate.Range(0, 600), metadata={"description": "calls simulated by themselves, in API time"}
    )


@blp.route("/settings", get="getSettings", put="updateSettings")
class SettingsView(MethodView):
    @blp.response(200, SettingsSchema)
    def get(self):
        """Read the live settings.

        They last over a restart, until a reset.
        """
        return asdict(current().live)

    @blp.arguments(SettingsSchema)
    @blp.response(200, SettingsSchema)
    def put(self, body):
        """Change the settings that are sent.

        The others stay. They count at once and last over a restart, until a reset.
        """
        current().change_live(**body)
        return self.get()
