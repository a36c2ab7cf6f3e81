"""Schemas of Echo suites, agents, scorecards and runs."""

from typing import Any

from marshmallow import ValidationError, fields

from dryline.schemas.base import ApiSchema, JsonObject, OneOf, Timestamp
from dryline.schemas.row_schemas import RowSchema


def require_text_or_texts(value: Any) -> None:
    """Check that a value is a text or a list of texts. Raises ValidationError."""
    texts = value if isinstance(value, list) else [value]
    if not all(isinstance(text, str) for text in texts):
        raise ValidationError("Must be a text or a list of texts.")


class EchoSuiteSchema(ApiSchema):  # Contract: records.echo_suite, createEchoSuite
    """An Echo test suite."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("description", "deployment_id")

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    name = fields.String(required=True)
    description = fields.String()
    deployment_id = fields.String()
    scorecard_ids = fields.List(fields.String(), metadata={"description": "stored as sent, not checked"})
    echo_scorecard_ids = fields.List(fields.String(), metadata={"description": "Echo scorecards of the team"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class EchoAgentSchema(ApiSchema):  # Contract: records.echo_agent, createEchoAgent
    """An Echo agent: a simulated caller."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("deployment_id", "suite_id")

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    name = fields.String(required=True)
    type = fields.String(required=True, metadata={"description": "kind of caller, stored as sent"})
    purpose = fields.String(required=True)
    goals = fields.Raw(
        required=True, validate=require_text_or_texts, metadata={"description": "list of texts, or one text"}
    )
    deployment_id = fields.String()
    suite_id = fields.String()
    scorecard_ids = fields.List(fields.String(), metadata={"description": "Echo scorecards of the team"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class EchoScorecardSchema(ApiSchema):  # Contract: records.echo_scorecard, createEchoScorecard
    """An Echo scorecard: criteria for conversations."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("description", "suite_id", "agent_id", "deployment_id")

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    name = fields.String(required=True)
    description = fields.String()
    items = fields.List(
        JsonObject(),
        metadata={
            "description": "title, description, type (BINARY or SCORE) and threshold of each; other fields are stored"
        },
    )
    suite_id = fields.String()
    agent_id = fields.String()
    deployment_id = fields.String()
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


class EchoRunSchema(ApiSchema):  # Contract: records.echo_run
    """An Echo run: the request to start it, and the answer."""

    id = fields.String(dump_only=True)
    type = fields.String(required=True, validate=OneOf("agent", "test_suite"), metadata={"description": "kind of run"})
    agent_data = JsonObject(
        required=True,
        load_only=True,
        data_key="agent_data",
        metadata={"description": "`agentId`, `suiteId` or `id` of the record to run, or the fields of an agent"},
    )
    status = fields.String(dump_only=True, metadata={"description": "QUEUED; `GET /_dryline/echo-runs` has the result"})
    created_at = Timestamp(dump_only=True)


ROWS = {
    "echoSuites": RowSchema(EchoSuiteSchema, "name"),
    "echoScorecards": RowSchema(EchoScorecardSchema, "name"),
    "echoAgents": RowSchema(EchoAgentSchema, "name", goals=fields.Raw()),
}
