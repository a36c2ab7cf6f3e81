"""The control plane refuses what it does not know: a slip in it would make a test pass wrongly."""

import httpx
import pytest

from dryline.testing import DrylineInProcess


def faults_of(answer):
    assert answer.status_code == 400, answer.text
    return {detail["path"]: detail["message"] for detail in answer.json["details"]}


@pytest.mark.parametrize(
    ("method", "path", "body", "known"),
    [
        ("POST", "/requests/verify", {"bodyContians": "x"}, "bodyContains"),
        ("POST", "/requests/verify", {"times": {"mni": 1}}, "min"),
        ("POST", "/faults", {"delay_ms": 5}, "delayMs"),
        ("PUT", "/clock", {"frozn": True}, "frozen"),
        ("POST", "/reset", {"scenaro": "empty"}, "scenario"),
        ("POST", "/simulate/calls", {"workerId": "w", "deploymentId": "d", "outcom": "busy"}, "outcome"),
        ("GET", "/requests?pathh=/api/x", None, "path"),
        ("GET", "/requests/count?bodyContain=x", None, "bodyContains"),
        ("POST", "/reset?tem=team_1", {}, "team"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest(control, method, path, body, known):
    answer = control._send(method, path, json=body)
    assert f"did you mean {known}?" in " ".join(faults_of(answer).values())


@pytest.mark.parametrize(
    ("method", "path", "name"),
    [
        ("GET", "/requests?method=GET&method=POST", "method"),
        ("GET", "/requests/count?path=/a&limit=1&path=/a", "path"),
        ("POST", "/reset?team=team_1&team=team_2", "team"),
    ],
)
def test_a_parameter_that_is_sent_twice_is_refused(control, method, path, name):
    answer = control._send(method, path, json={} if method == "POST" else None)
    assert faults_of(answer) == {name: "Must be sent once."}


class TestHelpers:
    @pytest.fixture
    def dryline(self):
        with DrylineInProcess() as dryline:
            yield dryline

    def test_the_journal_names_parameters_of_which_only_one_counts(self, dryline):
        worker = dryline.client().workers.create(name="A", description=None, status=None)
        query = [("limit", "5"), ("limit", "7"), ("limit", "9"), ("limt", "1"), ("limt", "2")]
        with httpx.Client(transport=dryline.transport(), base_url=dryline.url) as program:
            path = f"/api/workers/{worker.id}/deploymentLogs/voice"
            program.get(path, params=query, headers={"x-api-key": dryline.api_key})
        ignored = ["limt (did you mean limit?)", "limit (only the first of 3 counts)"]
        assert dryline.requests()[0]["ignored"] == ignored
        dryline.settings(strict=True)
        with httpx.Client(transport=dryline.transport(), base_url=dryline.url) as program:
            answer = program.get(path, params=query[:2], headers={"x-api-key": dryline.api_key})
        assert (answer.status_code, answer.json()["error"]) == (400, "limit: Must be sent once.")
