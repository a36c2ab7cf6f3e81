"""The whole state as one document: read it, put another in its place, add to it. Contract: state.md."""

from __future__ import annotations

from typing import Any

from flask import request
from flask.views import MethodView

from dryline.blueprints.base import json_response, read_json
from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.state import document as state
from dryline.state import forms as documents
from dryline.state.collections import COLLECTIONS
from dryline.storage.current_world import current

blp = ControlArea("Control: state", description="Everything there is, as one document.")

NO_LIMIT = 1 << 40
_SCHEMA = {
    "type": "object",
    "required": ["version"],
    "properties": {
        "version": {"type": "integer", "enum": [documents.VERSION], "description": "of the document's form"},
        "asOf": {
            "type": "string",
            "format": "date-time",
            "description": "the moment that the times are of: all are moved by whole weeks, so that it lies within the "
            "week before now, and rows that would lie ahead of the clock are left out",
        },
        **{
            name: {"type": "array", "items": {"type": "object"}, "description": documents.ROWS_DESCRIPTION}
            for name in COLLECTIONS
        },
    },
}
_BODY: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": _SCHEMA}}}


@blp.route("/state", get="getState", post="extendState", put="replaceState")
class State(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, documents.StateSchema)
    @blp.errors(404)
    def get(self, query):
        """Read the whole state, or one team's.

        What `PUT` takes: every row of every collection in the API's own form, plus the keys that link rows.
        """
        with current().reading():
            return json_response(state.export(query.get("team")))

    @blp.arguments(TeamQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def put(self, query):
        """Put a document in the place of everything, or of everything of one team.

        All or nothing. 422 naming row and member for a bad row: nothing has changed then.
        """
        state.replace(_document(), query.get("team"))

    @blp.arguments(TeamQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def post(self, query):
        """Add a document's rows to what is there.

        All or nothing. 409 for an id that exists, 422 naming row and member for a bad row.
        """
        state.extend(_document(), query.get("team"))


def _document() -> documents.Document:
    """The body, however large: a state with many logs is larger than what the API takes."""
    request.max_content_length = NO_LIMIT
    return documents.read(read_json(request, shallow=False), strict=current().live.strict)
