"""Schemas of tests and their runs."""

from marshmallow import fields, validate

from dryline.schemas.base import ApiSchema, JsonObject, Number, PartSchema, Timestamp
from dryline.schemas.json_text import StoredAsSent
from dryline.schemas.row_schemas import RowSchema
from dryline.storage import json_shapes


class CheckpointSchema(PartSchema):  # Contract: createTest, checkpoints
    """A checkpoint of a test."""

    name = fields.String(required=True)
    description = fields.String(required=True)
    runs = Number(required=True, validate=validate.Range(0), metadata={"description": "number of conversations"})
    tolerance = Number(
        required=True, validate=validate.Range(0), metadata={"description": "number of conversations that may fail"}
    )


class TestSchema(ApiSchema):  # Contract: records.test, createTest
    """A test."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("description",)

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    name = fields.String(required=True)
    description = fields.String(required=True)
    test_mode = fields.String(required=True)
    system_prompt = fields.String(required=True)
    checkpoints = fields.List(StoredAsSent(CheckpointSchema), required=True)
    worker_id = fields.String(dump_only=True)
    flow_id = fields.String(required=True)
    websocket_url = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "URL of the engine's WebSocket"}
    )


class TestRunSchema(ApiSchema):  # Contract: records.test_run
    """A run of a test."""

    id = fields.String()
    test_id = fields.String()
    status = fields.String(metadata={"description": "status of the run: PENDING, RUNNING, PASSED or FAILED"})
    results = fields.List(
        JsonObject(),
        allow_none=True,
        metadata={
            "description": "results of a finished run, for each checkpoint: name, runs, passed, failed, tolerance, "
            "status, explanation and the first conversations"
        },
    )
    created_at = Timestamp()
    updated_at = Timestamp()


ROWS = {
    "tests": RowSchema(TestSchema, "workerId flowId name"),
    "testRuns": RowSchema(TestRunSchema, "testId", shapes=json_shapes.TEST_RUN, due_at=Timestamp(allow_none=True)),
}
