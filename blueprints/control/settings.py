"""Settings that can change while the server runs."""

from dataclasses import asdict

from flask.views import MethodView
from marshmallow import ValidationError, fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema, Boolean, Integer, Number, OneOf
from dryline.storage.current_world import current
from dryline.world.arrivals import LEAST_CALLS_PER_MINUTE

blp = ControlArea("Control: settings", description="Settings that can change while the server runs.")


def require_rate(value: float) -> None:
    """Check a number of calls per minute. Raises ValidationError."""
    if 0 < value < LEAST_CALLS_PER_MINUTE:
        raise ValidationError(f"Must be 0, or at least {LEAST_CALLS_PER_MINUTE}.")


class SettingsSchema(ApiSchema):
    """Settings that can change while the server runs. A reset restores their initial values."""

    export_mode = fields.String(
        validate=OneOf("auto", "manual"),
        metadata={"description": "manual: only `transitionExport` changes the status of exports"},
    )
    export_delay_ms = Integer(
        validate=validate.Range(0, 30 * 24 * 3600 * 1000),
        metadata={"description": "API time that an export is PENDING, in milliseconds"},
    )
    export_outcome = fields.String(
        validate=OneOf("COMPLETED", "FAILED"),
        metadata={"description": "FAILED: in the mode auto, exports fail instead of being written"},
    )
    export_error = fields.String(
        validate=validate.Length(1, 1_000),
        metadata={"description": "errorMessage of exports that fail by exportOutcome"},
    )
    strict = Boolean(metadata={"description": "refuse unknown fields in bodies"})
    calls_per_minute = Number(
        validate=[validate.Range(0, 600), require_rate],
        metadata={
            "description": "number of calls simulated in the background per minute of API time: 0, or at least "
            f"{LEAST_CALLS_PER_MINUTE}"
        },
    )


@blp.route("/settings", get="getSettings", put="updateSettings")
class SettingsView(MethodView):
    @blp.response(200, SettingsSchema)
    def get(self):
        """Read the settings.

        They last until a reset.
        """
        return asdict(current().runtime_settings)

    @blp.arguments(SettingsSchema)
    @blp.response(200, SettingsSchema)
    def put(self, body):
        """Change settings.

        Settings that are left out keep their value. Changes apply at once, survive a restart, and last until a reset.
        """
        current().change_settings(**body)
        return self.get()
