"""Lists that are read by limit and offset."""

from __future__ import annotations

from typing import Any

from dryline.storage.record import Rows


def window(rows: Rows, limit: int, offset: int) -> dict[str, Any]:
    """`limit` rows after the first `offset`, how many there are in all, and whether more follow."""
    total = rows.count()
    return {"data": rows.slice(limit, offset), "total": total, "has_more": offset + limit < total}
