"""The row form of calls in progress. Their logs show them; state documents also hold how they will end."""

from __future__ import annotations

from dryline.schemas.base import JsonObject, Timestamp
from dryline.schemas.row_forms import RowForm, text

ROWS = {
    "callsInProgress": RowForm(
        None,
        "deploymentId call",
        log_id=text(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=text(),
        shown_until=Timestamp(allow_none=True),
        call=JsonObject(),
    )
}
