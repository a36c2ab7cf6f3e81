"""Schemas of logs of any channel."""

from typing import Any

from marshmallow import fields

from dryline.schemas.base import OneOf, instance_of
from dryline.schemas.logs import LogSchema, schema_of
from dryline.world.channels import CHANNELS

BY_TYPE = {channel.type: instance_of(schema_of(channel)) for channel in CHANNELS}


class AnyLogSchema(*map(type, BY_TYPE.values())):  # type: ignore[misc]  # one base for each channel there is
    """A log with the fields of its channel, which is `type`."""

    # Contract: records.any_log.

    class Meta(LogSchema.Meta):
        pass

    type = fields.String(
        validate=OneOf(*BY_TYPE, "EmailDeploymentLog"),
        metadata={"description": "channel of the log, which determines its fields"},
    )

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form of a log by its channel's schema."""
        return BY_TYPE[obj.kind].dump(obj)


AnyLogSchema.Meta.sometimes = tuple({name for schema in BY_TYPE.values() for name in schema.fields} - {"id", "type"})
