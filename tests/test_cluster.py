"""Two nodes behind the nginx that deploy/ sets up: routing by key, a killed node, a moved team."""

import contextlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import httpx
import pytest

from dryline.tests.cluster import NODES, ROOT, START_S, TOKEN, Cluster
from dryline.tests.conftest import NEW_WORKER


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Start one cluster for all tests. Each test has its own teams."""
    if shutil.which("nginx") is None:
        reason = "nginx is not installed"
        pytest.fail(reason) if os.environ.get("DRYLINE_TEST_NGINX") else pytest.skip(reason)
    # A socket's path must be short.
    folder = Path(tmp_path_factory.mktemp("n"))
    with Cluster(folder) as running:
        yield running


def test_every_teams_requests_land_on_its_node(cluster):
    teams = {node: cluster.team(node) for node in NODES}
    for node, team in teams.items():
        team.vendors_client().workers.create(**NEW_WORKER | {"name": f"Of {node}"})
    for node, team in teams.items():
        assert [worker.name for worker in team.vendors_client().workers.list()] == [f"Of {node}"]
        workers = cluster.nodes[node].ask("GET", "/_dryline/state").json()["workers"]
        assert {worker["teamId"] for worker in workers} == {team.id}


def test_links_of_a_node_work_through_the_proxy(cluster):
    team = cluster.team("dryline-1")
    worker = team.hire("One").json()["id"]
    params = {"fileName": "a.txt", "contentType": "text/plain"}
    address = team.ask("GET", f"/api/upload/{worker}/resource-upload-url", params=params).json()["uploadUrl"]
    assert address.startswith("http://proxy.test/dryline-1/uploads/")
    assert cluster.client.put(address.replace("dryline-1", "dryline-0"), content=b"x").status_code == 403
    assert cluster.client.put(address, content=b"x" * 100_000).status_code == 200


def test_each_nodes_plane_and_console_have_its_path(cluster):
    for name in NODES:
        assert cluster.client.get(f"/{name}/_dryline/health").json()["node"] == name
        assert cluster.client.get(f"/{name}/_dryline/teams").status_code == 403
        assert cluster.client.get(f"/{name}/_dryline/teams", headers=TOKEN).status_code == 200
        page = cluster.client.get(f"/{name}/console", follow_redirects=True)
        assert page.url.path == f"/{name}/console/sign-in" and f'href="/{name}/console/static/' in page.text
        assert f'src="/{name}/docs/assets/' in cluster.client.get(f"/{name}/docs").text
    for path in ("/", "/_dryline/teams", "/console"):
        answer = cluster.client.get(path)
        assert (answer.status_code, list(answer.json())) == (404, ["error"])
    assert cluster.client.get("/api/workers").json()["error"]  # of the node


@contextlib.contextmanager
def writing(team):
    """Create workers in a thread. Yields the names that were answered with 201, and the answers that nobody expects."""
    acknowledged, unexpected, enough, ending = set(), [], threading.Event(), threading.Event()

    def write():
        while not (ending.is_set() or unexpected):
            name = str(len(acknowledged))
            try:
                answer = team.hire(name)
            except httpx.TransportError:  # nginx closes idle connections when it reloads
                continue
            if answer.status_code == 201:
                acknowledged.add(name)
            elif (answer.status_code, answer.headers.get("retry-after")) != (503, "1"):
                unexpected.append((answer.status_code, answer.text))
            if len(acknowledged) == 20 or unexpected:
                enough.set()

    thread = threading.Thread(target=write)
    thread.start()
    try:
        assert enough.wait(START_S)
        yield acknowledged, unexpected
    finally:
        ending.set()
        thread.join()


def script_of_the_guide(cluster, team):
    """Return the script of docs/scaling.md, "Move a team", for these nodes and this nginx."""
    section = (ROOT / "docs" / "scaling.md").read_text().partition("\n## Move a team\n")[2]
    script = section.partition("```sh\n")[2].partition("```")[0]
    a, b = (cluster.nodes[name].url for name in NODES)
    for written, here in (
        ("DRYLINE_ADMIN_TOKEN=…", "DRYLINE_ADMIN_TOKEN=t"),
        ("TEAM=team_… KEY=dl_dryline-0_…", f"TEAM={team.id} KEY={team.key}"),
        ("A=http://dryline-0:4010 B=http://dryline-1:4010", f"A={a} B={b}"),
        ("/etc/nginx/conf.d/dryline.conf", str(cluster.folder / "dryline.conf")),
        ("nginx -s reload", f"nginx -p {cluster.folder} -c {cluster.folder / 'nginx.conf'} -s reload"),
        ("https://dryline.example.com/", f"--unix-socket {cluster.socket} http://proxy.test/"),
    ):
        assert script.count(written) == 1, written
        script = script.replace(written, here)
    return f'set -e\ndryline() {{ "{sys.executable}" -m dryline "$@"; }}\n{script}'


def test_a_team_that_is_moved_as_the_guide_says_loses_no_acknowledged_write(cluster):
    team, others = cluster.team("dryline-0"), cluster.team("dryline-0")
    others.hire("Theirs")
    with writing(team) as (acknowledged, unexpected):
        script = script_of_the_guide(cluster, team)
        done = subprocess.run(["sh", "-c", script], cwd=cluster.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        count = len(acknowledged)
        for _ in range(10_000):
            if len(acknowledged) > count + 10 or unexpected:
                break
            team.names()
    assert unexpected == []
    assert team.names() == acknowledged
    assert len(acknowledged) > count + 10
    assert cluster.nodes["dryline-0"].ask("GET", "/_dryline/state", params={"team": team.id}).status_code == 404
    assert others.names() == {"Theirs"}


def test_a_killed_node_stops_only_its_teams(cluster):
    teams = {name: cluster.team(name) for name in NODES}
    cluster.nodes["dryline-1"].kill()
    try:
        answer = teams["dryline-1"].ask("GET", "/api/workers")
        assert (answer.status_code, answer.headers["content-type"]) == (502, "application/json")
        assert "does not answer" in answer.json()["error"]
        assert teams["dryline-0"].hire("Meanwhile").status_code == 201
    finally:
        cluster.nodes["dryline-1"].start().wait()
    assert teams["dryline-1"].hire("After").status_code == 201
