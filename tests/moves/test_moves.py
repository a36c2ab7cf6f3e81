"""A team moves from server to server, whole or not at all, whatever happens on the way."""

import contextlib
import re
from datetime import timedelta

import pytest
from click.testing import CliRunner

from dryline import team_commands
from dryline.app import create_app
from dryline.command_line import cli
from dryline.settings import Settings
from dryline.state.document import unchecked, wipe
from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER
from dryline.tests.moves.nodes import Team, http

FOREVER = {"startDate": "2020-01-01T00:00:00Z", "endDate": "2020-02-01T00:00:00Z"}


def move(team, source, target, code=0):
    done = CliRunner().invoke(cli, ["team", "move", team.id, "--from", source.url, "--to", target.url])
    assert done.exit_code == code, done.output
    return done.output


def fill(team, server):
    """One of everything that is more than a row: an upload, a finished export, calls, a conversation."""
    worker = team.hire(server).json()
    base = f"/api/workers/{worker['id']}"
    flow = {"name": "Main", "label": None, "code": "loop:\n    talk('Say hello')\n"}
    flow = team.ask(server, "POST", f"{base}/flows", json=flow).json()
    line = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow["id"]}
    line = team.ask(server, "POST", f"{base}/deployments/voice", json=line).json()
    calls = {"workerId": worker["id"], "deploymentId": line["id"], "count": 3, "follow": "script"}
    assert http.post(f"{server.url}/_dryline/simulate/calls", json=calls).status_code == 201
    about = {"fileName": "menu.txt", "contentType": "text/plain"}
    address = team.ask(server, "GET", f"/api/upload/{worker['id']}/resource-upload-url", params=about).json()
    assert http.put(address["uploadUrl"], content=b"soup of the day").status_code == 200
    export = team.ask(server, "POST", "/api/team/exports", json={"format": "CSV", "logType": "voice"} | FOREVER).json()
    http.post(f"{server.url}/_dryline/clock/advance", json={"seconds": 0})
    assert http.post(f"{server.url}/_dryline/talk", json={"flowId": flow["id"]}).status_code == 201
    return export["id"]


def test_a_moved_team_has_all_that_it_had(a, b, team):
    export = fill(team, a)
    before = team.state(a)
    assert before["voiceLogs"] and before["exports"][0]["status"] == "COMPLETED"
    told = move(team, a, b)
    assert f"{team.id} has moved to {b.url}." in told
    assert team.state(b) == before
    with b.app.world.active():
        tables = ("upload", "talk_session", "talk_turn")
        counts = [
            b.app.world.db.execute_sql(f"SELECT COUNT(*) FROM {name} WHERE team_id = ?", (team.id,)) for name in tables
        ]
        assert all(found.fetchone()[0] for found in counts)
    assert list((b.app.world.directory / "uploads").glob("upload_*"))
    link = team.ask(b, "GET", f"/api/team/exports/{export}").json()["downloadUrl"]
    assert link.startswith(b.url) and http.get(link).status_code == 200


def test_nothing_of_a_moved_team_stays_behind(a, b, team):
    fill(team, a)
    kept = {path.name for path in a.app.world.directory.rglob("*") if path.is_file()}
    move(team, a, b)
    assert http.get(f"{a.url}/_dryline/state", params={"team": team.id}).status_code == 404
    left = {path.name for path in a.app.world.directory.rglob("*") if path.is_file()}
    assert left <= kept
    assert team.step(a).json()["kept"] is False
    assert not list((b.app.world.directory / "arriving").iterdir())


def test_who_brings_the_key_of_a_moved_team_is_sent_to_its_server(a, b, team):
    move(team, a, b)
    answer = team.ask(a, "GET", "/api/workers?name=a%20b")
    assert (answer.status_code, answer.headers["location"]) == (307, f"{b.url}/api/workers?name=a%20b")
    assert answer.headers["x-accel-redirect"] == "@b"
    assert team.hire(a, "Followed", follow_redirects=True).status_code == 201
    assert team.names(b) == ["Followed"]


