"""Schemas that logs of all channels share."""

from marshmallow import fields, validate

from dryline.schemas.base import (
    ApiSchema,
    Boolean,
    Integer,
    JsonObject,
    PartSchema,
    QueryInteger,
    QuerySchema,
    Timestamp,
)


class LogSchema(ApiSchema):  # Contract: records.any_log
    """The fields of all logs."""

    id = fields.String()
    type = fields.String(metadata={"description": "channel of the log"})
    created_at = Timestamp()
    updated_at = Timestamp()
    worker_id = fields.String()
    deployment_id = fields.String(
        allow_none=True,
        metadata={"description": "deployment of the log; null only in state documents that were written by hand"},
    )
    flow_id = fields.String(allow_none=True)
    start_time = Timestamp(allow_none=True)
    end_time = Timestamp(allow_none=True)
    messages = JsonObject(allow_none=True)
    extractions_data = JsonObject(allow_none=True)
    metadata = JsonObject(allow_none=True)
    flow_snapshot = fields.Raw(allow_none=True, metadata={"description": "code of the flow in the conversation"})
    session_log_data = JsonObject(allow_none=True, metadata={"description": "the engine's trace"})


class LogFilterSchema(QuerySchema):
    """Filters of a worker's logs."""

    deployment_id = fields.String(metadata={"description": "only this deployment"})
    flow_id = fields.String(metadata={"description": "only this flow"})


class PageArgumentsSchema(QuerySchema):
    """The page of a list."""

    page = QueryInteger(load_default=1, validate=validate.Range(1))
    limit = QueryInteger(load_default=100, validate=validate.Range(1, 100))


class NumberedLogsSchema(LogFilterSchema, PageArgumentsSchema):
    """Filters and page of a worker's logs."""


class PaginationSchema(PartSchema):  # Contract: records.pagination
    """The position of a page in its list."""

    page = Integer(required=True)
    limit = Integer(required=True)
    total = Integer(required=True, metadata={"description": "number of records on all pages"})
    total_pages = Integer(required=True)
    has_next = Boolean(required=True)
    has_prev = Boolean(required=True)


class NumberedPageSchema(ApiSchema):
    """A page of a list. Subclasses add `data`."""

    pagination = fields.Nested(PaginationSchema)
