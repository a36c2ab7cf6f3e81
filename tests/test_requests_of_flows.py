"""A flow's requests reach APIs and inboxes, and neither the control plane nor the console of any dryline server."""

import pytest

from dryline.testing import DrylineServer


@pytest.fixture(scope="module")
def server():
    with DrylineServer() as server:
        yield server


@pytest.fixture(scope="module")
def other():
    with DrylineServer() as server:
        server.add({"version": 1, "workers": [{"id": "worker_1", "name": "Front desk"}]})
        yield server


@pytest.fixture
def run(server):
    """Run code as a flow. Returns what it printed."""

    def run(code):
        session = server.plane("POST", "/talk", {"code": f"import requests\n{code}"})
        return [event["text"] for event in session["events"] if event["type"] == "printed"]

    return run


@pytest.mark.parametrize("header", ["Content-Length", "CONTENT-LENGTH", "Transfer-Encoding", "Host"])
def test_a_flow_cannot_hide_a_second_request_in_a_body(server, run, header):
    server.plane("DELETE", "/requests")
    hidden = "POST /_dryline/clock/advance HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    headers = {header: "0", "Connection": "keep-alive"}
    assert run(
        f"r = requests.post('{server.url}/inbox/x', headers={headers}, data={hidden!r})\nprint(r.status_code)"
    ) == ["204"]
    (request,) = server.requests(path="/inbox/x")
    assert request["body"] == hidden


@pytest.mark.parametrize("headers", [{}, {"x-dryline-outgoing": "0"}])
@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/_dryline/reset"), ("GET", "/_dryline/teams"), ("GET", "/console")]
)
def test_another_server_refuses_a_flow_at_its_control_plane_and_console(other, run, method, path, headers):
    assert run(f"print(requests.request('{method}', '{other.url}{path}', headers={headers}).status_code)") == ["403"]
    assert [worker["id"] for worker in other.state()["workers"]] == ["worker_1"]


def test_a_flow_never_reaches_the_control_plane_of_its_own_server(server, run):
    """Else the holder of an API key could reset the world by a flow."""
    code = f"try:\n    requests.post('{server.url}/_dryline/reset')\nexcept Exception as refusal:\n    print(refusal)"
    assert "leads to this server itself" in run(code)[0]


def test_a_flow_reaches_the_api_of_another_server(other, run):
    headers = {"x-api-key": other.api_key}
    assert run(f"print(requests.get('{other.url}/api/workers', headers={headers}).json()[0]['id'])") == ["worker_1"]


def test_the_own_inbox_has_a_name_on_every_port_and_nothing_else_has(server, run):
    server.plane("DELETE", "/requests")
    assert run("print(requests.post('http://inbox.dryline.invalid/inbox/x', json={}).status_code)") == ["204"]
    assert len(server.requests(path="/inbox/x")) == 1
    code = "try:\n    requests.post('http://inbox.dryline.invalid/_dryline/reset')\nexcept Exception as refusal:\n"
    assert "leads to this server itself" in run(f"{code}    print(refusal)")[0]
