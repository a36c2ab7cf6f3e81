"""Access to the control plane. Contract: DESIGN, The control plane."""

import httpx
import pytest

from dryline.app import create_app
from dryline.serving.server import in_thread
from dryline.settings import Settings

PATHS = ["/settings", "/state", "/teams", "/snapshots", "/clock", "/faults", "/requests", "/webhooks"]


@pytest.fixture
def start():
    """Start a stand-in with these settings and give its client."""
    apps = []

    def make(**settings):
        apps.append(create_app(Settings(ephemeral=True, scenario="empty", **settings)))
        return apps[-1].test_client()

    yield make
    for app in apps:
        app.close()


def status(client, path="/settings", token=None, **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    if token is not None:
        sent["x-dryline-token"] = token
    return client.get(f"/_dryline{path}", headers=sent).status_code


@pytest.fixture
def client(app):
    """Return a client of a stand-in without a token, on this machine."""
    return app.test_client()


def test_anyone_on_this_machine_may_use_it_and_no_other_sites_page(client):
    for path in PATHS:
        assert status(client, path) == 200, path
        assert status(client, path, Origin="https://evil.example") == 403, path
        assert status(client, path, Sec_Fetch_Site="cross-site") == 403, path
        assert status(client, path, Host="evil.example") == 403, path


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:65535", "[::1]:4010"])
def test_its_own_pages_may_on_any_port_of_this_machine(client, host):
    assert status(client, Host=host, Origin=f"http://{host}", Sec_Fetch_Site="same-origin") == 200


@pytest.mark.parametrize(
    "origin", ["null", "http://localhost:3000", "https://localhost:4010", "http://127.0.0.1:4010", "http://localhost"]
)
def test_a_page_of_another_origin_may_not_even_from_this_machine(client, origin):
    assert status(client, Host="localhost:4010", Origin=origin) == 403


def test_writes_and_unsafe_methods_are_guarded_alike(client):
    headers = {"Origin": "https://evil.example"}
    for method, path in (("POST", "/reset"), ("PUT", "/state"), ("DELETE", "/clock"), ("OPTIONS", "/state")):
        assert client.open(f"/_dryline{path}", method=method, headers=headers).status_code == 403


PROXY_HEADERS = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via")


def test_a_proxys_headers_reach_the_check_over_a_connection():
    with in_thread(Settings(ephemeral=True, scenario="empty", port=0)) as server, httpx.Client() as connection:
        for path in ("/_dryline/teams", "/console/state"):
            assert connection.get(server.url + path).status_code == 200
            for header in PROXY_HEADERS:
                assert connection.get(server.url + path, headers={header: "203.0.113.9"}).status_code == 403, header


@pytest.mark.parametrize("token", [None, "s3cret"])
def test_a_request_that_dryline_sends_for_a_team_is_refused(start, token):
    client = start(admin_token=token)
    assert status(client, token=token) == 200
    assert status(client, token=token, X_Dryline_Outgoing="1") == 403


def test_with_a_token_only_its_header_opens(start):
    client = start(admin_token="s3cret-t.k")
    for path in PATHS:
        assert [status(client, path, token) for token in (None, "", "wrong")] == [403] * 3, path
        assert status(client, path, "s3cret-t.k") == 200, path


def test_a_token_opens_from_anywhere(start):
    client = start(admin_token="s3cret", host="0.0.0.0")
    assert status(client, token="s3cret", Host="dryline.test", Origin="https://ci.example") == 200
    assert status(client, Host="localhost") == 403


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "dryline.test"])
def test_bound_to_another_address_without_a_token_it_is_closed(start, host):
    client = start(host=host)
    assert {status(client, path) for path in PATHS} == {403}
    assert "--admin-token" in client.get("/_dryline/settings").json["error"]


@pytest.mark.parametrize("settings", [{}, {"host": "0.0.0.0"}, {"admin_token": "s3cret"}])
def test_health_is_open_to_all(start, settings):
    client = start(**settings)
    assert status(client, "/health", Origin="https://evil.example", Host="evil.example") == 200
