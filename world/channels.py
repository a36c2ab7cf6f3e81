"""The channels of logs. Exports, lookups, the state document, `pull` and cascades read this table."""

from typing import NamedTuple


class Channel(NamedTuple):
    """A channel. `area` is the module of its logs in models/ and schemas/; `record` is their class, or `…Schema`."""

    key: str  # the `logType` of exports
    type: str  # the `type` of its logs
    collection: str  # the collection of its logs in the state document
    area: str
    record: str
    deployments: tuple[str, ...] = ()  # the collection of its deployments; empty if these have no record
    listed: bool = True  # whether the API lists a worker's logs of the channel, at `deploymentLogs/{key}`


# In the order of an export of all channels.
CHANNELS = (
    Channel("voice", "VoiceDeploymentLog", "voiceLogs", "voice_logs", "VoiceLog", ("voiceDeployments",)),
    Channel("chat", "ChatDeploymentLog", "chatLogs", "chat_logs", "ChatLog", ("chatDeployments",)),
    Channel(
        "chat-embed", "ChatEmbedDeploymentLog", "chatEmbedLogs", "chat_logs", "ChatEmbedLog", ("chatEmbedDeployments",)
    ),
    Channel("sms", "SmsDeploymentLog", "smsLogs", "message_logs", "SmsLog"),
    Channel("whatsapp", "WhatsappDeploymentLog", "whatsappLogs", "message_logs", "WhatsappLog"),
    Channel("api", "ApiDeploymentLog", "apiLogs", "message_logs", "ApiLog", listed=False),
)
