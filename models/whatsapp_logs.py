"""Logs of WhatsApp conversations."""

from __future__ import annotations

from peewee import TextField

from dryline.models.logs import Log, collection_of


class WhatsappLog(Log):
    """One thread of WhatsApp conversations with a number."""

    kind = "WhatsappDeploymentLog"

    type = TextField(default=kind)
    from_number = TextField(null=True)
    to_number = TextField(null=True)
    direction = TextField(null=True)
    transcription = TextField(null=True)
    status = TextField(null=True)


STATE = {"whatsappLogs": collection_of(WhatsappLog)}
