"""Runtime errors of the engine."""

from __future__ import annotations

from dryline.models.base import JsonField, Record
from peewee import IntegerField, TextField


class RuntimeErrorRecord(Record):
    """An error that the engine recorded. It goes with its worker; without its deployment it stays."""

    id_prefix = "rterr"

    worker_id = TextField()
    error = TextField()
    service = TextField()
    type = TextField()
    severity = TextField(default="error")
    deployment_id = TextField(null=True)
    flow_id = TextField(null=True)
    function_name = TextField(null=True)
    line_number = IntegerField(null=True)
    bb_engine_session_id = TextField(null=True)
    traceback = TextField(null=True)
    metadata = JsonField(null=True)

    class Meta:
        table_name = "runtime_error"
