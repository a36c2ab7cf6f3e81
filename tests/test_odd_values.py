"""An odd value in any place of a request: never a fault of ours, and what is taken can be put away and brought back."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.contract import OPERATIONS, by_id, example, fill, whole
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids

TEXTS = [
    "",
    "\0",
    "a\r\nb",
    "\u2028\ufeff",
    "\U0001f4de",
    "nan",
    "-inf",
    "1e400",
    "-1",
    "9" * 5000,
    "{{",
    "http://[",
    "%00",
]
TEXTS += ["2026-02-30", "0001-01-01", "9999-12-31T23:59:59Z", "+1", "../../x"]
NUMBERS = [0, -1, 1.5, -0.0, 5e-324, 1e308, -1e308, 2**63 - 1, 2**63, -(2**63), 2**64 - 1]
ODD = some.sampled_from([*TEXTS, *NUMBERS, True, None, [], [[]], {}, {"\0": "\0"}])
FEW = settings(
    max_examples=15,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def client():
    """Yield a stand-in with two teams, whose clock stands still, for all of these tests."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    client = app.test_client()
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    yield client
    app.close()


@pytest.fixture
def call(client):
    """Return a function that calls an operation as a team with all kinds of rows, and checks answer and state."""
    start = document()
    assert client.put("/_dryline/state", json=start).status_code == 204

    def call(operation, **sent):
        path = fill(operation["path"], *path_ids(operation["path"], NORTH))
        answer = client.open(path, method=operation["method"], headers={"x-api-key": KEYS[NORTH]}, **sent)
        assert answer.status_code < 500, answer.text
        if answer.status_code < 300 and operation["method"] != "GET":
            state = client.get("/_dryline/state")
            assert state.status_code == 200
            again = client.put("/_dryline/state", data=state.data, content_type="application/json")
            assert again.status_code == 204, again.text
            client.put("/_dryline/state", json=start)

    return call


def own(name, value):
    """Return the value, or, where it refers to a row, one of the team's."""
    if name not in REFERENCES or isinstance(value, dict):
        return value
    id = id_of(NORTH, REFERENCES[name])
    return [id] if isinstance(value, list) else id


def places(value, steps=()):
    """Yield the steps to every value within a value."""
    yield steps
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, one in inner:
        yield from places(one, (*steps, step))


def planted(body, steps, odd):
    """Return the body with another value at a place."""
    if not steps:
        return odd
    body = deepcopy(body)
    inside = body
    for step in steps[:-1]:
        inside = inside[step]
    inside[steps[-1]] = odd
    return body


def required_query(operation):
    return {field["name"]: own(field["name"], example(field)) for field in operation["query"] if field["required"]}


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one["body"]], ids=by_id)
def test_in_a_body(call, operation):
    fields = [field for field in operation["body"]["fields"] or () if not field["name"].startswith("<")]
    body = {field["name"]: own(field["name"], whole(field)) for field in fields}

    @given(steps=some.sampled_from(list(places(body))), odd=ODD)
    @FEW
    def plant(steps, odd):
        call(operation, json=planted(body, steps, odd), query_string=required_query(operation))

    plant()


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one["query"]], ids=by_id)
def test_in_a_query(call, operation):
    names = [field["name"] for field in operation["query"]]

    @given(name=some.sampled_from(names), odd=some.sampled_from([*TEXTS, *NUMBERS]))
    @FEW
    def plant(name, odd):
        call(operation, query_string={**required_query(operation), name: odd})

    plant()
