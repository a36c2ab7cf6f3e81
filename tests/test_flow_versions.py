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
    members = version["versionNumber"], version["code"], version["variables"], version["commitMessage"]
    assert members == (1, "one", {"a": "1"}, "First")


def test_a_page_has_20_versions_or_the_window_of_limit_and_offset(api, path, commit):
    for _ in range(21):
        commit()

    def page(**query):
        answer = api.get(f"{path}/versions", query_string=query).json
        return [one["versionNumber"] for one in answer["data"]], answer["hasMore"], answer["total"]

    assert page() == ([*range(21, 1, -1)], True, 21)
    assert page(limit=2) == ([21, 20], True, 21)
    assert page(limit=2, offset=19) == ([2, 1], False, 21)
    assert page(offset=30) == ([], False, 21)
