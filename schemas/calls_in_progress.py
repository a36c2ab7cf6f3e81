"""The rows of calls in progress. Their logs show them; state documents also hold how they will end."""

from typing import Any

from marshmallow import ValidationError, fields

from dryline.schemas import llm_logs, runtime_errors, sessions, voice_logs
from dryline.schemas.base import Timestamp
from dryline.schemas.row_schemas import Faults, RowSchema


class CallRows(fields.Field):
    """The rows that a call writes while it lasts, by column names: `log`, `session`, `llm_logs`, `runtime_errors`.

    Each is checked like a row of its collection.
    """

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise ValidationError("Must be an object.")
        faults: Faults = []
        rows = dict(value)
        for name, schema in (("log", voice_logs.ROWS["voiceLogs"]), ("session", sessions.ROWS["sessions"])):
            rows[name] = schema.read_columns(value.get(name), name, faults)
        lists = ("llm_logs", llm_logs.ROWS["llmLogs"]), ("runtime_errors", runtime_errors.ROWS["runtimeErrors"])
        for name, schema in lists:
            members = value.get(name)
            if not isinstance(members, list):
                faults.append((name, "Must be a list."))
                continue
            rows[name] = [schema.read_columns(row, f"{name}[{n}]", faults) for n, row in enumerate(members)]
        if faults:
            raise ValidationError({path: [message] for path, message in faults})
        return rows


ROWS = {
    "callsInProgress": RowSchema(
        None,
        "deploymentId call",
        log_id=fields.String(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=fields.String(),
        shown_until=Timestamp(allow_none=True),
        call=CallRows(),
    )
}
