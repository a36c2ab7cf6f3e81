"""The access log: a line for each request and background event."""

import io
import json
import re
import sys

import pytest

from dryline.serving.access_log import AccessLog
from dryline.serving.log_setup import JsonFormatter, has_colours
from dryline.tests.conftest import NEW_WORKER
from dryline.world.clock import parse


@pytest.fixture
def start_log(app):
    """Start an access log. Returns a function that returns its lines."""
    app.world.events.drain()  # of what was before

    def begin(form="text", **options):
        access_log, written = AccessLog(app, form, **options), []

        def lines():
            written.extend(access_log.new_lines())
            return written

        return lines

    return begin


def test_a_request_is_a_line_with_time_status_and_duration(start_log, api):
    lines = start_log()
    api.post("/workers", NEW_WORKER)
    (line,) = lines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d POST   /api/workers 201 \d+ ms", line)


def test_the_line_has_the_first_error(start_log, api):
    lines = start_log()
    api.post("/workers", {})
    assert lines()[0].endswith(" ms  name: Missing data for required field.")


def test_the_line_describes_the_fault(start_log, api, control):
    control.post("/faults", {"status": 503, "times": 2})
    lines = start_log()
    api.get("/workers")
    assert " 503 " in lines()[-1] and lines()[-1].endswith("[fault: answers 503, 2 times]")


@pytest.mark.parametrize("fault", [None, {"delayMs": 1}])
def test_the_line_names_what_the_operation_ignored(start_log, api, control, fault):
    if fault:
        control.post("/faults", fault)
    lines = start_log("json")
    api.post("/workers?verbos=1", {**NEW_WORKER, "statsu": "active", "\x1b[2J": 1})
    api.get("/workers?limt=5")
    api.post("/workers", {"naem": "Front desk"})
    (first, second, third) = (entry for entry in map(json.loads, lines()) if entry["path"] == "/api/workers")
    assert first["ignored"] == ["verbos", "\x1b[2J", "statsu (did you mean status?)"]
    assert second["ignored"] == ["limt"]
    assert "ignored" not in third


def test_a_line_of_text_names_what_the_operation_ignored(start_log, api):
    lines = start_log()
    api.post("/workers", {**NEW_WORKER, "statsu": "active", "\x1b[2J": 1})
    api.post("/workers", {"naem": "Front desk"})
    assert lines()[0].endswith(" ms  ignored: \N{REPLACEMENT CHARACTER}[2J, statsu (did you mean status?)")
    assert "ignored" not in lines()[1]


def test_a_request_before_a_reset_has_its_line(start_log, api, control):
    lines = start_log()
    api.get("/workers")
    control.post("/reset", {})
    assert [line.split()[2] for line in lines()] == ["/api/workers", "/_dryline/reset"]


def test_control_plane_requests_have_lines_if_they_change_something_or_fail(start_log, control):
    lines = start_log()
    control.get("/health")
    control.get("/requests")
    control.post("/clock/advance", {"seconds": 5})
    control.post("/faults", {"pth": "*", "status": 503})
    texts = [line.split(" ", 1)[1] for line in lines()]
    assert [line.split()[:3] for line in texts] == [
        ["POST", "/_dryline/clock/advance", "200"],
        ["POST", "/_dryline/faults", "400"],
    ]
    assert texts[1].endswith("pth: Unknown field; did you mean path?")


def test_the_consoles_polling_has_no_lines(start_log, app):
    lines = start_log()
    app.test_client().get("/console/changes")
    assert lines() == []


def test_each_request_has_one_line(start_log, api):
    lines = start_log()
    api.get("/workers")
    assert len(lines()) == len(lines()) == 1


def test_a_path_cannot_send_control_characters_to_the_terminal(start_log, app):
    lines = start_log()
    app.test_client().get("/api/%1b[2Jx%0Ay")
    assert len(lines()) == 1
    assert lines()[0].isprintable()


def test_requests_whose_lines_nobody_read_in_time_are_counted(start_log, app, api):
    log = AccessLog(app, "text")
    for _ in range(3):
        api.get("/workers")
    log._queue.popleft()
    assert [line.split(" ", 1)[1][:30] for line in log.new_lines()][-1] == "1 requests have no line"


