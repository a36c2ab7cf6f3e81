"""The origin of requests: who sent them, who may say so, and what leaves out which."""

import httpx
import pytest

from dryline.settings import Settings
from dryline.testing import DrylineError, DrylineInProcess
from dryline.tests.conftest import NEW_WORKER, Api
from dryline.world import request_log
from dryline.world.origins import ORIGIN_KEY

ARRANGED = {"X-Dryline-Origin": "arranged"}


@pytest.fixture
def send(app):
    """Return a function that sends a request of an origin that its environ or its headers say."""
    api = Api(app.test_client(), "dryline-local-key")
    ways = {
        "program": {},
        "test": {"headers": {"X-Dryline-Origin": "test"}},
        "arranged": {"headers": ARRANGED},
        "console": {"environ_overrides": {ORIGIN_KEY: "console"}},
    }

    def send(origin, method="GET", path="/workers", **kwargs):
        if origin == "inbox":
            return api.client.post("/inbox/hooks", json={})
        return api._send(method, path, **ways[origin], **kwargs)

    return send


ORIGINS = ("program", "test", "arranged", "console", "inbox")


def origins(control, query=""):
    return [entry["origin"] for entry in control.get(f"/requests{query}").json]


def test_a_search_leaves_out_what_is_arranged_and_the_console_unless_it_names_them(send, control):
    for origin in ORIGINS:
        send(origin)
    assert origins(control) == ["inbox", "test", "program"]
    assert origins(control, "?origin=all") == [*reversed(ORIGINS)]
    for origin in ORIGINS:
        assert origins(control, f"?origin={origin}") == [origin]
        assert control.post("/requests/verify", {"origin": origin, "times": 1}).json == {"count": 1}
    assert control.get("/requests/count").json == {"count": 3}
    assert control.post("/requests/verify", {"times": 3}).json == {"count": 3}
    assert control.post("/requests/wait", {"count": 4, "timeoutMs": 0}).json["count"] == 3


def test_an_unknown_origin_of_a_search_is_refused_with_the_choices(control):
    answers = [control.get("/requests?origin=tests"), control.post("/requests/verify", {"origin": "tests"})]
    assert [answer.status_code for answer in answers] == [400, 400]
    assert all("program, test, arranged, console, inbox, all" in answer.json["error"] for answer in answers)


def test_a_check_that_fails_shows_what_is_arranged_as_a_near_miss(send, control):
    send("arranged", "POST", json=NEW_WORKER)
    answer = control.post("/requests/verify", {"method": "POST", "path": "/api/workers"})
    (near,) = answer.json["nearest"]
    assert (near["request"]["origin"], near["misses"]) == ("arranged", ["origin"])


@pytest.mark.parametrize("origin", ["arranged", "console"])
def test_no_fault_and_no_rate_limit_applies_to_what_is_arranged_or_from_the_console(send, control, origin):
    control.post("/faults", {"path": "/api/workers", "rateLimit": {"requests": 1, "windowSeconds": 60}})
    control.post("/faults", {"method": "POST", "status": 503, "times": 1})
    for _ in range(3):
        assert send(origin).status_code == 200
    assert send(origin, "POST", json=NEW_WORKER).status_code == 201
    assert send("program", "POST", json=NEW_WORKER).status_code == 503
    assert [send("test").status_code for _ in range(2)] == [429, 429]  # the POST was the one allowed request
    assert [rule["matches"] for rule in control.get("/faults").json] == [1, 3]


def test_requests_of_other_origins_that_fell_out_of_the_log_do_not_hinder_a_check(send, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 2)
    for _ in range(4):
        send("arranged")
    send("program")
    assert control.post("/requests/verify", {"path": "/api/workers", "times": 1}).status_code == 200
    assert control.post("/requests/verify", {"origin": "arranged", "times": 1}).status_code == 400


@pytest.mark.parametrize("value", ["console", "inbox", "program", "Arranged", ""])
def test_a_header_cannot_name_another_origin(api, control, value):
    answer = api.get("/workers", headers={"X-Dryline-Origin": value})
    assert (answer.status_code, answer.json["error"]) == (400, "X-Dryline-Origin: Must be test or arranged.")
    assert origins(control) == ["program"]


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"X-Dryline-Outgoing": "webhook"},
        {"X-Forwarded-For": "203.0.113.9"},
        {"Host": "elsewhere.example"},
    ],
)
def test_what_may_not_use_the_control_plane_cannot_arrange(api, control, headers):
    control.post("/faults", {"path": "/api/workers", "status": 503, "times": 1})
    assert api.get("/workers", headers=ARRANGED | headers).status_code == 503
    assert api.get("/workers", headers=ARRANGED | headers).status_code == 403
    assert origins(control) == ["program", "program"]


class TestWithAToken:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", seed=1, admin_token="secret")

    def test_arranging_needs_it(self, api):
        assert api.get("/workers", headers=ARRANGED).status_code == 403
        assert api.get("/workers", headers=ARRANGED | {"x-dryline-token": "guessed"}).status_code == 403
        assert api.get("/workers", headers=ARRANGED | {"x-dryline-token": "secret"}).status_code == 200
        assert api.get("/workers", headers={"X-Dryline-Origin": "test"}).status_code == 200


def test_helpers_select_requests_by_their_origin():
    with DrylineInProcess() as dryline:
        dryline.client().workers.list()
        with httpx.Client(transport=dryline.transport(), base_url=dryline.url) as program:
            program.get("/api/team", headers={"x-api-key": dryline.api_key})
        assert dryline.verify(times=2) == 2
        assert [entry["path"] for entry in dryline.requests(origin="program")] == ["/api/team"]
        assert [entry["path"] for entry in dryline.wait_for_request(origin="test")] == ["/api/workers"]
        with pytest.raises(DrylineError, match=r"(?s)found 1\..*wanted: origin 'program'"):
            dryline.verify(origin="program", times=2)


def test_the_former_name_of_the_criterion_lives_on():
    with DrylineInProcess() as dryline:
        dryline.client().workers.list()
        with pytest.warns(DeprecationWarning, match="from_test is now origin") as warnings:
            assert dryline.verify(from_test=True) == 1
            assert dryline.verify(from_test=False, times=0) == 0
            assert dryline.requests(from_test=False) == []
        assert {warning.filename for warning in warnings} == {__file__}
