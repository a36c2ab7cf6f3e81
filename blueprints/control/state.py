"""The state document: read it, replace the state by one, add one. Contract: state.md."""

from typing import Any

from flask import request
from flask.views import MethodView

from dryline.blueprints.control.base import ControlArea, LenientQuery, TeamQuery, TeamUndoQuery, undoable_if
from dryline.state import document as state
from dryline.state import forms as documents
from dryline.state.collections import COLLECTIONS
from dryline.storage.current_world import current
from dryline.web.base import json_response, read_json

blp = ControlArea("Control: state", description="The whole state as one JSON document.")

NO_LIMIT = 1 << 40
_SCHEMA = {
    "type": "object",
    "required": ["version"],
    "properties": {
        "version": {"type": "integer", "enum": [documents.VERSION], "description": "version of the document's format"},
        "asOf": {
            "type": "string",
            "format": "date-time",
            "description": "reference time of the document: all times are moved by whole weeks so that it is in the "
            "week before now, and rows after the clock's time are left out",
        },
        "writtenBy": {
            "type": "string",
            "description": "program that wrote the document; its links may lead to rows that are gone, and unknown "
            "members of another version's are ignored",
        },
        **{
            name: {"type": "array", "items": {"type": "object"}, "description": documents.ROWS_DESCRIPTION}
            for name in COLLECTIONS
        },
    },
}
_BODY: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}


class DocumentQuery(TeamUndoQuery, LenientQuery):
    """The options of an import."""


@blp.route("/state", get="getState", post="extendState", put="replaceState")
class State(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, documents.StateSchema)
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
