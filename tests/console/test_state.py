"""The page State."""

import io
import json

import pytest

from dryline.settings import Settings


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


def test_a_scenario_replaces_everything(visitor, api):
    visitor.go("/state")
    visitor.send("/state/scenario", scenario="empty")
    assert api.get("/workers").json == []


def test_a_snapshot_is_deleted(visitor, control):
    control.post("/snapshots", {"name": "one"})
    visitor.go("/state")
    visitor.send("/delete-snapshot")
    assert control.get("/snapshots").json == []


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


def test_a_team_is_deleted(visitor, control):
    team = control.post("/teams", {"name": "Second"}).json
    visitor.go(f"/state?team={team['id']}")
    visitor.send(f"/teams/{team['id']}/remove")
    assert team["id"] not in [each["id"] for each in control.get("/teams").json]
