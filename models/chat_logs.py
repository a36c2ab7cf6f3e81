"""Logs of chats and of the chat widget."""

from peewee import BooleanField, IntegerField, TextField

from dryline.models.channels import CHAT, CHAT_EMBED
from dryline.models.logs import Log, collection_of
from dryline.storage.record import JsonField


class ChatLog(Log):
    """One chat with a known user. `duration` is in seconds."""

    channel = CHAT
    session = "json_extract(session_log_data, '$.sessionId')"

    type = TextField(default=channel.type)
    user_id = TextField(null=True)
    user_name = TextField(null=True)
    user_email = TextField(null=True)
    message_count = IntegerField(null=True)
    duration = IntegerField(null=True)
    rating = IntegerField(null=True)
    feedback = TextField(null=True)


class ChatEmbedLog(Log):
    """One visit to a chat widget. `duration` is in seconds; `expired` once the visitor's session has ended."""

    channel = CHAT_EMBED
    session = "session_id"

    type = TextField(default=channel.type)
    expired = BooleanField(default=False)
    session_id = TextField(null=True)
    status = TextField(null=True)
    message_count = IntegerField(null=True)
    duration = IntegerField(null=True)
    latency = JsonField(null=True)
    tool_calls = JsonField(null=True)
    origin_url = TextField(null=True)
    user_agent = TextField(null=True)


STATE = {"chatLogs": collection_of(ChatLog), "chatEmbedLogs": collection_of(ChatEmbedLog)}
