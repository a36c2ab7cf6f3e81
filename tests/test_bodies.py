"""Bodies and queries over all operations of the contract: members that may be left out, unknown names, wrong values."""

from __future__ import annotations

from copy import deepcopy

import pytest

from dryline.tests.contract import OPERATIONS, by_id, example_request, fill, whole
from dryline.tests.contract.two_teams import KEYS, NORTH, REFERENCES, document, id_of, path_ids

BY_ID = {operation["id"]: operation for operation in OPERATIONS}
WITH_BODY = [operation for operation in OPERATIONS if operation["body"]]
# A creation's members that must be there and may be null.
NULLABLE = [
    pytest.param(operation, field["name"], id=f"{operation['id']}-{field['name']}")
    for operation in WITH_BODY
    if operation["method"] == "POST"
    for field in operation["body"]["fields"] or ()
    if field["required"] and field["nullable"]
]


def members(fields, steps=()):
    """Yield the steps to each member of a body at any depth, and its description."""
    for field in fields or ():
        if field["name"].startswith("<"):  # stands for any further member
            continue
        here = (*steps, field["name"])
        yield here, field
        inner = (0,) if field["type"].startswith("array") else ()
        inner = ("key",) if field.get("meaning", "").startswith("map: ") else inner
        yield from members(field.get("fields"), (*here, *inner))


def place(body, steps):
    for step in steps:
        body = body[step]
    return body


@pytest.fixture(scope="module")
def app(module_app):
    """One stand-in for all of these tests, with a row in every collection of two teams."""
    client = module_app.test_client()
    assert client.put("/_dryline/state", json=document()).status_code == 204
    return module_app


@pytest.fixture(scope="module")
def start(app):
    return app.test_client().get("/_dryline/state").data


@pytest.fixture
def client(app, start):
    """Yield a client of the stand-in in its first state."""
    client = app.test_client()
    yield client
    if client.get("/_dryline/state").data != start:
        assert client.put("/_dryline/state", data=start, content_type="application/json").status_code == 204


@pytest.fixture
def send(client):
    """Return a function that sends a body to an operation."""

    def send(operation, body, *, strict=False, query=None):
        client.put("/_dryline/settings", json={"strict": strict})
        path = fill(operation["path"], *path_ids(operation["path"], NORTH))
        headers = {"x-api-key": KEYS[NORTH]}
        return client.open(path, method=operation["method"], json=body, query_string=query, headers=headers)

    return send


def body_of(operation):
    """Return a body with the required members only, whose references lead to rows."""
    return {
        name: id_of(NORTH, REFERENCES[name]) if name in REFERENCES and isinstance(value, str) else value
        for name, value in example_request(operation)["json"].items()
    }


def whole_body(operation, name):
    """Return a body with the required members and all of one further member."""
    top = next(field for field in operation["body"]["fields"] if field["name"] == name)
    return body_of(operation) | {name: whole(top)}


@pytest.mark.parametrize(("operation", "name"), NULLABLE)
def test_a_creation_may_leave_out_what_may_be_null_but_not_with_strict(send, operation, name):
    body = body_of(operation) | {name: None}
    assert send(operation, body, strict=True).status_code == 201
    del body[name]
    answer = send(operation, body, strict=True)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [name])
    answer = send(operation, body)
    assert (answer.status_code, answer.json[name]) == (201, None)


def takes_any_member(field):
    # The record's note lets externalConfig have further members, `<any>` says it of others.
    return field["name"] == "externalConfig" or any(one["name"].startswith("<") for one in field["fields"])


OBJECTS = [
    pytest.param(operation, steps, field, id=f"{operation['id']}-{'.'.join(map(str, steps))}")
    for operation in WITH_BODY
    for steps, field in members(operation["body"]["fields"])
    if field.get("fields") and not takes_any_member(field)
]


