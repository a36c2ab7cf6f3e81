"""The state document: read it, replace the state by one, add one. Contract: state.md."""

from typing import Any

from flask import request
from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea, LenientQuery, TeamQuery, TeamUndoQuery, undoable_if
from dryline.schemas.base import ApiSchema, Integer, JsonObject, Timestamp
from dryline.state import document as state
from dryline.state import forms as documents
from dryline.state.collections import COLLECTIONS
from dryline.storage.current_world import current
from dryline.web.base import json_response, read_json

blp = ControlArea("Control: state", description="The whole state as one JSON document.")

NO_LIMIT = 1 << 40


class DocumentSchema(ApiSchema):
    """The whole state: a list of rows for each collection."""

    class Meta(ApiSchema.Meta):
        sometimes = ("as_of",)

    version = Integer(
        required=True,
        validate=validate.Equal(documents.VERSION),
        metadata={"description": "version of the document's format"},
    )
    written_by = fields.String(
        metadata={"description": "program that wrote the document; its links may lead to rows that are gone"}
    )
    as_of = Timestamp(
        metadata={"description": "all times move by whole weeks so that this one is in the week before now"}
    )


ROWS = {"description": "its rows in the API's form, with the keys that link them"}
StateSchema = DocumentSchema.from_dict(
    {name: fields.List(JsonObject(), data_key=name, metadata=ROWS) for name in COLLECTIONS}, name="StateSchema"
)
StateSchema.__doc__ = DocumentSchema.__doc__
_BODY: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": StateSchema}}}


class DocumentQuery(TeamUndoQuery, LenientQuery):
    """The options of an import."""


@blp.route("/state", get="getState", post="extendState", put="replaceState")
class State(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, StateSchema)
    @blp.errors(404)
    def get(self, query):
        """Read the state of the world, or of one team.

        The document has the rows of all collections in the API's format, with the ids that link them. `PUT` accepts it.
        """
        with current().reading():
            return json_response(state.export(query.get("team")))

    @blp.arguments(DocumentQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def put(self, query):
        """Replace the state of the world, or of one team.

        Either the whole document is stored or nothing changes. 422 naming row and field for an invalid row, an unknown
        member, and in a document without `writtenBy` a link to a row that is not there.
        """
        document = _document(query)
        with undoable_if(query.get("undo"), "import"):
            state.replace(document, query.get("team"))

    @blp.arguments(DocumentQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def post(self, query):
        """Add the rows of a document to the state.

        Either all rows are added or none. 409 if an id exists, 422 naming row and field for an invalid row, an unknown
        member, and in a document without `writtenBy` a link to a row that is not there.
        """
        document = _document(query)
        with undoable_if(query.get("undo"), "import"):
            state.extend(document, query.get("team"))


def _document(query: dict[str, Any]) -> documents.Document:
    """Return the body, of any size: a state with many logs exceeds the API's limit."""
    request.max_content_length = NO_LIMIT
    return documents.read(read_json(request, shallow=False), lenient=query.get("lenient", False))
