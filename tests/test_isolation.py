"""Two teams, one row each in every collection: nothing of one is visible or reachable to the other."""

from __future__ import annotations

import json

import pytest

from dryline.tests.contract import OPERATIONS, by_id, example_request, fill, parameters
from dryline.tests.contract.two_teams import KEYS, NORTH, NUMBER, REFERENCES, SOUTH, TEAMS, document, id_of, path_ids

# A call or session that has no logs is an empty list (contract), so another team's is too.
EMPTY_WHERE_UNKNOWN = {"listLlmLogsByCall": [], "deleteLlmLogsByCall": None, "listLlmLogsBySession": []}

# Answers that are about nothing that a team has. A team's one resource is a link.
NAMES_NO_ROW = {"listAvailablePhoneNumbers", "getSubaccountCredentials", "getResourceUploadUrl", "listFileResources"}

# Where deploymentId means another kind than a voice deployment.
DEPLOYMENTS = {"listChatLogs": "chatDeployments", "listChatEmbedLogs": "chatEmbedDeployments"}

# Members and parameters that narrow what is found, or that the contract says are not looked up.
NOT_LOOKED_UP = {
    ("createOutboundCampaign", "team_id"),
    ("createEchoSuite", "scorecardIds"),
    ("updateEchoSuite", "scorecardIds"),
    ("queryResources", "resources"),
    ("analyzeVoice", "workerId"),
    ("analyzeVoice", "deploymentIds"),
}

NOW = "2026-03-02T12:00:00Z"
WITH_PATH = [operation for operation in OPERATIONS if parameters(operation["path"])]
# LLM logs belong to the team, whatever worker the path names.
BELOW_A_WORKER = [
    operation
    for operation in WITH_PATH
    if operation["path"].startswith("/api/workers/{workerId}/") and len(parameters(operation["path"])) > 1
    if "LlmLog" not in operation["id"]
]


class World:
    """The stand-in with both teams in it."""

    def __init__(self, app):
        self.client = app.test_client()
        self.client.put("/_dryline/clock", json={"now": NOW, "frozen": True})
        self.fill(document())
        self.start = self.state()

    def fill(self, state):
        answer = self.client.put("/_dryline/state", json=state)
        assert answer.status_code == 204, answer.text

    def state(self):
        return self.client.get("/_dryline/state").text

    def call(self, operation, ids, team=NORTH, **changes):
        """Do the operation as `team`, with the least that is valid and its own references but for `changes`."""
        sent = example_request(operation)
        for part in ("query_string", "json"):
            if part in sent:
                sent[part] = {name: self.own(team, name, value) for name, value in sent[part].items()}
        for part, values in changes.items():
            sent[part] = {**sent.get(part, {}), **values}
        path = fill(operation["path"], *ids)
        return self.client.open(path, method=operation["method"], headers={"x-api-key": KEYS[team]}, **sent)

    @staticmethod
    def own(team, name, value):
        return reference(team, name, value) if name in REFERENCES else value


def reference(team, name, like):
    """Return the id of a team's row that a member may refer to, in a list where the member is one."""
    id = id_of(team, REFERENCES[name])
    return [id] if isinstance(like, list) else id


@pytest.fixture(scope="module")
def filled(module_app):
    """Return the one stand-in for all of these tests; `world` puts it back as it was."""
    return World(module_app)


@pytest.fixture
def world(filled):
    yield filled
    if filled.state() != filled.start:
        filled.fill(json.loads(filled.start))


def test_both_teams_have_a_row_in_every_collection(world):
    collections = world.client.get("/_dryline/state").json
    sizes = {name: len(rows) for name, rows in collections.items() if isinstance(rows, list)}
    assert set(sizes.values()) == {len(TEAMS)}


@pytest.mark.parametrize("operation", OPERATIONS, ids=by_id)
def test_a_team_reaches_its_own_and_sees_nothing_of_the_other(world, operation):
    sent = {"json": {"phoneNumber": NUMBER}} if operation["id"] == "checkCallable" else {}
    answer = world.call(operation, path_ids(operation["path"], NORTH), **sent)
    assert answer.status_code < 300, answer.text
    assert SOUTH not in answer.text
    if operation["method"] == "GET" and operation["id"] not in NAMES_NO_ROW:
        assert NORTH in answer.text


@pytest.mark.parametrize("operation", WITH_PATH, ids=by_id)
def test_an_id_of_another_team_is_as_unknown_as_one_that_nobody_has(world, operation):
    own, other = path_ids(operation["path"], NORTH), path_ids(operation["path"], SOUTH)
    if operation.get("auth", {}).get("kind") == "none":
        other = ["nothing"] * len(other)  # where no key is asked for, no team is known
    places = range(len(own) - (operation["id"] in EMPTY_WHERE_UNKNOWN))
    tries = [[*own[:place], id, *own[place + 1 :]] for place in places for id in ("nothing", other[place])]
    for ids in [*tries, other]:
        answer = world.call(operation, ids)
        assert answer.status_code == 404, (ids, answer.text)
        assert isinstance(answer.json["error"], str)
    assert world.state() == world.start


