"""The row form of calls in progress. Their logs show them; state documents also hold how they will end."""

from marshmallow import fields

from dryline.schemas.base import JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm

ROWS = {
    "callsInProgress": RowForm(
        None,
        "deploymentId call",
        log_id=fields.String(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=fields.String(),
        shown_until=Timestamp(allow_none=True),
        call=JsonObject(),
    )
}
