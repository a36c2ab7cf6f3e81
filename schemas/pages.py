"""Lists that are read by limit and offset."""

from __future__ import annotations

from marshmallow import validate

from dryline.schemas.base import ApiSchema, Boolean, Integer, QueryInteger, QuerySchema


class WindowSchema(QuerySchema):
    """Which part of a list."""

    limit = QueryInteger(
        load_default=20,
        validate=validate.Range(1, 100),
        metadata={"description": "greatest number of records on a page"},
    )
    offset = QueryInteger(
        load_default=0, validate=validate.Range(0), metadata={"description": "number of records to skip"}
    )


class PageSchema(ApiSchema):
    """A part of a list, and how long the whole is. The area adds `data`."""

    total = Integer(dump_only=True)
    has_more = Boolean(dump_only=True)
