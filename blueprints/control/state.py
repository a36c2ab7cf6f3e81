"""The state document: read it, replace the state by one, add one. The reset to a scenario. Contract: state.md."""

from typing import Any

from flask import request
from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea, LenientQuery, TeamQuery, UndoQuery, undo_name
from dryline.schemas.base import ApiSchema, Integer, JsonObject
from dryline.state import changes, parsing
from dryline.state import document as state
from dryline.state.collections import COLLECTIONS
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.web.base import read_json
from dryline.web.files import written_response

blp = ControlArea("Control: state", description="The whole state as one JSON document, and the reset.")

NO_LIMIT = 1 << 40


ROWS = {"description": "its rows in the API's form, with the keys that link them"}
WRITER = {"description": "program that wrote the document; its links may lead to rows that are gone"}
VERSION = {"description": "version of the format"}
StateSchema = ApiSchema.from_dict(
    {
        "version": Integer(required=True, validate=validate.Equal(parsing.VERSION), metadata=VERSION),
        "written_by": fields.String(metadata=WRITER),
        **{name: fields.List(JsonObject(), data_key=name, metadata=ROWS) for name in COLLECTIONS},
    },
    name="StateSchema",
)
StateSchema.__doc__ = "The whole state: a list of rows for each collection."
_BODY: dict[str, Any] = {"required": True, "content": {"application/json": {"schema": StateSchema}}}


class DocumentQuery(TeamQuery, UndoQuery, LenientQuery):
    """The options of an import."""


class ResetBody(ApiSchema):
    """The scenario to reset to."""

    scenario = fields.String(
        metadata={"description": "name of a scenario or path of a state document; default: that of the server's start"}
    )


class ResetQuery(TeamQuery, LenientQuery):
    """The team that is reset, or whether mistakes of the scenario are ignored."""


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
            return written_response(lambda file: state.write(file, query.get("team_id")))

    @blp.arguments(DocumentQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def put(self, query):
        """Replace the state of the world, or of one team.

        Either the whole document is stored or nothing changes. 422 naming row and field for an invalid row, an unknown
        member, and in a document without `writtenBy` a link to a row that is not there.
        """
        document = _read_document(query)
        undo = undo_name(query.get("undo"), "import")
        changes.replace(current(), document, query.get("team_id"), undo=undo)

    @blp.arguments(DocumentQuery, location="query")
    @blp.doc(requestBody=_BODY)
    @blp.response(204)
    @blp.errors(404, 409, 413, 415, 422)
    def post(self, query):
        """Add the rows of a document to the state.

        Either all rows are added or none. 409 if an id exists, 422 as for `replaceState`.
        """
        document = _read_document(query)
        undo = undo_name(query.get("undo"), "import")
        changes.extend(current(), document, query.get("team_id"), undo=undo)


@blp.route("/reset", post="resetState")
class Reset(MethodView):
    @blp.arguments(ResetQuery, location="query")
    @blp.arguments(ResetBody)
    @blp.response(204)
    @blp.errors(404)
    def post(self, query, body):
        """Reset to the initial scenario.

        This resets data, clock, ids, settings, faults, the request log and export files, and keeps a snapshot for
        `undoLastChange`, except on a temporary server. With `team`, only that team's data, faults and requests are
        deleted; the team keeps its name and keys.
        """
        world = current()
        if "team_id" in query and "scenario" in body:
            raise Invalid("A team's reset leaves it empty, without a scenario.", "scenario")
        undo = undo_name(True, "reset")
        if "team_id" in query:
            changes.reset_team(world, query["team_id"], undo=undo)
        else:
            changes.reset(world, body.get("scenario"), lenient=query.get("lenient"), undo=undo)


def _read_document(query: dict[str, Any]) -> parsing.Document:
    """Return the body, of any size: a state with many logs exceeds the API's limit."""
    request.max_content_length = NO_LIMIT
    return parsing.parse_document(read_json(request, shallow=False), lenient=query.get("lenient", False))
