"""Schemas of logs of any channel."""

from typing import Any

from marshmallow import fields

from dryline.schemas.base import OneOf, instance_of
from dryline.schemas.chat_logs import ChatEmbedLogSchema, ChatLogSchema
from dryline.schemas.logs import LogSchema
from dryline.schemas.message_logs import ApiLogSchema, SmsLogSchema, WhatsappLogSchema
from dryline.schemas.voice_logs import VoiceLogSchema

# The schema of each channel's logs, by the `logType` of exports, in the order of an export of all channels.
LOG_SCHEMAS: dict[str, LogSchema] = {
    "voice": instance_of(VoiceLogSchema),
    "chat": instance_of(ChatLogSchema),
    "chat-embed": instance_of(ChatEmbedLogSchema),
    "sms": instance_of(SmsLogSchema),
    "whatsapp": instance_of(WhatsappLogSchema),
    "api": instance_of(ApiLogSchema),
}
# The values of `type`. Of the last one there are no logs here.
TYPES = (
    "VoiceDeploymentLog",
    "ChatDeploymentLog",
    "ChatEmbedDeploymentLog",
    "SmsDeploymentLog",
    "WhatsappDeploymentLog",
    "ApiDeploymentLog",
    "EmailDeploymentLog",
)


class AnyLogSchema(
    VoiceLogSchema,
    ChatLogSchema,
    ChatEmbedLogSchema,
    SmsLogSchema,
    WhatsappLogSchema,
    ApiLogSchema,
):
    """A log with the fields of its channel, which is `type`."""

    # Contract: records.any_log.

    class Meta(LogSchema.Meta):
        pass

    type = fields.String(
        validate=OneOf(*TYPES),
        metadata={"description": "channel of the log, which determines its fields"},
    )

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Return the wire form of a log by its channel's schema."""
        return LOG_SCHEMAS[obj.channel.key].dump(obj)


_NAMES = {name for schema in LOG_SCHEMAS.values() for name in schema.fields}
AnyLogSchema.Meta.sometimes = tuple(_NAMES - {"id", "type"})
