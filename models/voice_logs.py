"""Logs of voice calls."""

from peewee import IntegerField, TextField

from dryline.models.channels import VOICE
from dryline.models.logs import Log, collection_of
from dryline.storage.record import JsonField

# The `status` of a call that has ended. All but `completed` are assumed.
OUTCOMES = ("completed", "transferred", "voicemail", "no-answer", "busy", "failed")


class VoiceLog(Log):
    """One call. `duration` is in seconds; `transfer_data` is the whole transfer record or None."""

    channel = VOICE
    session = "bb_engine_session_id"
    call = "call_sid"

    type = TextField(default=channel.type)
    status = TextField(null=True)
    bb_engine_session_id = TextField(null=True)
    external_call_id = TextField(null=True)
    direction = TextField(null=True)
    from_number = TextField(null=True)
    to_number = TextField(null=True)
    transcription = TextField(null=True)
    recording_url = TextField(null=True)
    data = JsonField(null=True)
    telephony_source = TextField(null=True)
    call_sid = TextField(null=True)
    duration = IntegerField(null=True)
    success_results = JsonField(null=True)
    transfer_data = JsonField(null=True)


STATE = {"voiceLogs": collection_of(VoiceLog)}
