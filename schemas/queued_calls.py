"""The rows of queued calls, which only state documents show."""

from marshmallow import fields

from dryline.schemas.base import JsonObject, Timestamp
from dryline.schemas.row_schemas import RowSchema

ROWS = {
    "queuedCalls": RowSchema(
        None,
        "deploymentId row",
        call_id=fields.String(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=fields.String(),
        campaign_id=fields.String(allow_none=True),
        row=JsonObject(),
        due_at=Timestamp(allow_none=True),
        row_id=fields.String(allow_none=True),
        terms=JsonObject(allow_none=True),
    )
}
