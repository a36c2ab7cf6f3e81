"""Clock, settings and snapshots are the whole server's. A request that limits them to a team is refused."""

import pytest

from dryline.tests.contract.two_teams import document

NOW = "2026-03-02T10:00:00.000Z"
WHOLE = [
    ("GET", "/clock", None),
    ("PUT", "/clock", {"now": "2030-01-01T09:00:00Z"}),
    ("DELETE", "/clock", None),
    ("POST", "/clock/advance", {"seconds": 60}),
    ("GET", "/settings", None),
    ("PUT", "/settings", {"strict": True}),
    ("POST", "/teams", {"name": "Another"}),
    ("GET", "/snapshots", None),
    ("POST", "/snapshots", {"name": "new"}),
    ("POST", "/snapshots/there/restore", None),
    ("DELETE", "/snapshots/there", None),
]


@pytest.fixture
def team(control):
    control.put("/clock", {"now": NOW, "frozen": True})
    control.post("/snapshots", {"name": "there"})
    yield control.post("/teams", {"name": "One"}).json
    control.delete("/snapshots/there")


def everything(control):
    paths = ("/clock", "/settings", "/snapshots", "/state")
    return [control.get(path).json for path in paths]


@pytest.mark.parametrize("name", ["its id", "nobody", ""])
@pytest.mark.parametrize(("method", "path", "body"), WHOLE)
def test_a_team_is_refused_where_the_whole_server_is_meant(control, team, method, path, body, name):
    before = everything(control)
    team_id = team["id"] if name == "its id" else name
    answer = control._send(method, f"{path}?team={team_id}", json=body)
    assert answer.status_code == 422, answer.text
    assert "is for the whole server and takes no team" in answer.json["error"]
    assert everything(control) == before


def test_webhook_deliveries_can_be_limited_to_a_team(control):
    assert control.put("/state", document()).status_code == 204

    def ids(query=""):
        return sorted(row["id"] for row in control.get(f"/webhooks{query}").json)

    north, south = ids("?team=north-teams"), ids("?team=south-teams")
    assert north and south and sorted(north + south) == ids()
    assert control.get("/webhooks?team=nobody").status_code == 404
    assert control.delete("/webhooks?team=nobody").status_code == 404
    assert control.delete("/webhooks?team=north-teams").status_code == 204
    assert ids() == south
