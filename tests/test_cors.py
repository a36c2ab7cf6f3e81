"""Cross-origin requests from web pages named by --cors-origin."""

import pytest

from dryline.settings import Settings

ORIGIN = "https://app.example"
PREFLIGHT = {"Origin": ORIGIN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-api-key"}


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, cors_origins=(ORIGIN,))


@pytest.mark.parametrize(
    "origin",
    [
        *(
            "http://localhost:5173",
            "https://app.test:80",
            "http://app.test:443",
            "http://[::1]:3000",
            "http://a_b.test",
            "http://127.0.0.1:3000",
            "http://app2",
        ),
        *("capacitor://localhost", "chrome-extension://abcdef", "null", "*"),
    ],
)
def test_an_origin_that_browsers_send_is_taken(origin):
    assert Settings(cors_origins=(origin,)).cors_origins == (origin,)


def preflight(api, path="/workers", **headers):
    return api.client.options("/api" + path, headers=PREFLIGHT | headers)


@pytest.mark.parametrize(
    "rule",
    [
        {"path": "*", "status": 503, "body": "x"},
        {"status": 204},
        {"status": 304},
        {"status": 429, "phase": "after", "probability": 0.5},
        {"malformed": "truncated"},
        {"malformed": "garbage"},
        {"rateLimit": {"requests": 1, "windowSeconds": 60}},
        {"override": {"status": 200, "body": "x"}},
        {"headers": {"Retry-After": "1"}},
    ],
)
def test_a_page_can_read_the_answers_of_any_fault_and_none_hits_a_preflight(api, control, rule):
    control.post("/faults", {"path": "/api/workers"} | rule)
    assert preflight(api).status_code == 204
    assert [each["hits"] for each in control.get("/faults").json] == [0]
    for _ in range(3):
        answer = api.get("/workers", headers={"Origin": ORIGIN})
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN


def test_another_origin_is_not_allowed(api):
    assert preflight(api).headers["Access-Control-Allow-Origin"] == ORIGIN
    other = {"Origin": "https://evil.example"}
    for answer in (api.get("/workers", headers=other), preflight(api, **other)):
        assert "Access-Control-Allow-Origin" not in answer.headers


@pytest.mark.parametrize("headers", [{}, {"Origin": ORIGIN}, {"Origin": "https://other.example"}])
def test_the_answer_varies_with_the_origin(api, headers):
    assert "Origin" in api.get("/workers", headers=headers).vary


def test_the_control_plane_is_closed_to_other_origins(control):
    answer = control.get("/faults", headers={"Origin": ORIGIN})
    assert answer.status_code == 403
    assert "Access-Control-Allow-Origin" not in answer.headers