def test_a_team_comes_back_as_it_went(a, b, team):
    team.hire(a, "Before")
    move(team, a, b)
    team.hire(b, "There")
    move(team, b, a)
    assert team.names(a) == ["There", "Before"]
    assert team.ask(b, "GET", "/api/workers").status_code == 307
    assert team.step(a).json()["gone"] is None  # a restore of the world would take it away again
    assert team.hire(a, "After").status_code == 201


def test_while_a_team_is_held_it_is_read_but_not_written(a, team):
    other = Team(a)
    worker = team.hire(a).json()
    about = {"fileName": "menu.txt", "contentType": "text/plain"}
    upload = team.ask(a, "GET", f"/api/upload/{worker['id']}/resource-upload-url", params=about).json()["uploadUrl"]
    form = {"_token": re.search(r'name="_token" value="([^"]+)"', http.get(f"{a.url}/console/state").text)[1]}
    keys = {"authorization": f"Bearer {team.key}", "x-brainbase-api-key": team.key}
    assert team.step(a, "POST").status_code == 201
    try:
        refused = team.hire(a, "Two")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
        assert team.names(a) == ["One"]
        assert other.hire(a).status_code == 201
        assert http.post(f"{a.url}/_dryline/clock/advance", json={"seconds": 0}).status_code == 503
        assert http.post(f"{a.url}/_dryline/teams").status_code == 503
        assert http.post(f"{a.url}/console/bar/settings", data=form).status_code == 503
        assert http.put(upload, content=b"soup").status_code == 503
        said = {"model": "m", "messages": [{"role": "user", "content": "Hello"}]}
        asked = {"agent_id": worker["id"]}
        assert http.post(f"{a.url}/v1/chat/completions", json=said, params=asked, headers=keys).status_code == 503
    finally:
        team.step(a, "DELETE")
    assert team.hire(a, "Two").status_code == 201


def test_while_a_team_is_held_nothing_moves_by_itself(a, team):
    asked = {"format": "CSV", "logType": "voice"} | FOREVER
    http.put(f"{a.url}/_dryline/clock", json={"frozen": True})  # nothing falls due before the team is held
    http.put(f"{a.url}/_dryline/settings", json={"exportDelayMs": 1000})
    try:
        export = team.ask(a, "POST", "/api/team/exports", json=asked).json()["id"]
        team.step(a, "POST")
        with a.app.world.active():
            a.app.world.clock.advance(timedelta(seconds=2))
            a.app.jobs.run_due()
        assert team.ask(a, "GET", f"/api/team/exports/{export}").json()["status"] == "PENDING"
    finally:
        team.step(a, "DELETE")
        http.put(f"{a.url}/_dryline/settings", json={"exportDelayMs": 0})
        http.delete(f"{a.url}/_dryline/clock")


def test_a_hold_that_nobody_goes_on_with_ends(a, team, monkeypatch):
    monkeypatch.setattr("dryline.world.moves.HOLD_S", 0)
    assert team.step(a, "POST").status_code == 201
    assert team.hire(a).status_code == 201


def test_between_hand_over_and_arrival_the_key_is_asked_to_wait(a, b, team):
    copied = team.step(a, "POST").json()
    content = team.step(a, path="/file").content
    arrived = team.step(b, "PUT", f"/file?move={copied['move']}", content=content).json()
    assert (arrived["digest"], arrived["rows"]) == (copied["digest"], copied["rows"])
    waiting = team.ask(b, "GET", "/api/workers")
    assert (waiting.status_code, waiting.headers["retry-after"]) == (503, "1")
    move(team, a, b)
    assert team.ask(b, "GET", "/api/workers").status_code == 200


def test_a_key_that_is_remembered_does_not_open_what_has_just_left(a, team):
    team.hire(a)
    assert team.names(a) == ["One"]
    team.step(a, "POST")
    try:
        with a.app.world.active(), unchecked(a.app.world), a.app.world.transaction():
            wipe(a.app.world, team.id)  # as the hand-over has it, before anything else is told of it
        assert team.ask(a, "GET", "/api/workers").status_code == 503
    finally:
        team.step(a, "DELETE")


