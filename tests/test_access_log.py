"""The log of a server: a line for each request and background event."""

import json
import logging
import re
import sys
from types import SimpleNamespace

import pytest

from dryline.serving.log_output import JsonFormatter, TextFormatter
from dryline.tests.conftest import NEW_WORKER, send
from dryline.world.clock import parse


@pytest.fixture
def lines(app, caplog):
    """Return a function that returns the lines so far."""
    caplog.set_level(logging.INFO, "dryline.access")

    def lines(formatter=TextFormatter):
        return [formatter(app).format(record) for record in caplog.records]

    return lines


def test_a_request_is_a_line_with_time_status_and_duration(lines, api):
    api.post("/workers", NEW_WORKER)
    (line,) = lines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d POST   /api/workers 201 \d+ ms", line)


def test_the_line_has_the_first_error(lines, api):
    api.post("/workers", {})
    assert lines()[0].endswith(" ms  name: Missing data for required field.")


UNIFORM = {"type": "uniform", "lowerMs": 0, "upperMs": 1}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"status": 503}, "answers 503"),
        ({"status": 503, "times": 1}, "answers 503, once"),
        ({"status": 503, "times": 2}, "answers 503, 2 times"),
        ({"status": 503, "skip": 1}, "answers 503, after 1 unaffected requests"),
        ({"status": 503, "probability": 0.99}, "answers 503, 99% of the time"),
        ({"status": 503, "phase": "after"}, "answers 503, after the write is done"),
        ({"answers": [429, 503]}, "answers 429, 503 in turn, 2 times"),
        ({"malformed": "garbage", "headers": {"X-A": "b"}}, "garbage answer, X-A: b"),
        ({"delayMs": 1}, "1 ms late"),
        ({"delayDistribution": UNIFORM}, "0 to 1 ms late"),
        ({"bytesPerSecond": 1_000_000}, "1,000,000 bytes a second"),
    ],
)
def test_the_line_describes_the_fault(lines, api, control, rule, words):
    control.post("/faults", rule)
    for _ in range(2):
        api.get("/workers")
    assert any(line.endswith(f"[fault: {words}]") for line in lines()), lines()


def test_the_line_names_what_the_operation_ignored(lines, api):
    api.post("/workers?verbos=1", {**NEW_WORKER, "statsu": "active", "\x1b[2J": 1})
    api.post("/workers", {"naem": "Front desk"})
    first, second = map(json.loads, lines(JsonFormatter))
    assert first["ignored"] == ["verbos", "\x1b[2J", "statsu (did you mean status?)"]
    assert "ignored" not in second
    text = "ignored: verbos, \N{REPLACEMENT CHARACTER}[2J, statsu (did you mean status?)"
    assert lines()[0].endswith(f" ms  {text}")


def test_the_line_names_what_was_ignored_beside_a_fault_that_lets_the_operation_run(lines, api, control):
    control.post("/faults", {"delayMs": 1})
    api.post("/workers?verbos=1", NEW_WORKER)
    assert json.loads(lines(JsonFormatter)[-1])["ignored"] == ["verbos"]


def test_control_plane_requests_have_lines_if_they_change_something_or_fail(lines, control):
    control.get("/health")
    control.get("/requests")
    control.post("/reset", {})
    control.post("/faults", {"pth": "*", "status": 503})
    texts = [line.split(" ", 1)[1] for line in lines()]
    assert [line.split()[:3] for line in texts] == [
        ["POST", "/_dryline/reset", "204"],
        ["POST", "/_dryline/faults", "400"],
    ]
    assert texts[1].endswith("pth: Unknown field; did you mean path?")


def test_the_consoles_polling_has_no_lines(lines, app):
    app.test_client().get("/console/changes")
    assert lines() == []


@pytest.mark.parametrize(("no_color", "status"), [("", "\033[32m200\033[0m"), ("1", "200")])
def test_a_status_has_a_colour_on_a_terminal_unless_its_user_wants_none(lines, api, monkeypatch, no_color, status):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", no_color)
    api.get("/workers")
    assert f"/api/workers {status} " in lines()[0]


def test_a_json_line_is_an_object_with_times_in_utc(lines, api, control):
    team = api.get("/team").json["id"]
    fault = control.post("/faults", {"status": 503, "body": {"error": "Later."}}).json
    api.get("/workers?limit=5")
    line = json.loads(lines(JsonFormatter)[-1])
    assert line["time"].endswith("Z") and parse(line.pop("time"))
    assert line.pop("durationMs") >= 0
    assert line == {
        **{"level": "WARNING", "message": "GET /api/workers 503", "status": 503},
        **{"method": "GET", "path": "/api/workers", "query": "limit=5", "teamId": team},
        **{"error": "Later.", "faultId": fault["id"], "fault": "answers 503"},
        **{"keyId": None, "client": "127.0.0.1"},
    }


def test_an_exception_is_one_json_line(app):
    try:
        raise ValueError("no")
    except ValueError:
        record = logging.LogRecord("dryline", logging.ERROR, "", 0, "It failed: %s", ("x",), sys.exc_info())
    line = json.loads(JsonFormatter(app).format(record))
    assert (line["level"], line["message"], parse(line["time"]).tzname()) == ("ERROR", "It failed: x", "UTC")
    assert "ValueError: no" in line["exception"]


def test_exports_have_lines(lines, api, advance):
    body = {"format": "CSV", "logType": "voice", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"}
    export = api.post("/team/exports", body).json["id"]
    advance()
    advance(25 * 3600)
    text = "\n".join(lines())
    assert f"export {export} COMPLETED, 0 rows" in text
    assert f"export {export} EXPIRED" in text


def test_a_failed_webhook_has_a_line_with_the_time_of_the_retry(lines, api, control, advance, make_voice_deployment):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    url = "http://127.0.0.1:9/hook"
    assert api.post(path, {"name": "Hook", "url": url, "method": "POST", "fields": ""}).status_code == 201
    control.post("/simulate/calls", {"workerId": deployment["workerId"], "deploymentId": deployment["id"]})
    advance()
    assert re.search(r"webhook call_started \S+/hook .*[Cc]onnection.*refused.* → retry in 10 s", "\n".join(lines()))
    for pause in (10, 60, 300):
        advance(pause)
    assert "→ given up" in "\n".join(lines())


def test_a_delivered_webhook_has_a_line_with_the_status(
    lines, api, control, advance, make_voice_deployment, http_server
):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    url = http_server(lambda handler: send(handler, 200)) + "/hook"
    assert api.post(path, {"name": "Hook", "url": url, "method": "POST", "fields": ""}).status_code == 201
    control.post("/simulate/calls", {"workerId": deployment["workerId"], "deploymentId": deployment["id"]})
    advance()
    delivered = [line for line in lines() if "webhook call_started" in line]
    assert [line.split()[-3:] for line in delivered] == [["call_started", url, "200"]], delivered


def test_a_batch_of_calls_has_a_line(lines, api, advance, make_voice_deployment):
    deployment = make_voice_deployment()
    rows = [{"id": str(number), "phoneNumber": f"+1415555010{number}"} for number in range(3)]
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/make-batch-calls"
    assert api.post(path, {"data": rows, "batch_size": 2, "batch_interval_minutes": 5}).status_code == 200
    advance()
    assert "\n".join(lines()).count("campaign batch placed: 2 calls") == 1
