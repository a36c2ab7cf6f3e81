"""The page State."""

import io
import json

import pytest

from dryline.settings import Settings
from dryline.tests.console.visitor import Page


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1, max_body_mb=1)


def send_document(visitor, document, how):
    form = visitor.go("/state").form("/state/document")
    data = form["fields"] | {"how": how, "file": (io.BytesIO(json.dumps(document).encode()), "world.json")}
    return visitor.client.post(form["action"], data=data, follow_redirects=True)


def test_a_downloaded_document_restores_the_state(visitor, control, app):
    app.world.clock.of(None).set(frozen=True)
    before = visitor.client.get("/console/state/document.json")
    assert "attachment" in before.headers["Content-Disposition"]
    assert len(before.data) > 1_000_000  # more than the API would take
    control.post("/reset", {"scenario": "empty"})
    assert "The state is replaced" in send_document(visitor, before.json, "replace").text
    assert control.get("/state").json["voiceLogs"] == before.json["voiceLogs"]


def test_the_rows_of_a_document_are_added(visitor, api):
    count = len(api.get("/workers").json)
    document = {"version": 1, "workers": [{"id": "worker_1", "name": "Another"}]}
    send_document(visitor, document, "add")
    assert len(api.get("/workers").json) == count + 1


@pytest.mark.parametrize("how", ["replace", "add"])
def test_an_invalid_document_is_refused(visitor, api, how):
    before = api.get("/workers").json
    page = send_document(visitor, {"version": 1, "workers": [{"id": "w"}]}, how)
    assert "workers[0].name" in page.text
    assert api.get("/workers").json == before


def test_a_snapshot_is_deleted(visitor, control):
    control.post("/snapshots", {"name": "one"})
    visitor.go("/state")
    visitor.send("/delete-snapshot", name="one")
    assert "one" not in names_of_snapshots(control)


def names_of_snapshots(control):
    return [snapshot["name"] for snapshot in control.get("/snapshots").json]


def undo(visitor):
    """Press "Undo" beside the notice of the page."""
    form = next(form for form in visitor.page.forms if form["fields"].get("name", "").startswith("before "))
    return visitor.client.post(form["action"], data=form["fields"], follow_redirects=True)


def send_scenario(visitor):
    visitor.go("/state")
    visitor.send("/state/scenario", scenario="empty")


def send_reset(visitor):
    visitor.go("")
    visitor.send("/world/reset")


def send_empty_document(visitor):
    visitor.page = Page(send_document(visitor, {"version": 1}, "replace"))


@pytest.mark.parametrize("change", [send_scenario, send_reset, send_empty_document])
def test_a_change_of_the_whole_world_is_undone_beside_its_notice(visitor, api, change):
    api.post("/workers", {"name": "Made by hand"})
    before = {worker["id"] for worker in api.get("/workers").json}
    change(visitor)
    undo(visitor)
    assert {worker["id"] for worker in api.get("/workers").json} == before


def test_a_restore_is_undone_beside_its_notice(visitor, api, control):
    control.post("/snapshots", {"name": "one"})
    worker = api.post("/workers", {"name": "Made by hand"}).json
    visitor.go("/state")
    visitor.send("/world/restore", name="one")
    assert api.get(f"/workers/{worker['id']}").status_code == 404
    undo(visitor)
    assert api.get(f"/workers/{worker['id']}").status_code == 200


def test_a_deleted_team_comes_back(visitor, control):
    team = control.post("/teams", {"name": "Second"}).json["id"]
    form = next(form for form in visitor.go("/state").forms if form["action"].endswith(f"{team}/remove"))
    visitor.page = Page(visitor.client.post(form["action"], data=form["fields"], follow_redirects=True))
    assert team not in [one["id"] for one in control.get("/teams").json]
    undo(visitor)
    assert team in [one["id"] for one in control.get("/teams").json]


def test_the_newest_five_automatic_snapshots_are_kept_beside_those_by_name(visitor, control):
    control.post("/snapshots", {"name": "mine"})
    for _ in range(7):
        send_scenario(visitor)
    names = names_of_snapshots(control)
    assert "mine" in names
    assert len([name for name in names if name.startswith("before ")]) == 5


def test_a_change_that_fails_leaves_no_automatic_snapshot(visitor, control):
    before = names_of_snapshots(control)
    visitor.go("/state")
    visitor.send("/state/scenario", scenario="nothing of this name")
    assert names_of_snapshots(control) == before


def test_a_new_team_has_a_key_that_works(visitor, app):
    visitor.go("/state")
    page = visitor.send("/state/teams", name="Second")
    key = page.text.partition("shown this once: ")[2].split()[0]
    answer = app.test_client().get("/api/team", headers={"x-api-key": key})
    assert answer.json["name"] == "Second"
    assert key not in visitor.go("/state").text


def test_a_key_is_revoked(visitor, app, control):
    team = control.post("/teams", {"name": "Second", "key": "second-key"}).json
    form = next(
        form for form in visitor.go("/state").forms if team["id"] in form["action"] and "/remove" in form["action"]
    )
    visitor.client.post(form["action"], data=form["fields"])
    assert app.test_client().get("/api/team", headers={"x-api-key": "second-key"}).status_code == 401
