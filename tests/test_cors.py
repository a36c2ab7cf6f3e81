"""Cross-origin requests from web pages named by --cors-origin."""

import pytest

from dryline.settings import Settings

ORIGIN = "https://app.example"
PREFLIGHT = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, cors_origins=(ORIGIN,))


@pytest.fixture
def add_fault(control):
    def add_fault(**rule):
        answer = control.post("/faults", rule)
        assert answer.status_code == 201, answer.text
        return answer.json["id"]

    return add_fault


def preflight(api, path="/workers", **headers):
    return api.client.options("/api" + path, headers=PREFLIGHT | headers)


@pytest.mark.parametrize("phase", ["before", "after"])
def test_a_page_can_read_the_answer_of_a_fault(api, add_fault, phase):
    add_fault(path="/api/workers", status=503, phase=phase)
    answer = api.get("/workers", headers={"Origin": ORIGIN})
    assert answer.status_code == 503
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN


def test_a_page_can_read_the_answer_of_a_rate_limit(api, add_fault):
    add_fault(path="/api/workers", rateLimit={"requests": 1, "windowSeconds": 60})
    api.get("/workers", headers={"Origin": ORIGIN})
    answer = api.get("/workers", headers={"Origin": ORIGIN})
    assert answer.status_code == 429
    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN


def test_a_preflight_is_not_hit_by_a_fault(api, add_fault, control):
    fault = add_fault(path="/api/workers", status=503, times=1)
    assert preflight(api).status_code == 204
    assert next(each["hits"] for each in control.get("/faults").json if each["id"] == fault) == 0
    assert api.get("/workers", headers={"Origin": ORIGIN}).status_code == 503


def test_a_preflight_does_not_count_towards_a_rate_limit(api, add_fault):
    add_fault(path="/api/workers", rateLimit={"requests": 1, "windowSeconds": 60})
    preflight(api)
    assert api.get("/workers", headers={"Origin": ORIGIN}).status_code == 200


def test_a_fault_can_replace_a_cors_header(api, add_fault):
    add_fault(path="/api/workers", status=503, headers={"Access-Control-Allow-Origin": "https://other.example"})
    answer = api.get("/workers", headers={"Origin": ORIGIN})
    assert answer.headers.getlist("Access-Control-Allow-Origin") == ["https://other.example"]


def test_a_page_may_read_every_header(api):
    assert api.get("/workers", headers={"Origin": ORIGIN}).headers["Access-Control-Expose-Headers"] == "*"


@pytest.mark.parametrize("headers", [{}, {"Origin": ORIGIN}, {"Origin": "https://other.example"}])
def test_the_answer_varies_with_the_origin(api, headers):
    assert "Origin" in api.get("/workers", headers=headers).vary


def test_the_control_plane_is_closed_to_other_origins(control):
    answer = control.get("/faults", headers={"Origin": ORIGIN})
    assert answer.status_code == 403
    assert "Access-Control-Allow-Origin" not in answer.headers