@pytest.mark.parametrize("operation", BELOW_A_WORKER, ids=by_id)
def test_a_row_is_found_below_its_own_worker_only(world, operation):
    other = {"name": "Other worker", "description": None, "status": None}
    answer = world.client.post("/api/workers", json=other, headers={"x-api-key": KEYS[NORTH]})
    before = world.state()
    answer = world.call(operation, [answer.json["id"], *path_ids(operation["path"], NORTH)[1:]])
    assert answer.status_code == 404, answer.text
    assert world.state() == before


@pytest.mark.parametrize("id", EMPTY_WHERE_UNKNOWN)
def test_another_teams_call_or_session_has_no_logs(world, id):
    operation = next(operation for operation in OPERATIONS if operation["id"] == id)
    worker, _ = path_ids(operation["path"], NORTH)
    _, other = path_ids(operation["path"], SOUTH)
    answer = world.call(operation, [worker, other])
    assert answer.get_json(silent=True) == EMPTY_WHERE_UNKNOWN[id]
    assert world.state() == world.start


REFERRING = [
    pytest.param(operation, field, id=f"{operation['id']}-{field['name']}")
    for operation in OPERATIONS
    for field in (operation["body"] or {}).get("fields") or []
    if field["name"] in REFERENCES and (operation["id"], field["name"]) not in NOT_LOOKED_UP
]


@pytest.mark.parametrize(("operation", "field"), REFERRING)
def test_a_reference_in_a_body_to_another_teams_row_is_refused_by_name(world, operation, field):
    like = [] if field["type"].startswith("array") else ""
    for id in (reference(SOUTH, field["name"], like), ["nothing"] if like == [] else "nothing"):
        answer = world.call(operation, path_ids(operation["path"], NORTH), json={field["name"]: id})
        assert answer.status_code == 404, answer.text
        assert answer.json["error"].startswith(field["name"])
    assert world.state() == world.start


FILTERED = [
    pytest.param(operation, parameter, id=f"{operation['id']}-{parameter['name']}")
    for operation in OPERATIONS
    for parameter in operation["query"]
    if parameter["name"] in REFERENCES
]


@pytest.mark.parametrize(("operation", "parameter"), FILTERED)
def test_a_filter_by_another_teams_id_finds_nothing(world, operation, parameter):
    def found(team):
        name = parameter["name"]
        query = {name: reference(team, name, "")}
        if name == "deploymentId" and operation["id"] in DEPLOYMENTS:
            query = {name: id_of(team, DEPLOYMENTS[operation["id"]])}
        answer = world.call(operation, path_ids(operation["path"], NORTH), query_string=query)
        if operation["success"]["shape"]["kind"] == "record":
            return [answer.json] if answer.status_code == 200 else answer.status_code
        assert answer.status_code == 200
        return answer.json if isinstance(answer.json, list) else answer.json.get("data", answer.json.get("logs"))

    assert len(found(NORTH)) == 1
    assert found(SOUTH) == (404 if operation["success"]["shape"]["kind"] == "record" else [])


def test_exports_analyses_and_queries_are_about_the_teams_own_rows_alone(world):
    def send(method, path, **sent):
        return world.client.open(path, method=method, headers={"x-api-key": KEYS[NORTH]}, **sent)

    body = {"format": "JSON", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-03-31T00:00:00Z"}
    export = send("POST", "/api/team/exports", json=body).json["id"]
    world.client.post("/_dryline/clock/advance", json={"seconds": 60})
    with world.client.get(send("GET", f"/api/team/exports/{export}").json["downloadUrl"]) as file:
        assert NORTH in file.text and SOUTH not in file.text
    answer = send("POST", "/api/voice-analysis", json={"deploymentIds": [id_of(SOUTH, "voiceDeployments")]})
    assert (answer.status_code, answer.json["summary"]["totalCalls"]) == (200, 0)
    body = {"query": "name", "resources": [id_of(SOUTH, "resources")]}
    answer = send("POST", f"/api/workers/{id_of(NORTH, 'workers')}/resources/query", json=body)
    assert answer.status_code == 404


def rows_of_another_worker():
    """Return a further worker of the team, with a row for each reference that has to be of the worker in the path."""
    rows = {
        "workers": {"name": "Other"},
        "flows": {"workerId": "north-other-workers", "name": "Other", "code": ""},
        "flowVersions": {"flowId": "north-other-flows", "versionNumber": 1, "code": ""},
        "folders": {"workerId": "north-other-workers", "name": "Other"},
        "voiceDeployments": {
            **{"workerId": "north-other-workers", "flowId": "north-other-flows", "name": "Other"},
            "phoneNumber": NUMBER,
        },
    }
    teams = {"workers": {"teamId": id_of(NORTH, "teams")}}
    return {name: [{"id": f"north-other-{name}", **row, **teams.get(name, {})}] for name, row in rows.items()}


@pytest.mark.parametrize(
    ("operation", "field"),
    [
        one
        for one in REFERRING
        if "{workerId}" in one.values[0]["path"] and REFERENCES[one.values[1]["name"]] in rows_of_another_worker()
    ],
)
def test_a_reference_in_a_body_to_a_row_of_another_worker_is_refused_by_name(world, operation, field):
    assert world.client.post("/_dryline/state", json={"version": 1, **rows_of_another_worker()}).status_code == 204
    id = f"north-other-{REFERENCES[field['name']]}"
    answer = world.call(operation, path_ids(operation["path"], NORTH), json={field["name"]: id})
    assert answer.status_code == 404, answer.text
    assert answer.json["error"].startswith(field["name"])
