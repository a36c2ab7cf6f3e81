"""Tags of the team and on workers."""

import pytest

from dryline.tests.conftest import created


@pytest.fixture
def tag(api):
    return api.post("/team/tags", {"label": "VIP", "color": "#ff0000"}).json


def test_a_label_is_unique_in_the_team(api, tag, other_api):
    assert api.post("/team/tags", {"label": "VIP", "color": "#00ff00"}).status_code == 409
    assert api.get("/team/tags").json == [tag]
    assert other_api.post("/team/tags", {"label": "VIP", "color": "#00ff00"}).status_code == 201
    other = api.post("/team/tags", {"label": "New", "color": "#0000ff"}).json
    assert api.patch(f"/team/tags/{other['id']}", {"label": "VIP"}).status_code == 409
    assert api.patch(f"/team/tags/{other['id']}", {"color": "#000000"}).json["label"] == "New"


def test_a_tag_is_assigned_to_a_worker_and_taken_off_once(api, tag, make_worker):
    path = f"/workers/{make_worker()['id']}/tags"
    assert created(api.post(path, {"tagId": tag["id"]})) == tag
    assert api.post(path, {"tagId": tag["id"]}).status_code == 200
    assert api.get(path).json == [tag]
    assert api.delete(f"{path}/{tag['id']}").status_code == 204
    assert api.get(path).json == []
    assert api.delete(f"{path}/{tag['id']}").status_code == 404
