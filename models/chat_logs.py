"""Logs of chats."""

from peewee import IntegerField, TextField

from dryline.models.logs import Log, collection_of


class ChatLog(Log):
    """One chat with a known user. `duration` is in seconds."""

    kind = "ChatDeploymentLog"
    session = "json_extract(session_log_data, '$.sessionId')"

    type = TextField(default=kind)
    user_id = TextField(null=True)
    user_name = TextField(null=True)
    user_email = TextField(null=True)
    message_count = IntegerField(null=True)
    duration = IntegerField(null=True)
    rating = IntegerField(null=True)
    feedback = TextField(null=True)


STATE = {"chatLogs": collection_of(ChatLog)}
