"""A node, which is one of several servers: its name in keys, ids, links and reports."""

import json
import logging
import re

import httpx
import pytest

from dryline.serving.log_output import JsonFormatter, TextFormatter
from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineServer
from dryline.world.ids import Ids, node_digits

UUID = re.compile(r"worker_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
BELOW = "http://proxy.test/a"


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, node="a")


@pytest.fixture
def control(app):
    """Return a function that sends requests to node a with its start key."""
    client = app.test_client()

    def ask(method, path, json=None):
        return client.open(path, method=method, json=json, headers={"x-api-key": "dl_a_local-key"})

    return ask


@pytest.fixture(scope="module")
def served():
    """Start node a, and send requests as a proxy does: with another host name, below a path."""
    with DrylineServer(node="a", public_url=BELOW, seed=1, scenario="demo", admin_token="t") as server:
        headers = {"host": "proxy.test", "x-dryline-token": "t", "x-api-key": server.api_key}
        with httpx.Client(base_url=server.url, headers=headers) as client:
            yield client


def test_a_key_that_a_node_makes_carries_its_name(control):
    team = control("POST", "/_dryline/teams").json
    assert team["apiKey"].startswith("dl_a_")
    assert control("POST", f"/_dryline/teams/{team['id']}/keys").json["key"].startswith("dl_a_")


def test_ids_of_a_node_have_the_contracts_form_and_end_with_its_name(control):
    made = control("POST", "/api/workers", {"name": "One", "description": None, "status": None}).json
    assert UUID.fullmatch(made["id"])
    assert made["id"].endswith(node_digits("a"))


def test_nodes_with_one_seed_never_hand_out_the_same_id():
    names = [*"abcdefghij", "-", "--", "a-", "-a", "aa", "zzzzzzzzz"]
    made = [{Ids(7, node=name).new("worker") for _ in range(3)} | {f"{node_digits(name)}"} for name in names]
    assert len(set.union(*made)) == sum(map(len, made))


@pytest.mark.parametrize("body", [{"sha256": "short"}, {"sha256": "0" * 64, "key": "clear"}])
def test_a_digest_is_whole_and_goes_with_no_key(control, body):
    team = control("GET", "/_dryline/teams").json[0]["id"]
    assert control("POST", f"/_dryline/teams/{team}/keys", body).status_code == 400


@pytest.mark.parametrize("path", ["/api/workers", "/docs", "/openapi.json", "/_dryline/health", "/docs/assets/LICENSE"])
def test_a_proxy_may_strip_the_public_path_or_pass_it_on(served, path):
    stripped, passed = served.get(path), served.get(f"/a{path}")
    assert stripped.status_code == passed.status_code
    assert stripped.content == passed.content


def test_every_address_that_pages_name_lies_below_the_public_path(served):
    for page in ("/console", "/console/connect", "/console/live", "/docs"):
        addresses = re.findall(r'(?:href|src|action|hx-get|hx-post)="(/[^"]*)"', served.get(page).text)
        assert addresses, page
        assert [address for address in addresses if not address.startswith("/a/")] == []
    assert 'data-root="/a"' in served.get("/docs").text  # where its script finds the document


def test_redirects_and_cookies_stay_below_the_public_path(served):
    assert served.get("/").headers["location"] == "/a/console"
    assert served.get("/?range=24h").headers["location"] == "/a/console?range=24h"
    signing_in = served.get("/a/console/faults", headers={"x-dryline-token": ""})
    assert signing_in.headers["location"] == "/a/console/sign-in?next=/a/console/faults"
    page = served.get("/console/sign-in", headers={"x-dryline-token": ""})
    assert "Path=/a/console" in page.headers["set-cookie"]
    token = re.search(r'name="_token" value="([^"]+)"', page.text)[1]
    sent = {"token": "t", "_token": token}
    done = served.post("/a/console/sign-in?next=/a/console/faults", data=sent, headers={"x-dryline-token": ""})
    assert (done.status_code, done.headers["location"]) == (303, "/a/console/faults")


def test_links_lie_below_the_public_path(served):
    worker = served.get("/api/workers").json()[0]["id"]
    calls = served.get(f"/api/workers/{worker}/deploymentLogs/voice").json()["data"]
    assert any(call["recordingUrl"] and call["recordingUrl"].startswith(f"{BELOW}/recordings/") for call in calls)
    assert served.get("/openapi.json").json()["servers"] == [{"url": BELOW}]


def test_health_names_the_node(served):
    assert served.get("/_dryline/health").json()["node"] == "a"


def test_log_lines_name_the_node(app, control, caplog):
    caplog.set_level(logging.INFO)
    control("GET", "/api/workers")
    logging.getLogger("dryline").info("said")
    request, record = caplog.records
    assert json.loads(JsonFormatter(app).format(request))["node"] == "a"
    assert re.match(r"\d\d:\d\d:\d\d a GET ", TextFormatter(app).format(request))
    assert TextFormatter(app).format(record).endswith(" a INFO said")


@pytest.mark.parametrize("node", ["", "A", "a_b", "console", "tencharact", "é"])
def test_a_name_that_a_proxy_could_not_tell_is_refused(node):
    with pytest.raises(BadSetting, match="--node"):
        Settings(node=node)
