"""The life of a record, for every kind that the contract can create: read, list, update, delete."""

from __future__ import annotations

import re

import pytest

from dryline.tests.conftest import created
from dryline.tests.contract import OPERATIONS, example_request, fill
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids

BY_ROUTE = {(operation["method"], re.sub(r"{\w+}", "{}", operation["path"])): operation for operation in OPERATIONS}
# A text that an update may change, by preference.
TEXTS = ("name", "label", "description", "value", "notes")
VERBS = ("GET", "PATCH", "PUT", "DELETE")


def creations(needs):
    """Return the routes of creations for whose records `needs` holds."""
    return [
        pytest.param(route, id=operation["id"])
        for (method, route), operation in BY_ROUTE.items()
        if method == "POST" and operation["id"] != "assignTag"
        if any((verb, f"{route}/{{}}") in BY_ROUTE for verb in VERBS) and needs(route)
    ]


def has(verb):
    """Return a function that tells whether one record can be requested with this method."""
    return lambda route: (verb, f"{route}/{{}}") in BY_ROUTE


def is_listed(route):
    """Return whether the records have a list. A team has one unfinished export at most."""
    return ("GET", route) in BY_ROUTE and route != "/api/team/exports"


def update(route):
    """Return the method of an update and a text that it may change, None if there is none."""
    for verb in ("PATCH", "PUT"):
        operation = BY_ROUTE.get((verb, f"{route}/{{}}"))
        fields = operation["body"]["fields"] if operation else ()
        names = {field["name"] for field in fields if field["type"] == "string" and not field.get("enum")}
        if name := next((name for name in TEXTS if name in names), None):
            return verb, name
    return None


class Collection:
    """The records of one kind, in a team that has a row of each kind."""

    def __init__(self, client, route):
        self.client, self.route = client, route
        assert client.put("/_dryline/state", json=document()).status_code == 204
        path = BY_ROUTE["POST", route]["path"]
        self.path = fill(path, *path_ids(path, NORTH))

    def call(self, method, path="", **kwargs):
        return self.client.open(self.path + path, method=method, headers={"x-api-key": KEYS[NORTH]}, **kwargs)

    def create(self, text):
        example = example_request(BY_ROUTE["POST", self.route])["json"]
        body = {name: self._value(name, value, text) for name, value in example.items()}
        return created(self.call("POST", json=body))

    def listed(self):
        answer = self.call("GET").json
        return [row["id"] for row in (answer if isinstance(answer, list) else answer["data"])]

    def _value(self, name, value, text):
        if name in REFERENCES and isinstance(value, str):
            return id_of(NORTH, REFERENCES[name])
        return text if value == "x" else "+1415555018" + str(len(text)) if name == "phoneNumber" else value


@pytest.fixture
def collection(module_app, request):
    return Collection(module_app.test_client(), request.param)


def each(needs):
    """Return a decorator that runs a test for each kind of record for which `needs` holds."""
    return pytest.mark.parametrize("collection", creations(needs), indirect=True)


@each(has("GET"))
def test_a_created_record_can_be_read_again(collection):
    made = collection.create("a")
    assert collection.call("GET", f"/{made['id']}").json == made


@each(is_listed)
def test_records_are_listed_newest_first(collection):
    ids = [collection.create(text)["id"] for text in ("a", "bb", "ccc")]
    assert [id for id in collection.listed() if id in ids] == ids[::-1]


@each(update)
def test_an_update_changes_only_what_is_sent(collection):
    made, (verb, name) = collection.create("a"), update(collection.route)
    changed = collection.call(verb, f"/{made['id']}", json={name: "New"}).json
    assert changed == made | {name: "New", "updatedAt": changed["updatedAt"]}


@each(has("DELETE"))
def test_a_deleted_record_is_gone(collection):
    made = collection.create("a")
    answer = collection.call("DELETE", f"/{made['id']}")
    assert (answer.status_code, answer.data) == (204, b"")
    assert collection.call("DELETE", f"/{made['id']}").status_code == 404
    if is_listed(collection.route):
        assert made["id"] not in collection.listed()
    if has("GET")(collection.route):
        assert collection.call("GET", f"/{made['id']}").status_code == 404
