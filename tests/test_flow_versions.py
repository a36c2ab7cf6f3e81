"""Committed versions of a flow."""

import pytest


@pytest.fixture
def path(make_flow):
    flow = make_flow(code="one", variables={"a": "1"})
    return f"/workers/{flow['workerId']}/flows/{flow['id']}"


@pytest.fixture
def commit(api, path):
    """Commit a version with a message."""
    return lambda message="Done": api.post(f"{path}/versions", {"commitMessage": message})


def test_a_new_flow_has_no_version(api, path):
    assert api.get(f"{path}/versions").json == {"data": [], "total": 0, "hasMore": False}


def test_a_commit_keeps_the_present_code_and_variables(api, path, commit):
    answer = commit("First")
    assert answer.status_code == 201
    api.patch(path, {"code": "two"})
    version = api.get(f"{path}/versions/{answer.json['id']}").json
    assert version == answer.json
    assert (version["code"], version["variables"], version["commitMessage"]) == ("one", {"a": "1"}, "First")
    assert version["id"].startswith("fv_")


def test_version_numbers_count_from_1_in_each_flow(commit, api, make_flow):
    assert [commit().json["versionNumber"] for _ in range(3)] == [1, 2, 3]
    other = make_flow()
    body = {"commitMessage": "First"}
    answer = api.post(f"/workers/{other['workerId']}/flows/{other['id']}/versions", body)
    assert answer.json["versionNumber"] == 1


def test_versions_are_listed_with_the_highest_number_first(api, path, commit):
    for _ in range(3):
        commit()
    page = api.get(f"{path}/versions").json
    assert [version["versionNumber"] for version in page["data"]] == [3, 2, 1]
    assert (page["total"], page["hasMore"]) == (3, False)


def test_limit_and_offset_cut_a_window(api, path, commit):
    for _ in range(5):
        commit()
    first = api.get(f"{path}/versions", query_string={"limit": 2}).json
    last = api.get(f"{path}/versions", query_string={"limit": 2, "offset": 3}).json
    beyond = api.get(f"{path}/versions", query_string={"offset": 9}).json
    assert ([one["versionNumber"] for one in first["data"]], first["hasMore"], first["total"]) == ([5, 4], True, 5)
    assert ([one["versionNumber"] for one in last["data"]], last["hasMore"]) == ([2, 1], False)
    assert beyond == {"data": [], "total": 5, "hasMore": False}


def test_a_page_has_20_versions_by_default(api, path, commit):
    for _ in range(21):
        commit()
    page = api.get(f"{path}/versions").json
    assert (len(page["data"]), page["hasMore"]) == (20, True)


@pytest.mark.parametrize("query", [{"limit": 0}, {"limit": 101}, {"offset": -1}, {"limit": "x"}, {"offset": "1.5"}])
def test_a_window_out_of_bounds_is_refused_by_name(api, path, query):
    answer = api.get(f"{path}/versions", query_string=query)
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == list(query)


def test_a_commit_needs_a_message(api, path):
    answer = api.post(f"{path}/versions", {})
    assert [detail["path"] for detail in answer.json["details"]] == ["commitMessage"]


def test_a_version_is_found_below_its_own_flow_only(api, commit, make_flow):
    version, other = commit().json, make_flow()
    assert api.get(f"/workers/{other['workerId']}/flows/{other['id']}/versions/{version['id']}").status_code == 404
