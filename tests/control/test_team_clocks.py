"""A clock a team: what freezes, moves and falls due for one team alone."""

import pytest

from dryline.tests.conftest import Api, created

WORLD, AHEAD = "2026-03-02T10:00:00.000Z", "2030-01-01T09:00:00.000Z"
WINDOW = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-02-01T00:00:00.000Z"}


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": WORLD, "frozen": True})


@pytest.fixture
def teams(app, control):
    """Two teams, each as its id and its client."""

    def make(name):
        team = control.post("/teams", {"name": name}).json
        return team["id"], Api(app.test_client(), team["apiKey"])

    return make("One"), make("Two")


@pytest.fixture
def one(teams):
    return teams[0]


@pytest.fixture
def two(teams):
    return teams[1]


def now(control, team=None):
    return control.get("/clock" + (f"?team={team[0]}" if team else "")).json["now"]


def made(api):
    return created(api.post("/workers", {"name": "W", "description": None, "status": None}))


def test_a_team_has_its_own_time_and_the_others_the_worlds(control, one, two):
    answer = control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    assert answer.json == {"now": AHEAD, "frozen": True}
    assert made(one[1])["createdAt"] == AHEAD
    assert made(two[1])["createdAt"] == WORLD
    assert (now(control), now(control, one), now(control, two)) == (WORLD, AHEAD, WORLD)
    control.post(f"/clock/advance?team={one[0]}", {"seconds": 60})
    assert (now(control, one), now(control, two)) == ("2030-01-01T09:01:00.000Z", WORLD)
    control.post("/clock/advance", {"seconds": 120})
    assert (now(control, one), now(control, two)) == ("2030-01-01T09:01:00.000Z", "2026-03-02T10:02:00.000Z")


def test_a_moment_that_is_refused_gives_a_team_no_time_of_its_own(control, one):
    assert control.put(f"/clock?team={one[0]}", {"now": "9999-12-31T23:59:59Z"}).status_code == 400
    control.post("/clock/advance", {"seconds": 60})
    assert now(control, one) == now(control)


def test_a_team_follows_the_worlds_clock_again(control, one):
    control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    assert control.delete(f"/clock?team={one[0]}").json["now"] == WORLD
    assert made(one[1])["createdAt"] == WORLD


def test_a_team_that_there_is_not_is_404(control):
    answers = [control.get("/clock?team=nobody"), control.delete("/clock?team=nobody")]
    answers.append(control.put("/clock?team=nobody", {"frozen": True}))
    assert [answer.status_code for answer in answers] == [404] * 3


def test_work_is_due_by_its_teams_clock(control, one, two, advance):
    exports = {}
    for id, api in (one, two):
        exports[id] = api.post("/team/exports", WINDOW).json["id"]
    control.post(f"/clock/advance?team={one[0]}", {"seconds": 0})

    def statuses():
        return [api.get(f"/team/exports/{exports[id]}").json["status"] for id, api in (one, two)]

    assert statuses() == ["COMPLETED", "COMPLETED"]
    control.post(f"/clock/advance?team={one[0]}", {"seconds": 90_000})
    assert statuses() == ["EXPIRED", "COMPLETED"]
    advance(90_000)
    assert statuses() == ["EXPIRED", "EXPIRED"]


def test_the_link_of_a_download_expires_by_its_teams_clock(control, one, two):
    links = []
    for id, api in (one, two):
        export = api.post("/team/exports", WINDOW).json["id"]
        control.post(f"/clock/advance?team={id}", {"seconds": 0})
        links.append(api.get(f"/team/exports/{export}").json["downloadUrl"])
    control.put("/clock", {"now": AHEAD})
    answers = [control.client.get(link, buffered=True).status_code for link in links]
    assert answers == [200, 200]
    control.put(f"/clock?team={one[0]}", {"now": AHEAD})
    answers = [control.client.get(link, buffered=True).status_code for link in links]
    assert answers == [403, 200]


def test_calls_begin_and_go_on_by_their_teams_clock(control, one, two, make_worker, make_flow, make_voice_deployment):
    control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    for _, api in (one, two):
        line = make_voice_deployment(make_flow(make_worker(api=api)["id"], api=api), api=api)
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "inProgress": True, "outcome": "completed"}
        assert control.post("/simulate/calls", body).status_code == 201

    def calls():
        return [control.get(f"/state?team={id}").json["voiceLogs"][0] for id, _ in (one, two)]

    def statuses():
        return [call["status"] for call in calls()]

    assert [call["startTime"] for call in calls()] == [AHEAD, WORLD]
    assert statuses() == ["ringing", "ringing"]
    control.post(f"/clock/advance?team={one[0]}", {"seconds": 900})
    assert statuses() == ["completed", "ringing"]
    control.post("/clock/advance", {"seconds": 10})
    assert statuses() == ["completed", "in-progress"]


def test_a_reset_of_the_team_or_of_all_takes_its_clock_away(control, one, app):
    control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    control.post(f"/reset?team={one[0]}")
    assert now(control, one) == WORLD
    control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    control.post("/reset")
    assert app.world.clock.teams == ()


def test_a_snapshot_of_the_world_holds_the_teams_clocks(control, one):
    control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    control.post("/snapshots", {"name": "here"})
    control.delete(f"/clock?team={one[0]}")
    control.post("/snapshots/here/restore")
    assert now(control, one) == AHEAD


@pytest.mark.parametrize("own", [True, False])
def test_a_snapshot_of_a_team_holds_its_time(control, one, two, own):
    if own:
        control.put(f"/clock?team={one[0]}", {"now": AHEAD, "frozen": True})
    control.post(f"/snapshots?team={one[0]}", {"name": "here"})
    for team in (one, two):
        control.post(f"/clock/advance?team={team[0]}", {"seconds": 3600})
    control.post(f"/snapshots/here/restore?team={one[0]}")
    assert (now(control), now(control, one)) == (WORLD, AHEAD if own else WORLD)
    assert now(control, two) == "2026-03-02T11:00:00.000Z"


def test_a_rate_limit_counts_by_the_clock_of_the_keys_team(control, one, two):
    for team in (one, two):
        control.put(f"/clock?team={team[0]}", {"now": AHEAD, "frozen": True})
    control.post("/faults", {"path": "/api/workers", "rateLimit": {"requests": 1, "windowSeconds": 10}})

    def asked():
        return [api.get("/workers").status_code for _, api in (one, two)]

    assert asked() == [200, 200]
    control.post("/clock/advance", {"seconds": 60})
    assert asked() == [429, 429]
    control.post(f"/clock/advance?team={one[0]}", {"seconds": 60})
    assert asked() == [200, 429]


def test_a_restart_keeps_a_teams_clock(restart):
    _, plane = restart()
    team = plane.get("/teams").json[0]["id"]
    plane.put(f"/clock?team={team}", {"now": AHEAD, "frozen": True})
    _, plane = restart()
    assert plane.get(f"/clock?team={team}").json == {"now": AHEAD, "frozen": True}


def test_calls_come_in_by_the_start_teams_clock(control, app, make_voice_deployment):
    make_voice_deployment()
    team = control.get("/teams").json[0]["id"]
    control.put("/settings", {"callsPerMinute": 20})
    control.post(f"/clock/advance?team={team}", {"seconds": 120})
    logs = control.get("/state").json["voiceLogs"]
    assert logs and all(WORLD < log["startTime"] <= "2026-03-02T10:02:00.000Z" for log in logs)
    before = len(logs)
    control.post("/clock/advance", {"seconds": 600})
    assert len(control.get("/state").json["voiceLogs"]) == before
