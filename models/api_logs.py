"""Logs of the API channel: conversations through the engine's own endpoint."""

from peewee import IntegerField, TextField

from dryline.models.logs import Log, collection_of
from dryline.storage.record import JsonField


class ApiLog(Log):
    """One conversation, without a deployment. The members of this channel are those of the last request."""

    kind = "ApiDeploymentLog"
    session = "json_extract(metadata, '$.bbEngineSessionId')"

    type = TextField(default=kind)
    request_model = TextField(null=True)
    request_messages = JsonField(null=True)
    response_content = TextField(null=True)
    prompt_tokens = IntegerField(null=True)
    completion_tokens = IntegerField(null=True)
    total_tokens = IntegerField(null=True)


STATE = {"apiLogs": collection_of(ApiLog)}
