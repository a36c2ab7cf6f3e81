"""Logs of SMS and WhatsApp conversations, and of those through the engine's own endpoint."""

from peewee import IntegerField, TextField

from dryline.models.channels import API, SMS, WHATSAPP
from dryline.models.logs import Log, collection_of
from dryline.storage.record import JsonField


class MessageLog(Log):
    """One thread of messages with a number."""

    from_number = TextField(null=True)
    to_number = TextField(null=True)
    direction = TextField(null=True)
    transcription = TextField(null=True)
    status = TextField(null=True)


class SmsLog(MessageLog):
    """An SMS conversation."""

    channel = SMS

    type = TextField(default=channel.type)


class WhatsappLog(MessageLog):
    """A WhatsApp conversation."""

    channel = WHATSAPP

    type = TextField(default=channel.type)


class ApiLog(Log):
    """A conversation of the API channel, without a deployment. Its own members are those of the last request."""

    channel = API
    session = "json_extract(metadata, '$.bbEngineSessionId')"

    type = TextField(default=channel.type)
    request_model = TextField(null=True)
    request_messages = JsonField(null=True)
    response_content = TextField(null=True)
    prompt_tokens = IntegerField(null=True)
    completion_tokens = IntegerField(null=True)
    total_tokens = IntegerField(null=True)


STATE = {
    "smsLogs": collection_of(SmsLog),
    "whatsappLogs": collection_of(WhatsappLog),
    "apiLogs": collection_of(ApiLog),
}
