"""A world in which time stands still, with calls to be listened to."""

import io
import itertools
import wave
from array import array
from urllib.parse import quote

import pytest

from dryline.schemas.voice_logs import VoiceLogSchema
from dryline.settings import Settings
from dryline.tests.recordings.calls import CALL, RATE


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, speech="tones")


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": "2026-01-02T12:30:00Z", "frozen": True})


@pytest.fixture
def simulate(api, control, line):
    """Make a call. Returns its log as the API shows it."""

    def simulate(**body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "outcome": "completed"} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        return api.get(f"/logs/{answer.json['ids'][0]}").json

    return simulate


@pytest.fixture
def add_call(api, control, line):
    """Put a call into the world with a state document. Returns its log as the API shows it."""
    names = {attribute: name for name, attribute in VoiceLogSchema().wire_names.items()}
    number = itertools.count(1)

    def add(**columns):
        columns = {"id": f"log_{next(number)}", **CALL, "deployment_id": line["id"], **columns}
        row = {"workerId": line["workerId"], **{names[column]: value for column, value in columns.items()}}
        answer = control.post("/state", {"version": 1, "voiceLogs": [row]})
        assert answer.status_code == 204, answer.text
        return api.get(f"/logs/{quote(columns['id'], safe='')}").json

    return add


@pytest.fixture
def fetch(app):
    """Fetch an address, without a key."""
    return lambda url, method="GET", **headers: app.test_client().open(
        url, method=method, headers=headers, buffered=True
    )


@pytest.fixture
def listen(fetch):
    """Return the two channels behind an address, and their rate."""

    def listen(log):
        answer = fetch(log["recordingUrl"])
        assert (answer.status_code, answer.content_type) == (200, "audio/wav"), answer.text
        with wave.open(io.BytesIO(answer.data)) as file:
            assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, RATE, 2)
            samples = array("h", file.readframes(file.getnframes()))
        return samples[0::2], samples[1::2]

    return listen


@pytest.fixture
def files(app):
    """Return the stored recordings by name."""
    return lambda: sorted(path.name for path in (app.world.directory / "recordings").glob("*"))
