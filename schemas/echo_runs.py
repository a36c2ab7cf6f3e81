"""Schemas of Echo runs with their results."""

from __future__ import annotations

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm


class EchoRunResultSchema(ApiSchema):
    """An Echo run of any team. A finished run has results."""

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    type = fields.String(dump_only=True, metadata={"description": "kind of run: agent or test_suite"})
    agent_data = JsonObject(dump_only=True, metadata={"description": "request of the run, as sent"})
    status = fields.String(
        dump_only=True, metadata={"description": "status of the run: QUEUED, RUNNING, PASSED or FAILED"}
    )
    results = fields.List(
        JsonObject(),
        dump_only=True,
        allow_none=True,
        metadata={"description": "results for each scorecard and agent, by items"},
    )
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


ROWS = {
    "echoRuns": RowForm(
        EchoRunResultSchema,
        "type",
        plan=fields.List(JsonObject()),
        due_at=Timestamp(allow_none=True),
    )
}
