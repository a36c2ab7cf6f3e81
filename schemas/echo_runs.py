"""Schemas of Echo runs with their results."""

from marshmallow import INCLUDE, fields

from dryline.schemas.base import ApiSchema, JsonObject, PartSchema, Timestamp
from dryline.schemas.row_schemas import RowSchema
from dryline.storage import json_shapes


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


class PlannedScorecardSchema(PartSchema):
    """A scorecard that a run will judge by, which only state documents show."""

    class Meta(PartSchema.Meta):
        unknown = INCLUDE

    items = fields.List(JsonObject(), required=True)


ROWS = {
    "echoRuns": RowSchema(
        EchoRunResultSchema,
        "type",
        shapes=json_shapes.ECHO_RUN,
        plan=fields.List(fields.Nested(PlannedScorecardSchema)),
        due_at=Timestamp(allow_none=True),
    )
}
