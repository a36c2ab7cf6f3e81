"""Schemas of log exports."""

from typing import Any

from marshmallow import RAISE, ValidationError, fields, validate, validates_schema

from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number, OneOf, Timestamp
from dryline.schemas.logs_lookup import LOG_SCHEMAS
from dryline.schemas.row_schemas import RowSchema
from dryline.schemas.voice_logs import VoiceLogFilterSchema
from dryline.storage.json_values import loads

STATUSES = ("PENDING", "PROCESSING", "COMPLETED", "FAILED", "EXPIRED")
FORMATS = ("CSV", "JSON")
LOG_TYPES = tuple(LOG_SCHEMAS)


def field_names_of(log_type: str | None) -> list[str]:
    """Return the wire names of the fields of a log type, or of all types, in the record's order."""
    types = [log_type] if log_type else LOG_TYPES
    return list(dict.fromkeys(name for one in types for name in LOG_SCHEMAS[one].wire_names))


def require_members(names: list[str], log_type: str | None = None) -> None:
    """Check that logs of the type, or of some type, have these fields. Raises ValidationError."""
    known = field_names_of(log_type)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValidationError(f"Not a field of {log_type or 'any'} logs: {', '.join(unknown)}.", "fields")


def read_filters(filters: Any) -> dict[str, Any]:
    """Return the filters in `filtersJson` by their names in `models.voice_log_filters`. Raises ValidationError."""
    if filters is None:
        return {}
    texts = {name: str(value) if type(value) in (int, float) else value for name, value in filters.items()}
    return VoiceLogFilterSchema(unknown=RAISE).load(texts)


class FieldNames(fields.List):
    """Names of fields as an array, or as text with commas. Each name is used once; no names mean all fields."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(fields.String(), **kwargs)

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            value = [name.strip() for name in value.split(",") if name.strip()]
        return list(dict.fromkeys(super()._deserialize(value, attr, data, **kwargs))) or None


class Filters(JsonObject):
    """Filters of the voice log list, as an object or its JSON text, stored as sent."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> dict[str, Any]:
        if isinstance(value, str):
            try:
                value = loads(value)
            except ValueError:
                raise self.make_error("invalid") from None
        filters = super()._deserialize(value, attr, data, **kwargs)
        read_filters(filters)
        return filters


def _require_log_type(log_type: str) -> None:
    # No OneOf: the contract names these values without making them an enum of the document.
    if log_type not in LOG_TYPES:
        raise ValidationError(f"Must be one of: {', '.join(LOG_TYPES)}.")


class ExportBody(ApiSchema):  # Contract: createExport
    """An export to create."""

    format = fields.String(required=True, validate=OneOf(*FORMATS), metadata={"description": "format of the file"})
    start_date = Timestamp(required=True, metadata={"description": "start of the date range, inclusive"})
    end_date = Timestamp(required=True, metadata={"description": "end of the range, inclusive, at most 90 days later"})
    log_type = fields.String(
        validate=_require_log_type,
        metadata={"description": f"{', '.join(LOG_TYPES)}; default: logs of all types, one type after the other"},
    )
    worker_id = fields.String(metadata={"description": "only logs of this worker"})
    deployment_id = fields.String(metadata={"description": "only logs of this deployment"})
    fields_ = FieldNames(
        data_key="fields",
        attribute="fields",
        metadata={"description": "fields of the file, in this order; default: all"},
    )
    filters_json = Filters(metadata={"description": "filters of the voice log list, as an object or its JSON text"})

    @validates_schema
    def _check_names(self, body: dict[str, Any], **kwargs: Any) -> None:
        """Check that the log type has the fields."""
        require_members(body.get("fields") or [], body.get("log_type"))


class ExportSchema(ApiSchema):  # Contract: records.export
    """An export of logs to a file."""

    id = fields.String()
    status = fields.String(
        validate=OneOf(*STATUSES),
        metadata={
            "description": "PENDING, PROCESSING, COMPLETED or FAILED; EXPIRED 24 hours of API time after COMPLETED"
        },
    )
    format = fields.String(validate=OneOf(*FORMATS), metadata={"description": "format of the file"})
    log_type = fields.String(
        allow_none=True,
        validate=_require_log_type,
        metadata={"description": "type of the exported logs; null means all types"},
    )
    row_count = Integer(
        allow_none=True,
        validate=validate.Range(0),
        metadata={"description": "number of logs in the file; null until COMPLETED"},
    )
    file_size_bytes = Number(
        allow_none=True,
        validate=validate.Range(0),
        metadata={"description": "size of the file in bytes; null until COMPLETED"},
    )
    download_url = fields.String(allow_none=True, metadata={"description": "URL while COMPLETED; needs no key"})
    error_message = fields.String(allow_none=True, metadata={"description": "reason why the export FAILED"})
    created_at = Timestamp()
    expires_at = Timestamp(
        allow_none=True, metadata={"description": "time when the file is deleted, 24 hours of API time after COMPLETED"}
    )


ROWS = {
    "exports": RowSchema(
        ExportSchema,
        "format status",
        without="download_url",
        team_id=fields.String(),
        start_date=Timestamp(allow_none=True),
        end_date=Timestamp(allow_none=True),
        worker_id=fields.String(allow_none=True),
        deployment_id=fields.String(allow_none=True),
        field_names=fields.List(
            fields.String(), allow_none=True, data_key="fields", attribute="fields", validate=require_members
        ),
        filters_json=Filters(allow_none=True),
    )
}
