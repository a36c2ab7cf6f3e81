"""Schemas of resources, queries over them, and uploads."""

import unicodedata
from typing import Any

from marshmallow import ValidationError, fields, validate

from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, Number, QuerySchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class ResourceSchema(ApiSchema):  # Contract: records.resource
    """A knowledge resource: a link or a file."""

    id = fields.String()
    rag_type = fields.String(
        validate=validate.OneOf(("FILE", "WEBPAGE", "SITEMAP")),
        metadata={"description": "kind of resource: FILE, WEBPAGE, or SITEMAP if the link ends in sitemap.xml"},
    )
    status = fields.String(
        allow_none=True,
        validate=validate.OneOf(("STARTED", "PROCESSING", "FAILED", "AVAILABLE", "DELETED", None)),
        metadata={"description": "status: STARTED, PROCESSING, then AVAILABLE or FAILED"},
    )
    folder_id = fields.String(allow_none=True)
    key = fields.String(allow_none=True, metadata={"description": "name of the stored file"})
    raw_link = fields.String(allow_none=True, metadata={"description": "URL of a link"})
    update_frequency = fields.String(allow_none=True, metadata={"description": "how often a link is read again"})
    file_name = fields.String(allow_none=True)
    mime_type = fields.String(allow_none=True)
    size = Integer(allow_none=True, validate=validate.Range(0), metadata={"description": "size in bytes"})
    s3_file_path = fields.String(allow_none=True, metadata={"description": "URL of the upload"})
    signed_s3_file_path = fields.String(
        allow_none=True, metadata={"description": "signed URL to download the file without a key"}
    )
    image_s3_file_path = fields.String(allow_none=True, metadata={"description": "URL of a screenshot of the page"})
    num_scrolls = Integer(allow_none=True, metadata={"description": "scroll position of the page"})
    graph_status = JsonObject(allow_none=True, metadata={"description": "status of the knowledge graph"})
    processing_error = fields.String(allow_none=True, metadata={"description": "reason why the resource FAILED"})
    last_updated = Timestamp(allow_none=True, metadata={"description": "time when the content was last read"})
    uploaded_at = Timestamp(allow_none=True, metadata={"description": "time of the upload"})
    name = fields.String()
    worker_id = fields.String()


class LinkResourceBody(ApiSchema):
    """A link resource to create."""

    name = fields.String(required=True)
    raw_link = fields.String(required=True, metadata={"description": "URL of a page or a sitemap.xml"})
    update_frequency = fields.String(required=True, metadata={"description": "how often to read the link again"})
    folder_id = fields.String()


class WholeNumber(Number):
    """A number of bytes: a JSON number without a fraction, loaded as an integer."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        number = super()._deserialize(value, attr, data, **kwargs)
        if number != int(number) or not 0 <= number < 2**63:
            raise ValidationError("Must be a whole number of bytes.")
        return int(number)


class FileResourceBody(ApiSchema):
    """A file resource to create from an upload."""

    name = fields.String(required=True)
    s3_file_path = fields.String(required=True, metadata={"description": "URL of the upload without its query"})
    file_name = fields.String(required=True)
    mime_type = fields.String(required=True)
    size = WholeNumber(required=True, metadata={"description": "size in bytes"})
    folder_id = fields.String()


class ResourceMoveSchema(ApiSchema):
    """The folder to move a resource to; none if it is left out or null."""

    folder_id = fields.String(load_default=None, metadata={"description": "folder of the resource; null means none"})


class QueryParamsSchema(ApiSchema):
    """Options of a search. Options without a meaning for a text search are accepted and ignored."""

    mode = fields.String(metadata={"description": "accepted and without effect"})
    top_k = Number(validate=validate.Range(min=1), metadata={"description": "most resources; default: 10"})
    response_type = fields.String(metadata={"description": "accepted and without effect"})
    stream = Boolean(metadata={"description": "accepted and without effect"})
    only_need_context = Boolean(metadata={"description": "return the passages only, without an answer"})
    only_need_prompt = Boolean(metadata={"description": "return the prompt instead of an answer"})
    max_token_for_text_unit = Number(metadata={"description": "accepted and without effect"})
    max_token_for_global_context = Number(metadata={"description": "accepted and without effect"})
    max_token_for_local_context = Number(metadata={"description": "accepted and without effect"})


class ResourceQuerySchema(ApiSchema):
    """A question to the worker's resources."""

    query = fields.String(required=True, metadata={"description": "question"})
    resources = fields.List(fields.String(), metadata={"description": "ids to include; an empty list means all"})
    folder_id = fields.String()
    folder_name = fields.String(metadata={"description": "name of the only folder to search"})
    query_params = fields.Nested(QueryParamsSchema)


class ResourceQueryResultSchema(ApiSchema):  # Contract: records.resource_query_result
    """The answer to a question."""

    class Meta(ApiSchema.Meta):
        sometimes = ("data",)

    data = JsonObject(
        allow_none=True,
        metadata={
            "description": "`answer`, `context` (ids of resources, best first) and `results` with score and passage"
        },
    )


def require_printable(text: str) -> None:
    """Check that a text can be part of a header. Raises ValidationError."""
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValidationError("Must have no control characters.")


def require_ascii(text: str) -> None:
    """Check that a media type is ASCII. Raises ValidationError."""
    if not text.isascii():
        raise ValidationError("Must be ASCII, as media types are.")


class UploadQuerySchema(QuerySchema):
    """The file to upload."""

    file_name = fields.String(required=True, validate=require_printable)
    content_type = fields.String(
        required=True, validate=[require_printable, require_ascii], metadata={"description": "media type of the file"}
    )


class SignatureSchema(QuerySchema):
    """The signature of an upload's URL."""

    signature = fields.String(load_default="")


class UploadUrlSchema(ApiSchema):  # Contract: records.upload_url
    """The URL of an upload."""

    upload_url = fields.String(metadata={"description": "URL to PUT the file to; before `?` it is the `s3FilePath`"})


ROWS = {"resources": RowSchema(ResourceSchema, "workerId name ragType", created_at=Timestamp())}