@pytest.mark.parametrize(("operation", "steps", "field"), OBJECTS)
def test_an_unknown_member_is_ignored_or_with_strict_refused_at_every_depth(send, operation, steps, field):
    if field["type"].startswith("array"):
        steps = (*steps, 0)
    elif field.get("meaning", "").startswith("map: "):
        steps = (*steps, "key")
    body = whole_body(operation, steps[0])
    assert send(operation, body, strict=True).status_code < 300
    place(body, steps)["shoeSize"] = 43
    answer = send(operation, body, strict=True)
    where = ".".join([*map(str, steps), "shoeSize"])
    assert answer.status_code == 400
    assert [(detail["path"], detail["message"]) for detail in answer.json["details"]] == [(where, "Unknown field.")]
    assert send(operation, body).status_code < 300


@pytest.mark.parametrize("operation", OPERATIONS, ids=by_id)
def test_an_unknown_parameter_is_ignored_and_logged_or_with_strict_refused(client, operation):
    path = fill(operation["path"], *path_ids(operation["path"], NORTH))
    request = example_request(operation) | {"headers": {"x-api-key": KEYS[NORTH]}, "method": operation["method"]}
    if operation["body"]:
        request["json"] = body_of(operation)
    request["query_string"] = request.get("query_string", {}) | {"shoeSize": "43"}
    client.put("/_dryline/settings", json={"strict": True})
    answer = client.open(path, **request)
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "shoeSize")
    client.put("/_dryline/settings", json={"strict": False})
    answer = client.open(path, **request)
    assert "shoeSize" not in answer.text
    noted, refused = [entry["ignored"] for entry in client.get("/_dryline/requests?limit=2").json]
    assert (noted, refused) == (["shoeSize"] if answer.status_code < 400 else [], [])


def test_strict_takes_any_member_where_the_contract_does(send):
    row = {"id": "1", "phoneNumber": "+14155550142", "city": "Oslo"}
    assert send(BY_ID["runVoiceV1Campaign"], {"data": [row]}, strict=True).status_code == 200
    answer = send(BY_ID["updateVoiceDeployment"], {"externalConfig": {"newerThanThis": 1}}, strict=True)
    assert answer.json["externalConfig"]["newerThanThis"] == 1


WRONG = {"string": 7, "number": "x", "integer": "x", "boolean": "yes", "object": 7}
WRONG_ITEMS = {"array of string": [[7]], "array of object": [["x"]]}
# The contract's notes: the vendor's example has none, and gets its 201.
MAY_LACK = {"createVoiceV1Deployment": {"config"}}


@pytest.mark.parametrize("operation", WITH_BODY, ids=by_id)
def test_a_member_of_a_wrong_type_is_refused_by_its_place_at_every_depth(send, operation):
    for steps, field in members(operation["body"]["fields"]):
        if field["type"] == "any":
            continue
        values = [WRONG.get(field["type"], "x"), *WRONG_ITEMS.get(field["type"], [])]
        values += ["no such choice"] if field.get("enum") else []
        values += [] if len(steps) > 1 or field["nullable"] else [None]
        body, where = whole_body(operation, steps[0]), ".".join(map(str, steps))
        for value in values:
            wrong = deepcopy(body)
            place(wrong, steps[:-1])[steps[-1]] = value
            answer = send(operation, wrong)
            assert answer.status_code == 400, (where, value)
            assert answer.json["details"][0]["path"] in (where, f"{where}.0", f"{where}.0.0")
        if len(steps) > 1 and field["required"]:
            del place(body, steps[:-1])[steps[-1]]
            assert [detail["path"] for detail in send(operation, body).json["details"]] == [where]


@pytest.mark.parametrize("operation", WITH_BODY, ids=by_id)
def test_the_members_that_an_empty_body_lacks_are_named(send, operation):
    fields = operation["body"]["fields"] or ()
    required = {field["name"] for field in fields if field["required"] and not field["nullable"]}
    answer = send(operation, {})
    named = {detail["path"] for detail in answer.json.get("details", ())} if answer.status_code == 400 else set()
    assert named == required - MAY_LACK.get(operation["id"], set())


UPDATES = [one for one in WITH_BODY if one["method"] in ("PATCH", "PUT") or one["id"] == "moveResource"]


