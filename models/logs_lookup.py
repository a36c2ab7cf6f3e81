"""Finds a log of any channel by its id alone."""

from __future__ import annotations

from dryline.models.chat_embed_logs import ChatEmbedLog
from dryline.models.chat_logs import ChatLog
from dryline.models.logs import Log
from dryline.models.sms_logs import SmsLog
from dryline.models.voice_logs import VoiceLog
from dryline.models.whatsapp_logs import WhatsappLog
from dryline.world.errors import NotFound
from dryline.world.record import Record

LOGS: tuple[type[Log], ...] = (VoiceLog, ChatLog, ChatEmbedLog, SmsLog, WhatsappLog)


def find_log(team: Record, id: str) -> Log:
    """The team's log of this id. Raises NotFound. Contract: lookupLog."""
    for model in LOGS:
        log = model.find(id=id, team_id=team.team_id)
        if log is not None:
            return log
    raise NotFound(f"Log {id} not found.")
