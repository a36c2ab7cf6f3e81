"""The row form of queued calls, which only state documents show."""

from __future__ import annotations

from dryline.schemas.base import JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm, null_text, text

ROWS = {
    "queuedCalls": RowForm(
        None,
        "deploymentId row",
        call_id=text(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=text(),
        campaign_id=null_text(),
        row=JsonObject(),
        due_at=Timestamp(allow_none=True),
        row_id=null_text(),
        terms=JsonObject(allow_none=True),
    )
}
