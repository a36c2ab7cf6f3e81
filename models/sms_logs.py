"""Logs of text messages."""

from __future__ import annotations

from peewee import TextField

from dryline.models.logs import Log, collection_of


class SmsLog(Log):
    """One thread of text messages with a number."""

    kind = "SmsDeploymentLog"

    type = TextField(default=kind)
    from_number = TextField(null=True)
    to_number = TextField(null=True)
    direction = TextField(null=True)
    transcription = TextField(null=True)
    status = TextField(null=True)


STATE = {"smsLogs": collection_of(SmsLog)}