@pytest.mark.parametrize("operation", UPDATES, ids=by_id)
def test_an_update_needs_a_body(client, operation):
    path = fill(operation["path"], *path_ids(operation["path"], NORTH))
    answer = client.open(path, method=operation["method"], headers={"x-api-key": KEYS[NORTH]})
    assert (answer.status_code, answer.json["error"]) == (400, "The body must be a JSON object.")


CHECKPOINT = {"name": "Greets", "description": "Says hello", "runs": 3, "tolerance": 1}
ROW = {"id": "1", "phoneNumber": "+14155550142"}


@pytest.mark.parametrize(
    ("name", "body", "path"),
    [
        ("updateChatDeployment", {"modelConfig": {"a": 1}}, "modelConfig.a"),
        ("updateVoiceDeployment", {"externalConfig": {"boostedKeywords": [1]}}, "externalConfig.boostedKeywords.0"),
        ("updateVoiceV1Deployment", {"config": "[1]"}, "config"),
        ("createDeploymentParameter", {"name": "a", "value": None}, "value"),
        ("createTest", {"checkpoints": [CHECKPOINT | {"runs": -1}]}, "checkpoints.0.runs"),
        ("updateTest", {"checkpoints": [CHECKPOINT, {"name": "A"}]}, "checkpoints.1.description"),
        ("createFileResource", {"size": 2**63}, "size"),
        ("queryResources", {"queryParams": {"topK": 0}}, "queryParams.topK"),
        ("purchasePhoneNumbers", {"phoneNumbers": ["+14155550101", "front desk"]}, "phoneNumbers.1"),
        ("createOutboundCampaign", {"batch_size": 1.5}, "batch_size"),
        ("makeVoiceBatchCalls", {"batch_interval_minutes": -1}, "batch_interval_minutes"),
        ("makeVoiceBatchCalls", {"data": [{"phoneNumber": [1]}]}, "data.0.phoneNumber"),
        ("makeVoiceBatchCalls", {"condition": "__import__('os')"}, "condition"),
        ("makeVoiceV1BatchCalls", {"data": [{"id": "1"}]}, "data.0.phoneNumber"),
        *(
            ("makeVoiceV1BatchCalls", {"data": [ROW], "batch_size": number}, "batch_size")
            for number in ("nan", "", "x")
        ),
        ("runVoiceV1Campaign", {"data": [ROW | {"id": ""}]}, "data.0.id"),
        ("createExport", {"logType": "email"}, "logType"),
        ("createExport", {"filtersJson": "{"}, "filtersJson"),
    ],
)
def test_a_value_that_a_member_cannot_have_is_refused_by_its_place(send, name, body, path):
    answer = send(BY_ID[name], body_of(BY_ID[name]) | body)
    assert answer.status_code == 400
    assert path in {detail["path"] for detail in answer.json["details"]}


# Values that a parameter of each type cannot have.
NOT_IN_A_QUERY = {
    "number": ["x", ""],
    "integer": ["x", "1.5"],
    "boolean": ["perhaps"],
    "timestamp": ["yesterday", "2026-02-30"],
}
# Their limit may be 0: the answer is the number of rows alone.
MAY_COUNT_ONLY = ("listLlmLogs", "listRuntimeErrors")


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one["query"]], ids=by_id)
def test_a_parameter_that_cannot_be_or_lacks_is_refused_by_name(send, operation):
    query = example_request(operation).get("query_string", {})
    for field in operation["query"]:
        values = list(NOT_IN_A_QUERY.get(field["type"], []))
        values += ["no such choice"] * bool(field.get("enum"))
        values += ["101"] * (field["name"] == "limit")
        if operation["id"] not in MAY_COUNT_ONLY:
            values += ["0"] * (field["name"] in ("page", "limit"))
        values += ["-1"] * (field["name"] == "offset")
        for sent in [query | {field["name"]: value} for value in values] + [{}] * field["required"]:
            answer = send(operation, None, query=sent)
            assert answer.status_code == 400, sent
            assert field["name"] in {detail["path"] for detail in answer.json["details"]}
