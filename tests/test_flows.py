"""Flows of a worker, and the lookup by id alone."""

import pytest

from dryline.flow.sessions.engines import ENGINE
from dryline.storage.errors import Busy


def path_of(flow):
    return f"/workers/{flow['workerId']}/flows/{flow['id']}"


@pytest.mark.parametrize("variables", ['{"greeting": "Hi"}', {"greeting": "Hi"}])
def test_variables_come_as_json_text_or_as_an_object(make_flow, variables):
    assert make_flow(variables=variables)["variables"] == {"greeting": "Hi"}


@pytest.mark.parametrize("variables", ["[1]", "null", "", "{", '{"a": ' * 400 + "1" + "}" * 400, [1], 5])
def test_other_variables_are_refused_by_name(api, make_worker, variables):
    body = {"name": "Main", "code": "x", "variables": variables}
    answer = api.post(f"/workers/{make_worker()['id']}/flows", body)
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["variables"]


@pytest.mark.parametrize(
    ("code", "message"), [('say("Hi")\nuntil "x":\n    y()\n', "Line 2, column 1"), ("1\nx = = 2", "Line 2, column 5")]
)
def test_with_validate_code_that_cannot_run_is_refused_with_its_line(api, make_worker, code, message):
    path = f"/workers/{make_worker()['id']}/flows"
    answer = api.post(path, {"name": "Main", "code": code, "validate": True})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["code"]
    assert answer.json["details"][0]["message"].startswith(message)
    assert api.get(path).json == []


def test_a_warning_is_no_error(make_flow):
    assert make_flow(code='loop:\n    talk("Forever.", True)\nsay(nobody)\n', validate=True)["version"] == 1


def test_a_change_is_validated_with_the_code_that_it_leaves(api, make_flow):
    flow = make_flow(code="x = = 1")
    assert api.patch(path_of(flow), {"name": "New", "validate": True}).status_code == 400
    assert api.patch(path_of(flow), {"code": "x = = 2", "validate": True}).status_code == 400
    assert api.get(path_of(flow)).json == flow
    assert api.patch(path_of(flow), {"code": "say('Hi')", "validate": True}).json["version"] == 2


DESK = 'say(variables["desk"])\n'


def test_with_validate_a_variable_that_no_deployment_sets_is_refused_with_its_line(
    api, make_flow, make_voice_deployment
):
    flow = make_flow(code=DESK, validate=True)  # a deployment may set it
    line = make_voice_deployment(flow)
    answer = api.patch(path_of(flow), {"name": "New", "validate": True})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "code")
    assert answer.json["details"][0]["message"].startswith("Line 1, column 5: The flow has no variable 'desk'")
    assert api.patch(path_of(flow), {"name": "New"}).status_code == 200
    assert api.patch(path_of(flow), {"variables": {"desk": 1}, "validate": True}).status_code == 200

    api.patch(path_of(flow), {"variables": {}})
    parameters = f"/workers/{line['workerId']}/deployments/{line['id']}/params"
    assert api.post(parameters, {"name": "desk", "value": "+1"}).status_code == 201
    assert api.patch(path_of(flow), {"name": "Newer", "validate": True}).status_code == 200


@pytest.mark.alone
def test_the_engine_starts_with_the_first_flow_and_ends_with_the_world(app, make_flow):
    make_flow()
    assert ENGINE not in app.world.locals
    make_flow(validate=True)
    engine = ENGINE.of(app.world)
    app.close()
    with pytest.raises(Busy):
        engine.check("say('Hi')")


def test_a_change_of_code_commits_a_version_of_the_new_code(api, make_flow):
    flow = make_flow()
    assert api.patch(path_of(flow), {"code": "say('hi')", "commitMessage": "Greet"}).json["version"] == 2
    version = api.get(path_of(flow) + "/versions").json["data"][0]
    assert (version["versionNumber"], version["code"], version["commitMessage"]) == (1, "say('hi')", "Greet")
    assert (version["authorType"], version["authorUserId"]) == ("API_KEY", None)
    assert version["authorApiKeyId"] == api.get(path_of(flow)).json["lastEditedByApiKeyId"]


@pytest.mark.parametrize("value", [2, True, 1.0])
def test_a_change_of_variables_even_of_a_type_commits_a_version(api, make_flow, value):
    flow = make_flow(variables={"a": 1})
    assert api.patch(path_of(flow), {"variables": {"a": value}}).json["version"] == 2
    (version,) = api.get(path_of(flow) + "/versions").json["data"]
    assert version["variables"] == {"a": value} and version["commitMessage"]


@pytest.mark.parametrize("change", [{"name": "New"}, {"commitMessage": "Nothing"}, {"code": "same"}])
def test_an_update_of_other_members_commits_nothing(api, make_flow, change):
    flow = make_flow(code="same")
    assert api.patch(path_of(flow), change).json["version"] == 1
    assert api.get(path_of(flow) + "/versions").json["total"] == 0


def test_a_flow_is_shown_as_a_version_has_it(api, make_flow):
    flow = make_flow()
    api.patch(path_of(flow), {"code": "one", "variables": {"a": "1"}})
    api.patch(path_of(flow), {"code": "two", "variables": {"a": "2"}})
    old = api.get(path_of(flow) + "/versions").json["data"][1]["id"]
    shown = api.get(path_of(flow), query_string={"versionId": old}).json
    assert (shown["code"], shown["variables"]) == ("one", {"a": "1"})
    assert api.get(f"/flows/{flow['id']}", query_string={"versionId": old}).json == shown
    assert api.get(path_of(flow)).json["code"] == "two"


def test_parameters_of_a_deployment_override_the_variables(api, make_flow, make_voice_deployment):
    flow = make_flow(variables={"greeting": "Hi", "city": "Rome"})
    line = make_voice_deployment(flow)
    params = f"/workers/{flow['workerId']}/deployments/{line['id']}/params"
    api.post(params, {"name": "greeting", "value": "Hello"})
    api.post(params, {"name": "extra", "value": 3})
    version = api.post(path_of(flow) + "/versions", {"commitMessage": "Old"}).json
    api.patch(path_of(flow), {"variables": {"city": "Oslo"}})
    merged = {"greeting": "Hello", "city": "Oslo", "extra": 3}
    for path in (path_of(flow), f"/flows/{flow['id']}"):
        assert api.get(path, query_string={"deploymentId": line["id"]}).json["_mergedParameters"] == merged
        assert "_mergedParameters" not in api.get(path).json
    query = {"versionId": version["id"], "deploymentId": line["id"]}
    assert api.get(path_of(flow), query_string=query).json["_mergedParameters"] == merged | {"city": "Rome"}
