"""The page State."""

import io
import json

import pytest
from playwright.sync_api import expect

from dryline.settings import Settings
from dryline.tests.console.visitor import Page

WORKER = {"name": "Made by hand"}


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, max_body_mb=1)


@pytest.fixture
def press(visitor):
    """Return a function that sends the first form of the page that fits."""

    def send(fits, **fields):
        form = next(form for form in visitor.page.forms if fits(form))
        answer = visitor.client.post(form["action"], data=form["fields"] | fields, follow_redirects=True)
        visitor.page = Page(answer)
        return visitor.page

    return send


@pytest.fixture
def undo(press):
    """Return a function that presses "Undo" beside the notice of the page."""
    return lambda: press(lambda form: form["fields"].get("name", "").startswith("before "))


@pytest.fixture
def send_document(visitor, press):
    """Return a function that sends a state document by the form."""

    def send(document, how="replace"):
        visitor.go("/state")
        file = (io.BytesIO(json.dumps(document).encode()), "world.json")
        return press(lambda form: form["action"].endswith("/state/document"), how=how, file=file)

    return send


@pytest.fixture
def names_of_snapshots(control):
    return lambda: [snapshot["name"] for snapshot in control.get("/snapshots").json]


def test_a_downloaded_document_restores_the_state_until_it_is_undone(visitor, control, send_document, undo):
    control.put("/clock", {"frozen": True})
    control.post("/reset", {"scenario": "demo"})
    before = visitor.client.get("/console/state/document.json")
    assert "attachment" in before.headers["Content-Disposition"]
    assert len(before.data) > 1_000_000  # more than the API would take
    control.post("/reset", {"scenario": "empty"})
    assert "The state is replaced" in send_document(before.json).text
    assert control.get("/state").json["voiceLogs"] == before.json["voiceLogs"]
    undo()
    assert control.get("/state").json.get("voiceLogs", []) == []


def test_the_rows_of_a_document_are_added(api, send_document):
    api.post("/workers", WORKER)
    send_document({"version": 1, "workers": [{"id": "worker_1", "name": "Another"}]}, "add")
    assert [worker["name"] for worker in api.get("/workers").json] == ["Another", "Made by hand"]


@pytest.mark.parametrize("how", ["replace", "add"])
def test_an_invalid_document_is_refused(api, send_document, how):
    worker = api.post("/workers", WORKER).json["id"]
    assert "workers[0].name" in send_document({"version": 1, "workers": [{"id": "w"}]}, how).text
    assert [one["id"] for one in api.get("/workers").json] == [worker]


@pytest.mark.parametrize(
    ("action", "fields"),
    [("/state/scenario", {"scenario": "empty"}), ("/world/reset", {}), ("/world/restore", {"name": "one"})],
)
def test_a_change_of_the_whole_world_is_undone_beside_its_notice(visitor, api, control, undo, action, fields):
    control.post("/snapshots", {"name": "one"})
    worker = api.post("/workers", WORKER).json["id"]
    visitor.go("/state")
    visitor.send(action, **fields)
    assert api.get(f"/workers/{worker}").status_code in (401, 404)
    undo()
    assert api.get(f"/workers/{worker}").status_code == 200


def test_what_deletes_asks_first_and_stands_last(served, tab):
    seen = tab(served)
    page = seen.go("/state")
    assert page.locator("main h2").last.text_content() == "Delete a team"
    button = page.get_by_role("button", name="Delete the team")
    expect(button.first).to_be_hidden()
    page.get_by_label("Delete Quayside Facilities").click()
    expect(button.locator("visible=true")).to_have_count(1)
    assert seen.faults() == []
    button.locator("visible=true").click()
    expect(page.get_by_text("The team and all of its rows are deleted.")).to_be_visible()


def test_the_newest_five_automatic_snapshots_are_kept_beside_those_by_name(visitor, control, names_of_snapshots):
    control.post("/snapshots", {"name": "mine"})
    for _ in range(7):
        visitor.go("/state")
        visitor.send("/state/scenario", scenario="empty")
    assert "mine" in names_of_snapshots() and not any(name.startswith("before") for name in names_of_snapshots())
    names = [row["name"] for row in control.get("/undo").json["snapshots"]]
    last = int(names[0].removeprefix("before scenario "))
    assert names == [f"before scenario {last - age}" for age in range(5)]
    assert all(name in visitor.go("/state").text for name in ["mine", *names])


def test_the_key_of_a_new_team_is_shown_once_works_and_is_revoked(visitor, app, control, press):
    visitor.go("/state")
    page = visitor.send("/state/teams", name="Second")
    key = page.text.partition("shown this once: ")[2].split()[0]
    headers = {"x-api-key": key}
    team = app.test_client().get("/api/team", headers=headers).json
    assert team["name"] == "Second"
    assert key not in visitor.go("/state").text
    press(lambda form: f"{team['id']}/keys/" in form["action"])
    assert app.test_client().get("/api/team", headers=headers).status_code == 401
