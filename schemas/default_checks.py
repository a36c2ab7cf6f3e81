"""Schemas of default checks."""

from typing import Any

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Boolean, Number, Timestamp, camel
from dryline.schemas.row_schemas import Row, RowSchema


class ChecksSchema(ApiSchema):
    """The checks themselves."""

    latency_enabled = Boolean()
    latency_threshold = Number(metadata={"description": "longest latency in milliseconds"})
    api_enabled = Boolean()
    api_threshold = Number()
    ai_enabled = Boolean()
    ai_threshold = Number()
    alert_emails = fields.List(fields.String(), metadata={"description": "e-mail addresses to alert"})
    sample_rate = Number(metadata={"description": "share of calls that are checked, from 0 to 1"})


class DefaultChecksSchema(ChecksSchema):  # Contract: records.default_checks
    """The team's checks."""

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class DeploymentDefaultChecksSchema(ChecksSchema):  # Contract: records.deployment_default_checks
    """The checks that apply to a deployment."""

    deployment_id = fields.String(dump_only=True)
    enabled = Boolean(metadata={"description": "whether the checks apply to the deployment"})
    overridden = fields.List(
        fields.String(), dump_only=True, metadata={"description": "names of the fields that the deployment overrides"}
    )

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form, with the overridden fields by their names on the wire."""
        dumped = super().dump(obj, many=many)
        dumped["overridden"] = [camel(name) for name in dumped["overridden"]]
        return dumped


def drop_null_values(row: Row) -> None:
    """Drop the values that are null: they are not overridden."""
    for name in [name for name, value in row.items() if value is None]:
        del row[name]


ROWS = {
    "teamDefaultChecks": RowSchema(DefaultChecksSchema),
    "deploymentDefaultChecks": RowSchema(
        DeploymentDefaultChecksSchema,
        id="deploymentId",
        without="overridden",
        on_export=drop_null_values,
        deployment_id=fields.String(attribute="id"),
    ),
}
