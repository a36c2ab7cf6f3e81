"""Default checks of the team and of single deployments."""

import pytest

START = {
    "latencyEnabled": True,
    "latencyThreshold": 3000,
    "apiEnabled": True,
    "apiThreshold": 1,
    "aiEnabled": False,
    "aiThreshold": 0.7,
    "alertEmails": [],
    "sampleRate": 1,
}


@pytest.fixture
def path(make_voice_deployment):
    line = make_voice_deployment()
    return f"/workers/{line['workerId']}/deployments/{line['id']}/default-checks"


def test_a_team_has_no_checks_before_it_initialises_them_once(api):
    assert api.get("/team/default-checks").status_code == 404
    first = api.post("/team/default-checks")
    assert first.status_code == 201
    assert first.json.items() >= START.items()
    changed = api.put("/team/default-checks", {"sampleRate": 0.5}).json
    second = api.post("/team/default-checks")
    assert (second.status_code, second.json) == (200, changed)


def test_an_update_makes_the_checks_and_keeps_what_is_not_sent(api):
    made = api.put("/team/default-checks", {"latencyThreshold": 1500.5})
    assert made.status_code == 200
    assert made.json.items() >= (START | {"latencyThreshold": 1500.5}).items()
    body = {"alertEmails": ["ops@example.com"], "aiEnabled": True}
    changed = api.put("/team/default-checks", body).json
    assert changed == made.json | body | {"updatedAt": changed["updatedAt"]}
    assert api.get("/team/default-checks").json == changed


def test_a_deployments_values_lie_over_the_teams_and_those_over_the_start_values(api, path):
    checks = api.get(path).json
    assert checks == START | {"deploymentId": path.split("/")[4], "enabled": True, "overridden": []}
    api.put("/team/default-checks", {"latencyThreshold": 2000, "apiThreshold": 5})
    checks = api.put(path, {"latencyThreshold": 1000, "enabled": False, "alertEmails": []}).json
    assert (checks["latencyThreshold"], checks["apiThreshold"], checks["enabled"]) == (1000, 5, False)
    assert checks["overridden"] == ["enabled", "latencyThreshold", "alertEmails"]
    assert api.put(path, {"sampleRate": 0.1}).json["overridden"] == [*checks["overridden"], "sampleRate"]
    api.put("/team/default-checks", {"latencyThreshold": 9, "apiThreshold": 9, "alertEmails": ["a@example.com"]})
    checks = api.get(path).json
    assert (checks["latencyThreshold"], checks["apiThreshold"], checks["alertEmails"]) == (1000, 9, [])


def test_dropped_overrides_let_the_teams_values_apply_again(api, path):
    api.put("/team/default-checks", {"sampleRate": 0.5})
    api.put(path, {"sampleRate": 0.1, "enabled": False})
    for _ in range(2):
        assert api.delete(path).status_code == 204
    checks = api.get(path).json
    assert (checks["sampleRate"], checks["enabled"], checks["overridden"]) == (0.5, True, [])