class Killed(BaseException):
    """What nobody catches."""


@pytest.fixture
def killed_at(monkeypatch):
    """Kill the command once its request of this number is answered; nothing of it is cleaned up."""
    ask, let_go = team_commands.Server.__call__, team_commands.Move._let_go

    def arrange(number):
        asked = 0

        def counted(server, *args, **kwargs):
            nonlocal asked
            asked += 1
            answer = ask(server, *args, **kwargs)
            if asked == number:
                raise Killed
            return answer

        monkeypatch.setattr(team_commands.Server, "__call__", counted)
        monkeypatch.setattr(team_commands.Move, "_let_go", lambda move: None)

    def off():
        monkeypatch.setattr(team_commands.Server, "__call__", ask)
        monkeypatch.setattr(team_commands.Move, "_let_go", let_go)

    arrange.off = off
    return arrange


def test_killed_at_any_step_nothing_is_lost_or_doubled_and_the_same_command_goes_on(a, b, killed_at):
    for number in range(1, 20):
        team = Team(a)
        team.hire(a, "One")
        before = team.state(a)
        killed_at(number)
        with contextlib.suppress(Killed):
            CliRunner().invoke(cli, ["team", "move", team.id, "--from", a.url, "--to", b.url])
            break
        live = [server for server in (a, b) if team.ask(server, "GET", "/api/workers").status_code == 200]
        assert len(live) <= 1
        if not live:  # handed over: the source sends to the target, where the copy waits
            assert team.ask(a, "GET", "/api/workers").headers["location"].startswith(b.url)
            assert team.ask(b, "GET", "/api/workers").status_code == 503
        killed_at.off()
        move(team, a, b)
        assert team.state(b) == before
    assert number > 9
    assert team.names(b) == ["One"]


def test_a_team_that_changes_while_it_is_copied_is_copied_again(a, b, team, monkeypatch):
    worker = team.hire(a).json()
    bring = team_commands.Move._bring
    changed = []

    def bring_and_change(move, move_id):
        found = bring(move, move_id)
        if not changed:  # as a job might that had begun before
            with a.app.world.active(), a.app.world.transaction():
                a.app.world.db.execute_sql("UPDATE worker SET name = 'Later' WHERE id = ?", (worker["id"],))
            changed.append(move_id)
        return found

    monkeypatch.setattr(team_commands.Move, "_bring", bring_and_change)
    assert "once more" in move(team, a, b)
    assert team.names(b) == ["Later"]


def test_a_team_whose_ids_another_has_there_stays(a, b, team):
    worker = team.hire(a).json()
    there = Team(b)
    state = {"version": 1, "workers": [{"id": worker["id"], "name": "Other", "teamId": there.id}]}
    http.post(f"{b.url}/_dryline/state", params={"team": there.id}, json=state).raise_for_status()
    told = move(team, a, b, code=1)
    assert "Another team has what is in it" in told and "on both sides" not in told  # before it is handed over
    assert team.hire(a, "Two").status_code == 201
    assert team.step(b).json()["arriving"] is None


def test_a_team_that_its_target_cannot_take_after_all_is_taken_back(a, b, team, monkeypatch):
    worker = team.hire(a).json()
    before = team.state(a)
    there = Team(b)
    take = team_commands.Move._take

    def clash_and_take(move, move_id):
        state = {"version": 1, "workers": [{"id": worker["id"], "name": "Other", "teamId": there.id}]}
        http.post(f"{b.url}/_dryline/state", params={"team": there.id}, json=state).raise_for_status()
        take(move, move_id)

    monkeypatch.setattr(team_commands.Move, "_take", clash_and_take)
    move(team, a, b, code=1)
    assert team.state(a) == before
    assert team.hire(a, "Two").status_code == 201
    assert team.ask(b, "GET", "/api/workers").status_code == 401


