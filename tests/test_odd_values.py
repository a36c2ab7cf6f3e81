"""An odd value in any place of a request: the answer is a described one, and what is taken can be loaded again."""

from __future__ import annotations

from copy import deepcopy
from itertools import product
from random import Random
from urllib.parse import quote

import pytest

from dryline.commands.remote.shapes import Shapes
from dryline.tests.contract import OPERATIONS, by_id, example, fill, parameters, whole
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, id_of, path_ids
from dryline.tests.control.documents import of_north

IDS = ["\0", "a\r\nb", "\u2028\ufeff", "\U0001f4de", "9" * 5000, "{{", "http://[", "%00", "../../x"]
TEXTS = [*IDS, "", "nan", "-inf", "1e400", "-1", "+1", "2026-02-30", "0001-01-01", "9999-12-31T23:59:59Z"]
NUMBERS = [0, -1, 1.5, -0.0, 5e-324, 1e308, -1e308, 2**63 - 1, 2**63, -(2**63), 2**64 - 1]
ODD = [*TEXTS, *NUMBERS, True, None, [], [[]], {}, {"\0": "\0"}]
# Beside these, each number gets the least that SQLite cannot store.
REQUESTS_OF_AN_OPERATION = 15
TOO_LARGE = 2**63


@pytest.fixture(scope="module")
def client(module_app):
    """Return a client of a stand-in with all kinds of rows, whose clock stands still."""
    client = module_app.test_client()
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    assert client.put("/_dryline/state", json=of_north()).status_code == 204
    assert client.post("/_dryline/snapshots", json={"name": "start"}).status_code == 201
    return client


@pytest.fixture(scope="module")
def document(client):
    return client.get("/openapi.json").json


@pytest.fixture
def call(client, document):
    """Return a function that calls an operation, and checks answer and state."""

    def call(operation, *ids, **sent):
        path = fill(operation["path"], *(ids or path_ids(operation["path"], NORTH)))
        answer = client.open(path, method=operation["method"], headers={"x-api-key": KEYS[NORTH]}, **sent)
        assert answer.status_code < 500, answer.text
        assert_described(document, operation, answer)
        if answer.status_code < 300 and operation["method"] != "GET":
            state = client.get("/_dryline/state")
            again = client.put("/_dryline/state", data=state.data, content_type="application/json")
            assert client.post("/_dryline/snapshots/start/restore").status_code == 204
            assert (state.status_code, again.status_code) == (200, 204), again.text

    return call


def assert_described(document, operation, answer):
    """Check that the document has an answer of this status and form."""
    responses = document["paths"][operation["path"]][operation["method"].lower()]["responses"]
    assert str(answer.status_code) in responses, answer.text
    response = responses[str(answer.status_code)]
    if "$ref" in response:
        response = document["components"]["responses"][response["$ref"].rpartition("/")[2]]
    assert answer.mimetype in response.get("content", {}) or not answer.data
    if answer.mimetype == "application/json":
        schema = response["content"]["application/json"]["schema"]
        assert list(Shapes(document).deviations(schema, answer.json)) == []


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


def value_at(body, steps):
    for step in steps:
        body = body[step]
    return body


def planted(body, steps, odd):
    """Return the body with another value at a place."""
    if not steps:
        return odd
    body = deepcopy(body)
    value_at(body, steps[:-1])[steps[-1]] = odd
    return body


def some(operation, places, values):
    """Return some pairs of a place and an odd value, from run to run the same ones."""
    return Random(operation["id"]).choices(list(product(places, values)), k=REQUESTS_OF_AN_OPERATION)


def required_query(operation):
    return {field["name"]: own(field["name"], example(field)) for field in operation["query"] if field["required"]}


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one["body"]], ids=by_id)
def test_in_a_body(call, operation):
    fields = [field for field in operation["body"]["fields"] or () if not field["name"].startswith("<")]
    body = {field["name"]: own(field["name"], whole(field)) for field in fields}
    numeric = [steps for steps in places(body) if type(value_at(body, steps)) in (int, float)]
    for steps, odd in [*product(numeric, [TOO_LARGE]), *some(operation, places(body), ODD)]:
        call(operation, json=planted(body, steps, odd), query_string=required_query(operation))


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one["query"]], ids=by_id)
def test_in_a_query(call, operation):
    names = [field["name"] for field in operation["query"]]
    numeric = [field["name"] for field in operation["query"] if field["type"] in ("integer", "number")]
    for name, odd in [*product(numeric, [TOO_LARGE]), *some(operation, names, [*TEXTS, *NUMBERS])]:
        call(operation, query_string={**required_query(operation), name: odd})


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if parameters(one["path"])], ids=by_id)
def test_in_a_path(call, operation):
    ids = path_ids(operation["path"], NORTH)
    for place, odd in product(range(len(ids)), IDS):
        call(operation, *[quote(odd, safe="") if at == place else id for at, id in enumerate(ids)])
