"""Sessions of the engine: what ran behind a conversation."""

from peewee import FloatField, IntegerField, TextField

from dryline.models.collection import FLOW, WORKER, StateCollection
from dryline.models.open_json import OpenJsonRecord
from dryline.storage.record import JsonField


class Session(OpenJsonRecord):
    """One run of a flow, which a log refers to (`Log.session`). It is deleted with its worker and with its log."""

    id_prefix = "session"

    worker_id = TextField()
    flow_id = TextField(null=True)
    status = TextField(null=True)
    state = JsonField(null=True)
    messages = JsonField(null=True)
    trace = JsonField(null=True)
    input_tokens = IntegerField(null=True)
    output_tokens = IntegerField(null=True)
    minutes = FloatField(null=True)
    session_start = TextField(null=True)
    session_end = TextField(null=True)
    error = JsonField(null=True)


STATE = {
    "sessions": StateCollection(Session, required_links=WORKER, optional_links=FLOW, sorted_by=("session_start", "id"))
}