def test_the_start_team_stays(a, b):
    start = http.get(f"{a.url}/_dryline/teams").json()[0]["id"]
    told = CliRunner().invoke(cli, ["team", "move", start, "--from", a.url, "--to", b.url])
    assert told.exit_code == 1 and "The start team cannot move" in told.output


def test_servers_whose_clocks_differ_exchange_no_team(a, b, team):
    http.put(f"{b.url}/_dryline/clock", json={"now": "2031-01-01T00:00:00Z"})
    try:
        assert "set them alike" in move(team, a, b, code=1)
    finally:
        http.delete(f"{b.url}/_dryline/clock")
    assert team.hire(a).status_code == 201


def test_a_team_that_nobody_has_is_not_found(a, b, team):
    team.id = "nobody"
    assert "not found" in move(team, a, b, code=1)


# After a restart


@pytest.fixture
def world(tmp_path):
    """Open a world that stays, again and again; its control plane is asked in this process."""

    @contextlib.contextmanager
    def opened(name):
        app = create_app(Settings(data_dir=tmp_path / name, scenario="empty", node=name))
        try:
            yield app
        finally:
            app.close()

    return opened


def test_who_has_gone_and_who_arrives_is_known_after_a_restart(world):
    with world("a") as app:
        client = app.test_client()
        team = client.post("/_dryline/teams").json
        path, key = f"/_dryline/moves/{team['id']}", {"x-api-key": team["apiKey"]}
        copied = client.post(path).json
        content = client.get(f"{path}/file", buffered=True).data
    with world("a") as app:  # a server that starts anew holds nobody
        client = app.test_client()
        body = {"move": copied["move"], "digest": copied["digest"], "address": "http://proxy.test/b", "node": "b"}
        assert client.post(f"{path}/hand-over", json=body).status_code == 409
        assert client.post("/api/workers", json=NEW_WORKER, headers=key).status_code == 201
        copied = client.post(path).json
        content = client.get(f"{path}/file", buffered=True).data
        body |= {"move": copied["move"], "digest": copied["digest"]}
        assert client.post(f"{path}/hand-over", json=body).status_code == 204
    with world("a") as app:
        client = app.test_client()
        sent = client.get("/api/workers", headers=key)
        assert (sent.status_code, sent.headers["location"]) == (307, "http://proxy.test/b/api/workers")
        assert client.get(f"{path}/file", buffered=True).data == content
    with world("b") as app:
        url = f"{path}/file?move={copied['move']}"
        assert app.test_client().put(url, data=content).status_code == 201
    with world("b") as app:
        client = app.test_client()
        assert client.get("/api/workers", headers=key).status_code == 503
        for _ in range(2):  # an answer that was lost may be asked for again
            assert client.post(f"{path}/take", json={"move": copied["move"]}).status_code == 204
        assert len(client.get("/api/workers", headers=key).json) == 1


def test_ids_that_came_with_a_team_are_never_handed_out(tmp_path):
    """Servers of one seed and without names, of which the second is behind the first."""
    with DrylineServer(seed=1) as one, DrylineServer(seed=1) as two:
        team = Team(one)
        for number in range(5):
            team.hire(one, f"{number}")
        move(team, one, two)
        taken = {worker["id"] for worker in team.state(two)["workers"]} | {team.id}
        other = Team(two)
        made = {other.hire(two).json()["id"] for _ in range(5)} | {other.id}
        assert not made & taken and len(made) == 6


def test_a_save_point_of_before_does_not_bring_a_team_back_that_lives_elsewhere(world):
    with world("a") as app:
        client = app.test_client()
        team = client.post("/_dryline/teams").json
        client.post("/_dryline/snapshots", json={"name": "before"})
        path = f"/_dryline/moves/{team['id']}"
        copied = client.post(path).json
        body = {"move": copied["move"], "digest": copied["digest"], "address": "http://proxy.test/b"}
        assert client.post(f"{path}/hand-over", json=body).status_code == 204
        assert client.post("/_dryline/snapshots/before/restore").status_code == 204
        assert client.get("/api/workers", headers={"x-api-key": team["apiKey"]}).status_code == 307
        assert len(client.get("/_dryline/teams").json) == 1
