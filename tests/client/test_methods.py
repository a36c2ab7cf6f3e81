"""Every method of the vendor's client with every parameter, for a team with a row in every collection."""

from __future__ import annotations

import inspect
import json
import re

import httpx
import pytest
from brainbase_labs import BrainbaseLabs
from brainbase_labs._resource import SyncAPIResource

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.client.conftest import connector
from dryline.tests.conftest import serve
from dryline.tests.contract import OPERATIONS, example, fill, parameters, whole
from dryline.tests.contract.two_teams import KEYS, NORTH, NUMBER, REFERENCES, document, id_of, path_ids

# Every method takes these; they concern the transport.
TRANSPORT = {"self", "extra_headers", "extra_query", "extra_body", "timeout"}
# They take files, and have tests of their own.
OF_FILES = {"workers.resources.file.create": None, "workers.flows.create": "path", "workers.flows.update": "path"}

# Values that the contract's examples lack.
FITTING = {
    "timezone": "UTC",
    "areaCode": "415",
    "contains": "415",
    "folderName": f"{NORTH} name",
    "config": "{}",
    "variables": "{}",
}


def methods():
    """Return each method's dotted name and the names of its parameters."""
    names = {}

    def walk(part, prefix):
        for name, attribute in inspect.getmembers_static(type(part)):
            if name.startswith(("_", "with_")):
                continue
            if inspect.isfunction(attribute) and isinstance(part, SyncAPIResource):
                names[prefix + name] = [
                    each for each in inspect.signature(attribute).parameters if each not in TRANSPORT
                ]
            elif isinstance(resource := getattr(part, name, None), SyncAPIResource):
                walk(resource, f"{prefix}{name}.")

    with BrainbaseLabs(api_key="x", base_url="http://localhost") as client:
        walk(client, "")
    return names


METHODS = methods()


def method_of(client, name):
    for part in name.split("."):
        client = getattr(client, part)
    return client


def request_of(method, arguments):
    """Return the request that a method would send."""
    sent = []

    def answer(request):
        sent.append(request)
        return httpx.Response(204)

    with (
        httpx.Client(transport=httpx.MockTransport(answer)) as http,
        BrainbaseLabs(api_key="x", base_url="http://localhost", http_client=http) as client,
    ):
        method_of(client, method)(**arguments)
    return sent[-1]


def operation_of(request):
    """Return the operation of the contract that a request is for: the path with the fewest parameters."""
    matching = [
        operation
        for operation in OPERATIONS
        if operation["method"] == request.method
        if re.fullmatch(re.sub(r"{\w+}", "[^/]+", operation["path"]), request.url.path)
    ]
    return min(matching, key=lambda operation: len(parameters(operation["path"])))


def own(name, value):
    """Return the value, or one that fits the team's rows."""
    if name in FITTING and isinstance(value, str):
        return FITTING[name]
    if name not in REFERENCES or isinstance(value, dict):
        return value
    id = id_of(NORTH, REFERENCES[name])
    return [id] if isinstance(value, list) else id


def python_names(value, field):
    """Return a value with the names that the client's types have for its members."""
    if isinstance(value, list):
        return [python_names(one, field) for one in value]
    known = {inner["name"]: inner for inner in field.get("fields") or ()}
    if field.get("meaning", "").startswith("map: "):
        return {key: python_names(one, field | {"meaning": ""}) for key, one in value.items()}
    if not known or not isinstance(value, dict):
        return value
    return {
        re.sub("(?<=[a-z0-9])([A-Z])", r"_\1", name).lower(): python_names(one, known[name])
        for name, one in value.items()
    }


class Call:
    """A call of a method with a value for each parameter. `body` and `query` are what it should send."""

    def __init__(self, name):
        self.name, self.body, self.query = name, {}, {}
        names = [each for each in METHODS[name] if each != OF_FILES.get(name)]
        request = request_of(name, {each: each for each in names})  # shows which parameter goes where
        self.operation = operation_of(request)
        path = re.sub(r"{\w+}", "([^/]+)", self.operation["path"])
        in_path = re.fullmatch(path, request.url.path).groups()
        self.arguments = dict(zip(in_path, path_ids(self.operation["path"], NORTH), strict=True))
        for field in self.operation["query"]:
            if field["name"] in request.url.params:
                value = own(field["name"], example(field))
                self.query[field["name"]] = value
                self.arguments[request.url.params[field["name"]]] = value
        sent = json.loads(request.content) if request.content else {}
        if sent == "body":
            self.arguments["body"] = self.body = {"eventType": "afterRequestHook", "metadata": {"callId": "c"}}
        for field in (self.operation["body"] or {}).get("fields") or ():
            if field["name"] in sent and sent != "body":
                value = own(field["name"], whole(field))
                self.body[field["name"]] = value
                self.arguments[sent[field["name"]]] = python_names(value, field)
        if name == "workers.check_callable":
            self.body["phoneNumber"] = self.arguments["phone_number"] = NUMBER
        assert self.arguments.keys() == set(names)


@pytest.fixture(scope="module")
def served():
    """Serve an application with both teams on a port."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1, port=0, threads=1))
    plane = app.test_client()
    plane.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    assert plane.put("/_dryline/state", json=document()).status_code == 204
    with serve(app) as server:
        yield plane, server.url
    app.close()


@pytest.fixture(scope="module")
def start(served):
    """Return the state before the first test."""
    return served[0].get("/_dryline/state").text


@pytest.fixture
def plane(served, start):
    """Yield a client of the control plane. What a test changed is put back after it."""
    plane, _ = served
    plane.delete("/_dryline/requests")
    yield plane
    if plane.get("/_dryline/state").text != start:
        assert plane.put("/_dryline/state", data=start, content_type="application/json").status_code == 204


@pytest.fixture(scope="module")
def client(served):
    """Yield one client for all methods: a new one takes as long as ten requests."""
    with connector("sync") as connect:
        yield connect(served[1], KEYS[NORTH])


@pytest.mark.parametrize("name", [name for name in METHODS if OF_FILES.get(name, "") is not None])
def test_a_method_sends_what_the_contract_says_and_understands_the_answer(plane, client, name):
    call = Call(name)
    answer = method_of(client, name)(**call.arguments)
    (request,) = plane.get("/_dryline/requests").json
    path = fill(call.operation["path"], *path_ids(call.operation["path"], NORTH))
    assert (request["method"], request["path"]) == (call.operation["method"], path)
    assert request["status"] < 300
    assert (request["query"].keys(), request["ignored"]) == (call.query.keys(), [])
    sent = request_of(name, call.arguments).content  # the log masks secrets
    assert json.loads(sent or b"{}") == call.body
    answered = answer.to_dict() if hasattr(answer, "to_dict") else {}
    texts = {member: value for member, value in call.body.items() if isinstance(value, str | bool)}
    for member in texts.keys() & answered.keys():
        if not isinstance(answered[member], dict):  # some texts are JSON, which is answered as an object
            assert answered[member] == texts[member]


def test_the_clients_methods_are_all_known():
    assert len(METHODS) == 127
