"""Schemas of lists with limit and offset."""

from marshmallow import validate

from dryline.schemas.base import ApiSchema, Boolean, Integer, QueryInteger, QuerySchema


class WindowSchema(QuerySchema):
    """The part of a list to return."""

    limit = QueryInteger(load_default=20, validate=validate.Range(1, 100))
    offset = QueryInteger(load_default=0, validate=validate.Range(0))


class PageSchema(ApiSchema):
    """A part of a list with the list's length. Subclasses add `data`."""

    total = Integer()
    has_more = Boolean()
