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
