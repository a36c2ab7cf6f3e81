"""Resources on the wire, and queries over them."""

from __future__ import annotations

import unicodedata
from typing import Any

from marshmallow import ValidationError, fields, validate

from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, Number, QuerySchema, Timestamp
from dryline.schemas.row_forms import RowForm


class ResourceSchema(ApiSchema):
    """A link or a file. Contract: records.resource."""

    id = fields.String(dump_only=True)
    rag_type = fields.String(
        dump_only=True,
        validate=validate.OneOf(("FILE", "WEBPAGE", "SITEMAP")),
        metadata={"description": "FILE, WEBPAGE, or SITEMAP where the link ends in sitemap.xml"},
    )
    status = fields.String(
        dump_only=True,
        allow_none=True,
        validate=validate.OneOf(("STARTED", "PROCESSING", "FAILED", "AVAILABLE", "DELETED", None)),
        metadata={"description": "STARTED, PROCESSING, then AVAILABLE or FAILED"},
    )
    folder_id = fields.String(dump_only=True, allow_none=True)
    key = fields.String(dump_only=True, allow_none=True, metadata={"description": "name of the stored file"})
    raw_link = fields.String(dump_only=True, allow_none=True, metadata={"description": "address of a link"})
    update_frequency = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "how often a link is read again, as it was sent"}
    )
    file_name = fields.String(dump_only=True, allow_none=True)
    mime_type = fields.String(dump_only=True, allow_none=True)
    size = Integer(dump_only=True, allow_none=True, validate=validate.Range(0), metadata={"description": "bytes"})
    s3_file_path = fields.String(dump_only=True, allow_none=True, metadata={"description": "where the bytes were put"})
    signed_s3_file_path = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "signed address of the bytes, to GET without a key"}
    )
    image_s3_file_path = fields.String(
        dump_only=True, allow_none=True, metadata={"description": "address of a picture of the page"}
    )
    num_scrolls = Integer(dump_only=True, allow_none=True, metadata={"description": "how far a page was scrolled down"})
    graph_status = JsonObject(
        dump_only=True, allow_none=True, metadata={"description": "how far the knowledge graph has come"}
    )
    processing_error = fields.String(dump_only=True, allow_none=True, metadata={"description": "why it FAILED"})
    last_updated = Timestamp(
        dump_only=True, allow_none=True, metadata={"description": "when its content was last read"}
    )
    uploaded_at = Timestamp(dump_only=True, allow_none=True, metadata={"description": "when its bytes came"})
    name = fields.String(dump_only=True)
    worker_id = fields.String(dump_only=True)


class LinkResourceBodySchema(ApiSchema):
    """What creating a link takes."""

    name = fields.String(required=True)
    raw_link = fields.String(required=True, metadata={"description": "address of the page, or of a sitemap.xml"})
    update_frequency = fields.String(
        required=True, metadata={"description": "how often to read it again, such as daily"}
    )
    folder_id = fields.String()


def whole(value: float) -> None:
    """A number of bytes: whole, not negative, no more than the database counts."""
    if value != int(value) or not 0 <= value < 2**63:
        raise ValidationError("Must be a whole number of bytes.")


class WholeNumber(Number):
    """A JSON number without a fraction, kept as an integer."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> int:
        number = super()._deserialize(value, attr, data, **kwargs)
        whole(number)
        return int(number)


class FileResourceBodySchema(ApiSchema):
    """What creating a file takes, after its bytes were put to the upload address."""

    name = fields.String(required=True)
    s3_file_path = fields.String(required=True, metadata={"description": "the upload address without its query string"})
    file_name = fields.String(required=True)
    mime_type = fields.String(required=True)
    size = WholeNumber(required=True, metadata={"description": "bytes"})
    folder_id = fields.String()


class ResourceMoveSchema(ApiSchema):
    """Where to. A missing folder counts as null."""

    folder_id = fields.String(allow_none=True, load_default=None, metadata={"description": "null: out of its folder"})


class QueryParamsSchema(ApiSchema):
    """How to search and what to answer. What has no meaning for a text search is taken and not used."""

    mode = fields.String(metadata={"description": "how to search, as it is sent"})
    top_k = Number(validate=validate.Range(min=1), metadata={"description": "at most so many resources; 10"})
    response_type = fields.String(metadata={"description": "how the answer is laid out, e.g. `Bullet Points`"})
    stream = Boolean(metadata={"description": "taken and without effect: the answer comes whole"})
    only_need_context = Boolean(metadata={"description": "no answer, only what it would be made of"})
    only_need_prompt = Boolean(metadata={"description": "no answer, but the prompt for one"})
    max_token_for_text_unit = Number(metadata={"description": "bound of one passage"})
    max_token_for_global_context = Number(metadata={"description": "bound of the whole context"})
    max_token_for_local_context = Number(metadata={"description": "bound of the context near the answer"})


class ResourceQuerySchema(ApiSchema):
    """A question to the worker's resources."""

    query = fields.String(required=True, metadata={"description": "the question"})
    resources = fields.List(fields.String(), metadata={"description": "only these; an empty list is all"})
    folder_id = fields.String()
    folder_name = fields.String(metadata={"description": "only what is in the folder of this name"})
    query_params = fields.Nested(QueryParamsSchema)


class ResourceQueryResultSchema(ApiSchema):
    """What was found. Contract: records.resource_query_result."""

    class Meta(ApiSchema.Meta):
        sometimes = ("data",)

    data = JsonObject(
        dump_only=True,
        allow_none=True,
        metadata={"description": "`answer`, `context` (resource ids, best first), `results` with score and passage"},
    )


def printable(text: str) -> None:
    """Raises ValidationError for text that cannot stand in a header."""
    if any(unicodedata.category(character) == "Cc" for character in text):
        raise ValidationError("Must have no control characters.")


def ascii_text(text: str) -> None:
    """Raises ValidationError for what no media type holds."""
    if not text.isascii():
        raise ValidationError("Must be ASCII, as media types are.")


class UploadQuerySchema(QuerySchema):
    """What will be uploaded."""

    file_name = fields.String(required=True, validate=printable)
    content_type = fields.String(
        required=True, validate=[printable, ascii_text], metadata={"description": "media type of the bytes"}
    )


class SignatureSchema(QuerySchema):
    """What makes an upload address work."""

    signature = fields.String(load_default="")


class UploadUrlSchema(ApiSchema):
    """Where to PUT the bytes. Contract: records.upload_url."""

    upload_url = fields.String(dump_only=True, metadata={"description": "the part before `?` becomes s3FilePath"})


ROWS = {"resources": RowForm(ResourceSchema, "workerId name ragType", created_at=Timestamp())}