@pytest.mark.parametrize("is_coloured", [True, False])
def test_the_status_has_a_colour_where_there_are_colours(start_log, api, is_coloured):
    lines = start_log(has_colours=is_coloured)
    api.get("/workers")
    assert ("\033[32m200\033[0m" in lines()[0]) is is_coloured


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "expected"),
    [
        (Terminal, {"TERM": "xterm"}, True),
        (Terminal, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Terminal, {"TERM": "dumb"}, False),
        (io.StringIO, {"TERM": "xterm"}, False),
    ],
)
def test_only_a_terminal_whose_user_wants_them_gets_colours(monkeypatch, stream, variables, expected):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys, "stderr", stream())
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colours() is expected


def test_a_json_line_is_an_object_with_times_in_utc(start_log, api, control):
    team = api.get("/team").json["id"]
    fault = control.post("/faults", {"status": 503, "body": {"error": "Later."}}).json
    lines = start_log("json")
    api.get("/workers?limit=5")
    line = json.loads(lines()[-1])
    assert line["time"].endswith("Z") and parse(line["time"])
    assert line.pop("time") and line.pop("durationMs") >= 0
    assert line == {
        **{"level": "WARNING", "message": "GET /api/workers 503", "status": 503},
        **{"method": "GET", "path": "/api/workers", "query": "limit=5", "teamId": team},
        **{"error": "Later.", "faultId": fault["id"], "fault": "answers 503"},
        **{"keyId": None, "client": "127.0.0.1"},
    }


def test_a_json_line_names_the_key(start_log, api, control):
    (key,) = control.get("/teams").json[0]["apiKeys"]
    lines = start_log("json")
    api.get("/workers")
    assert json.loads(lines()[-1])["keyId"] == key["id"]


def test_a_json_line_of_a_log_record_has_a_time_in_utc(caplog):
    import logging

    try:
        raise ValueError("no")
    except ValueError:
        record = logging.LogRecord("dryline", logging.ERROR, "", 0, "It failed: %s", ("x",), sys.exc_info())
    line = json.loads(JsonFormatter().format(record))
    assert (line["level"], line["message"], parse(line["time"]).tzname()) == ("ERROR", "It failed: x", "UTC")
    assert "ValueError: no" in line["exception"]


def test_exports_have_lines(start_log, api, advance):
    body = {"format": "CSV", "logType": "voice", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"}
    export = api.post("/team/exports", body).json["id"]
    lines = start_log()
    advance()
    assert f"export {export} COMPLETED, 0 rows" in lines()[0]
    advance(25 * 3600)
    assert any(f"export {export} EXPIRED" in line for line in lines())


def test_a_failed_webhook_has_a_line_with_the_time_of_the_retry(
    start_log, api, control, advance, make_voice_deployment
):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    url = "http://127.0.0.1:9/hook"
    assert api.post(path, {"name": "Hook", "url": url, "method": "POST", "fields": ""}).status_code == 201
    control.post("/simulate/calls", {"workerId": deployment["workerId"], "deploymentId": deployment["id"]})
    lines = start_log()
    advance()
    assert re.search(r"webhook call_started \S+/hook .+ → retry in 10 s", "\n".join(lines()))
    advance(3600)
    assert "→ given up" in "\n".join(lines())


def test_live_calls_have_a_line(start_log, control, advance, make_voice_deployment):
    make_voice_deployment()
    control.put("/settings", {"callsPerMinute": 60})
    advance()
    lines = start_log()
    advance(60)
    assert re.search(r"live: \d+ calls? came in", "\n".join(lines()))


def test_calls_that_no_deployment_takes_have_no_line(start_log, control, advance):
    control.put("/settings", {"callsPerMinute": 60})
    advance()
    lines = start_log()
    advance(60)
    assert "live:" not in "\n".join(lines())


def test_a_batch_of_calls_has_a_line(start_log, api, advance, make_voice_deployment):
    deployment = make_voice_deployment()
    rows = [{"id": str(number), "phoneNumber": f"+1415555010{number}"} for number in range(3)]
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/make-batch-calls"
    assert api.post(path, {"data": rows, "batch_size": 2, "batch_interval_minutes": 5}).status_code == 200
    lines = start_log()
    advance()
    assert "\n".join(lines()).count("campaign batch placed: 2 calls") == 1
