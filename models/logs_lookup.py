"""Logs of any channel, found by their id alone, and the classes of all channels."""

from dryline.models.chat_logs import ChatEmbedLog, ChatLog
from dryline.models.logs import Log
from dryline.models.message_logs import ApiLog, SmsLog, WhatsappLog
from dryline.models.voice_logs import VoiceLog
from dryline.storage.errors import NotFound
from dryline.storage.record import Record

# In the order of an export of all channels.
LOG_CLASSES: tuple[type[Log], ...] = (VoiceLog, ChatLog, ChatEmbedLog, SmsLog, WhatsappLog, ApiLog)


def find_log(team: Record, id: str) -> Log:
    """Return the team's log of any channel with this id. Raises NotFound. Contract: lookupLog."""
    for log_class in LOG_CLASSES:
        if log := log_class.find(id=id, team_id=team.team_id):
            return log
    raise NotFound(f"Log {id} not found.")
