"""Schemas of Echo runs with their results."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema


class EchoRunResultSchema(ApiSchema):
    """An Echo run of any team. A finished run has results."""

    id = fields.String()
    team_id = fields.String()
    type = fields.String(metadata={"description": "kind of run: agent or test_suite"})
    agent_data = JsonObject(metadata={"description": "request of the run, as sent"})
    status = fields.String(metadata={"description": "status of the run: QUEUED, RUNNING, PASSED or FAILED"})
    results = fields.List(JsonObject(), allow_none=True, metadata={"description": "results by scorecard and agent"})
    created_at = Timestamp()
    updated_at = Timestamp()


ROWS = {
    "echoRuns": RowSchema(
        EchoRunResultSchema,
        "type",
        plan=fields.List(JsonObject()),
        due_at=Timestamp(allow_none=True),
    )
}
