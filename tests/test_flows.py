"""Flows of a worker, and the lookup by id alone."""

import pytest

from dryline.flow.sessions.engines import ENGINE


def path_of(flow):
    return f"/workers/{flow['workerId']}/flows/{flow['id']}"


def key_id(api, flow):
    return api.get(path_of(flow)).json["lastEditedByApiKeyId"]


def test_a_new_flow_is_version_1_written_with_the_key(make_flow):
    flow = make_flow()
    assert (flow["version"], flow["variables"], flow["lastEditedByType"]) == (1, {}, "API_KEY")
    assert flow["lastEditedByApiKeyId"].startswith("key_")
    assert flow["lastEditedByUserId"] is None


def test_a_label_left_out_is_null(api, make_worker):
    path = f"/workers/{make_worker()['id']}/flows"
    assert api.post(path, {"name": "Main", "code": "x"}).json["label"] is None
    assert api.post(path, {"name": "Main", "code": "x", "label": "A"}).json["label"] == "A"


@pytest.mark.parametrize("variables", ['{"greeting": "Hi"}', {"greeting": "Hi"}])
def test_variables_come_as_json_text_or_as_an_object(make_flow, variables):
    assert make_flow(variables=variables)["variables"] == {"greeting": "Hi"}


@pytest.mark.parametrize(
    "variables", ["[1]", "1", "null", "", "{", "greeting", '{"a": ' * 400 + "1" + "}" * 400, [1], 5]
)
def test_other_variables_are_refused_by_name(api, make_worker, variables):
    body = {"name": "Main", "code": "x", "variables": variables}
    answer = api.post(f"/workers/{make_worker()['id']}/flows", body)
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["variables"]


def test_validate_is_taken_and_not_answered(api, make_flow):
    flow = make_flow(validate=True)
    assert "validate" not in api.patch(path_of(flow), {"validate": False, "name": "New"}).json
    assert api.patch(path_of(flow), {"validate": "yes"}).status_code == 400


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('say("Hi")\nuntil "x":\n    say("no loop")\n', "Line 2, column 1"),
        ('say("Hi")\nx = = 2\n', "Line 2, column 5"),
    ],
    ids=["Based", "Python"],
)
def test_with_validate_code_that_cannot_run_is_refused_with_its_line(api, make_worker, code, message):
    path = f"/workers/{make_worker()['id']}/flows"
    answer = api.post(path, {"name": "Main", "code": code, "validate": True})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["code"]
    assert answer.json["details"][0]["message"].startswith(message)
    assert api.get(path).json == []


def test_without_validate_code_is_stored_as_it_is(api, make_flow):
    assert make_flow(code="x = = 1")["code"] == "x = = 1"
    assert make_flow(code="x = = 1", validate=False)["code"] == "x = = 1"


def test_a_warning_is_no_error(make_flow):
    assert make_flow(code='loop:\n    talk("Forever.", True)\nsay(nobody)\n', validate=True)["version"] == 1


def test_a_change_is_validated_with_the_code_that_it_leaves(api, make_flow):
    flow = make_flow(code="x = = 1")
    assert api.patch(path_of(flow), {"name": "New", "validate": True}).status_code == 400
    assert api.patch(path_of(flow), {"code": "x = = 2", "validate": True}).status_code == 400
    assert api.get(path_of(flow)).json == flow
    assert api.patch(path_of(flow), {"code": "say('Hi')", "validate": True}).json["version"] == 2


@pytest.mark.alone
def test_the_engine_starts_with_the_first_flow_and_ends_with_the_world(app, make_flow):
    make_flow()
    assert ENGINE not in app.world.locals
    make_flow(validate=True)
    engine = ENGINE.of(app.world)
    assert engine.running
    app.close()
    assert not engine.running


def test_a_change_of_code_commits_a_version_of_the_new_code(api, make_flow):
    flow = make_flow()
    assert api.patch(path_of(flow), {"code": "say('hi')", "commitMessage": "Greet"}).json["version"] == 2
    version = api.get(path_of(flow) + "/versions").json["data"][0]
    assert (version["versionNumber"], version["code"], version["commitMessage"]) == (1, "say('hi')", "Greet")
    assert (version["authorType"], version["authorUserId"]) == ("API_KEY", None)
    assert version["authorApiKeyId"] == key_id(api, flow)


def test_a_change_of_variables_commits_a_version_with_a_general_message(api, make_flow):
    flow = make_flow()
    api.patch(path_of(flow), {"variables": '{"a": "1"}'})
    version = api.get(path_of(flow) + "/versions").json["data"][0]
    assert version["variables"] == {"a": "1"}
    assert version["commitMessage"]


@pytest.mark.parametrize("value", [True, 1.0])
def test_a_value_of_another_json_type_is_a_change_of_variables(api, make_flow, value):
    flow = make_flow(variables={"a": 1})
    assert api.patch(path_of(flow), {"variables": {"a": value}}).json["version"] == 2
    assert api.get(path_of(flow) + "/versions").json["total"] == 1


@pytest.mark.parametrize("change", [{"name": "New"}, {"commitMessage": "Nothing"}, {"code": "same"}, {}])
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


def test_a_version_of_another_flow_is_not_found(api, make_flow):
    flow, other = make_flow(), make_flow()
    version = api.post(path_of(other) + "/versions", {"commitMessage": "One"}).json
    assert api.get(path_of(flow), query_string={"versionId": version["id"]}).status_code == 404


def test_parameters_of_a_deployment_override_the_variables(api, make_flow, make_voice_deployment):
    flow = make_flow(variables={"greeting": "Hi", "city": "Rome"})
    line = make_voice_deployment(flow)
    params = f"/workers/{flow['workerId']}/deployments/{line['id']}/params"
    api.post(params, {"name": "greeting", "value": "Hello"})
    api.post(params, {"name": "extra", "value": 3})
    merged = {"greeting": "Hello", "city": "Rome", "extra": 3}
    for path in (path_of(flow), f"/flows/{flow['id']}"):
        assert api.get(path, query_string={"deploymentId": line["id"]}).json["_mergedParameters"] == merged
        assert "_mergedParameters" not in api.get(path).json


def test_merging_starts_from_the_variables_of_the_version(api, make_flow, make_voice_deployment):
    flow = make_flow(variables={"a": "old"})
    line = make_voice_deployment(flow)
    version = api.post(path_of(flow) + "/versions", {"commitMessage": "Old"}).json
    api.patch(path_of(flow), {"variables": {"a": "new"}})
    query = {"versionId": version["id"], "deploymentId": line["id"]}
    assert api.get(path_of(flow), query_string=query).json["_mergedParameters"] == {"a": "old"}


def test_deleting_a_flow_takes_its_versions_and_leaves_its_deployments(api, make_flow, make_voice_deployment):
    flow = make_flow()
    line = make_voice_deployment(flow)
    api.post(path_of(flow) + "/versions", {"commitMessage": "One"})
    assert api.delete(path_of(flow)).status_code == 204
    assert api.get(path_of(flow)).status_code == 404
    assert api.get(path_of(flow) + "/versions").status_code == 404
    assert api.get(f"/workers/{flow['workerId']}/deployments/voice/{line['id']}").json == line
