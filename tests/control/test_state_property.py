"""Any state that is accepted survives: out, in and out again is the same to the byte."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from dryline.state.forms import forms
from dryline.tests.control.documents import of_north

FORMS = forms()

TEXTS = some.text(max_size=20).filter(lambda text: "\x00" not in text)
TIMES = some.datetimes().map(lambda moment: moment.isoformat(timespec="milliseconds") + "Z")
JSON = some.recursive(
    some.none()
    | some.booleans()
    | some.integers(-(2**53), 2**53)
    | some.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = some.dictionaries(TEXTS, JSON, max_size=3)
# Members that link rows, tell them apart or have a closed set of values are not changed.
KEPT = ("id", "type", "Id", "Ids", "_id", "status", "Type", "severity", "method", "format", "Sid", "timezone", "Users")
KEPT += ("TransferNumbers", "resourceKeys", "event")


@pytest.fixture(scope="module")
def client(module_app):
    return module_app.test_client()


@pytest.fixture(scope="module")
def full(client):
    """Return a state with one row in every collection, each with all members."""
    assert client.put("/_dryline/state", json=of_north()).status_code == 204
    return client.get("/_dryline/state").json


def another(draw, name, value):
    """Return some value of the same kind."""
    if name.endswith(KEPT) or isinstance(value, bool | type(None) | list):
        return value
    if isinstance(value, dict):
        return value if name in ("hours", "externalConfig", "profile", "changes", "call") else draw(OBJECTS)
    if isinstance(value, int | float):
        return draw(some.integers(1, 2**53))
    if len(value) == 24 and value.endswith("Z"):
        return draw(TIMES)
    return draw(TEXTS.filter(bool))


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=some.data())
def test_any_state_survives(client, full, data):
    sent = {"version": 1}
    for name in FORMS:
        sent[name] = [
            {key: another(data.draw, key, value) if name != "teams" else value for key, value in row.items()}
            for row in full[name]
        ]
    answer = client.put("/_dryline/state", json=sent)
    assert answer.status_code == 204, answer.text
    first = client.get("/_dryline/state")
    assert client.put("/_dryline/state", data=first.data, content_type="application/json").status_code == 204
    assert client.get("/_dryline/state").data == first.data
    for name in FORMS:
        if name not in ("teams", "exports"):
            assert first.json[name] == sent[name]
