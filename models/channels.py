"""The channels of logs. Each class of logs names its channel; models/logs_lookup.py lists the classes."""

from typing import NamedTuple


class Channel(NamedTuple):
    """A channel through which a worker talks."""

    key: str  # the `logType` of exports
    type: str  # the `type` of its logs
    collection: str  # the collection of its logs in the state document
    deployments: tuple[str, ...] = ()  # the collection of its deployments; empty if these have no record
    listed: bool = True  # whether the API lists a worker's logs of the channel, at `deploymentLogs/{key}`


VOICE = Channel("voice", "VoiceDeploymentLog", "voiceLogs", ("voiceDeployments",))
CHAT = Channel("chat", "ChatDeploymentLog", "chatLogs", ("chatDeployments",))
CHAT_EMBED = Channel("chat-embed", "ChatEmbedDeploymentLog", "chatEmbedLogs", ("chatEmbedDeployments",))
SMS = Channel("sms", "SmsDeploymentLog", "smsLogs")
WHATSAPP = Channel("whatsapp", "WhatsappDeploymentLog", "whatsappLogs")
API = Channel("api", "ApiDeploymentLog", "apiLogs", listed=False)

CHANNELS = (VOICE, CHAT, CHAT_EMBED, SMS, WHATSAPP, API)
