"""Schemas of deployment history."""

from typing import Any

import orjson
from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, OneOf, PageSchema, Timestamp, WindowSchema, camel
from dryline.schemas.row_schemas import Row, RowSchema
from dryline.storage import json_shapes

CHANGE_TYPE = OneOf("FLOW_VERSION", "CONFIG", "VOICE_SETTINGS", "STATUS", "PARAMETERS")


class DeploymentHistoryEntrySchema(ApiSchema):  # Contract: records.deployment_history_entry
    """A change of a deployment."""

    id = fields.String()
    created_at = Timestamp()
    deployment_id = fields.String()
    change_type = fields.String(validate=CHANGE_TYPE, metadata={"description": "kind of change"})
    changes = JsonObject(metadata={"description": "changed fields, each with old value (`from`) and new value (`to`)"})
    author_type = fields.String(validate=OneOf("USER", "API_KEY"))
    author_user_id = fields.String(allow_none=True)
    author_api_key_id = fields.String(allow_none=True)

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form, with the changed fields by their names on the wire. Parameters keep their own names."""
        dumped = super().dump(obj, many=many)
        for row in dumped if isinstance(dumped, list) else [dumped]:
            rename_changes_for_wire(row)
        return dumped


class DeploymentHistoryPageSchema(PageSchema):
    """A page of changes, newest first."""

    data = fields.List(fields.Nested(DeploymentHistoryEntrySchema), metadata={"description": "changes on this page"})


class DeploymentHistoryQuerySchema(WindowSchema):
    """Filters and page of the history."""

    change_type = fields.String(validate=CHANGE_TYPE, metadata={"description": "only changes of this kind"})


def rename_changes_for_wire(row: Row) -> None:
    """Rename the changed fields of an entry as on the wire. Parameters keep their own names."""
    if row["changeType"] != "PARAMETERS":
        changes = orjson.loads(orjson.dumps(row["changes"]))  # in a list this is JSON text
        row["changes"] = {camel(name): change for name, change in changes.items()}


ROWS = {
    "deploymentHistory": RowSchema(
        DeploymentHistoryEntrySchema,
        "deploymentId changeType",
        on_export=rename_changes_for_wire,
        shapes=json_shapes.DEPLOYMENT_HISTORY,
    )
}
