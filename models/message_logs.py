"""Logs of SMS and WhatsApp conversations."""

from peewee import TextField

from dryline.models.logs import Log, collection_of


class MessageLog(Log):
    """One thread of messages with a number."""

    from_number = TextField(null=True)
    to_number = TextField(null=True)
    direction = TextField(null=True)
    transcription = TextField(null=True)
    status = TextField(null=True)


class SmsLog(MessageLog):
    """An SMS conversation."""

    kind = "SmsDeploymentLog"

    type = TextField(default=kind)


class WhatsappLog(MessageLog):
    """A WhatsApp conversation."""

    kind = "WhatsappDeploymentLog"

    type = TextField(default=kind)


STATE = {"smsLogs": collection_of(SmsLog), "whatsappLogs": collection_of(WhatsappLog)}
