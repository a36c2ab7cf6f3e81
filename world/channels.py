"""The channels that logs come in: one line each. Exports, lookups, the state document, `pull` and cascades read it."""

from __future__ import annotations

from typing import NamedTuple


class Channel(NamedTuple):
    """A channel. `area` is the module of its logs in models/ and schemas/; `record` their class (`…Schema` there)."""

    key: str  # what an export calls it (`logType`)
    type: str  # what a log of it says as its `type`
    collection: str  # of its logs in the state document
    area: str
    record: str
    deployments: tuple[str, ...] = ()  # the collection of its deployments; none where they have no record
    listed: bool = True  # whether the API lists a worker's logs of it, at `deploymentLogs/{key}`


# In the order in which an export of all of them lists them.
CHANNELS = (
    Channel("voice", "VoiceDeploymentLog", "voiceLogs", "voice_logs", "VoiceLog", ("voiceDeployments",)),
    Channel("chat", "ChatDeploymentLog", "chatLogs", "chat_logs", "ChatLog", ("chatDeployments",)),
    Channel(
        "chat-embed",
        "ChatEmbedDeploymentLog",
        "chatEmbedLogs",
        "chat_embed_logs",
        "ChatEmbedLog",
        ("chatEmbedDeployments",),
    ),
    Channel("sms", "SmsDeploymentLog", "smsLogs", "sms_logs", "SmsLog"),
    Channel("whatsapp", "WhatsappDeploymentLog", "whatsappLogs", "whatsapp_logs", "WhatsappLog"),
    Channel("api", "ApiDeploymentLog", "apiLogs", "api_logs", "ApiLog", listed=False),
)
