"""What a running server says: a line for each request, and for what moves by itself."""

import io
import json
import re
import sys

import pytest

from dryline.serving.access_log import MAX_LINES, AccessLog
from dryline.serving.log_setup import JsonFormatter
from dryline.world.clock import parse

WORKER = {"name": "Front desk", "description": None, "status": None}


@pytest.fixture
def said(app):
    """What is said from now on, by form."""

    app.world.events.drain()  # of what was before

    def begin(form="text", stream=None):
        stream = stream or io.BytesIO()
        access_log = AccessLog(app.world, form, stream)

        def lines():
            access_log.write_new()
            return stream.getvalue().decode().splitlines()

        return lines

    return begin


def test_a_request_is_a_line_with_time_status_and_duration(said, api):
    lines = said()
    api.post("/workers", WORKER)
    (line,) = lines()
    assert re.fullmatch(r"\d\d:\d\d:\d\d POST   /api/workers 201 \d+ ms", line)


def test_the_first_error_stands_in_the_line(said, api):
    lines = said()
    api.post("/workers", {})
    assert lines()[0].endswith(" ms  name: Missing data for required field.")


def test_a_query_stands_in_the_line_without_its_keys(said, api):
    lines = said()
    api.get("/workers?limit=5&api_key=secret")
    assert " /api/workers?limit=5&api_key=*** 200 " in lines()[0]


def test_the_signature_of_a_link_stands_in_no_line(said, api):
    lines = said()
    api.client.get("/downloads/exports/export_1?signature=abc.def")
    assert " /downloads/exports/export_1?signature=*** 403 " in lines()[0]


def test_a_fault_is_named_in_words(said, api, control):
    control.post("/faults", {"status": 503, "times": 2})
    lines = said()
    api.get("/workers")
    assert " 503 " in lines()[-1] and lines()[-1].endswith("[fault: answers 503, 2 times]")


def test_what_a_request_did_before_a_reset_is_said_after_it(said, api, control):
    lines = said()
    api.get("/workers")
    control.post("/reset", {})
    assert [line.split()[2] for line in lines()] == ["/api/workers", "/_dryline/reset"]


def test_what_changes_by_the_control_plane_is_a_line_and_what_reads_is_none(said, control):
    lines = said()
    control.get("/health")
    control.get("/requests")
    control.post("/clock/advance", {"seconds": 5})
    control.post("/faults", {"pth": "*", "status": 503})
    told = [line.split(" ", 1)[1] for line in lines()]
    assert [line.split()[:3] for line in told] == [
        ["POST", "/_dryline/clock/advance", "200"],
        ["POST", "/_dryline/faults", "400"],
    ]
    assert told[1].endswith("pth: Unknown field; did you mean path?")


def test_polling_by_pages_is_not_said(said, app):
    lines = said()
    app.test_client().get("/console/changes")
    assert lines() == []


def test_nothing_new_is_no_line(said, api):
    lines = said()
    api.get("/workers")
    assert lines() == lines()


def test_a_path_cannot_steer_the_terminal(said, app):
    lines = said()
    app.test_client().get("/api/%1b[2Jx%0Ay")
    assert len(lines()) == 1
    assert lines()[0].isprintable()


def test_of_a_flood_what_went_wrong_is_shown_and_the_rest_counted(said, api):
    lines = said()
    for _ in range(MAX_LINES + 5):
        api.get("/workers")
    api.get("/workers/nobody")
    shown = lines()
    assert len(shown) == MAX_LINES + 1
    assert "/api/workers/nobody 404" in shown[-2]
    assert "… and 6 more" in shown[-1]


class Terminal(io.BytesIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("stream", "coloured"), [(Terminal, True), (io.BytesIO, False)])
def test_only_a_terminal_gets_colours(said, api, monkeypatch, stream, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    lines = said(stream=stream())
    api.get("/workers")
    assert ("\033[" in lines()[0]) is coloured


def test_who_wants_no_colour_gets_none(said, api, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    lines = said(stream=Terminal())
    api.get("/workers")
    assert "\033[" not in lines()[0]


def test_as_json_it_is_an_object_a_line_with_times_in_utc(said, api, control):
    team = api.get("/team").json["id"]
    fault = control.post("/faults", {"status": 503, "body": {"error": "Later."}}).json
    lines = said("json")
    api.get("/workers?limit=5")
    line = json.loads(lines()[-1])
    assert line["time"].endswith("Z") and parse(line["time"])
    assert line.pop("time") and line.pop("durationMs") >= 0
    assert line == {
        **{"level": "WARNING", "message": "GET /api/workers 503", "status": 503},
        **{"method": "GET", "path": "/api/workers", "query": "limit=5", "teamId": team},
        **{"error": "Later.", "faultId": fault["id"], "fault": "answers 503"},
    }


def test_what_the_code_logs_is_an_object_with_a_utc_time(caplog):
    import logging

    try:
        raise ValueError("no")
    except ValueError:
        record = logging.LogRecord("dryline", logging.ERROR, "", 0, "It failed: %s", ("x",), sys.exc_info())
    line = json.loads(JsonFormatter().format(record))
    assert (line["level"], line["message"], parse(line["time"]).tzname()) == ("ERROR", "It failed: x", "UTC")
    assert "ValueError: no" in line["exception"]


def test_an_export_that_is_done_is_said(said, api, advance):
    body = {"format": "CSV", "logType": "voice", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"}
    export = api.post("/team/exports", body).json["id"]
    lines = said()
    advance()
    assert f"export {export} COMPLETED, 0 rows" in lines()[0]
    advance(25 * 3600)
    assert any(f"export {export} EXPIRED" in line for line in lines())


def test_a_webhook_that_failed_says_when_it_is_tried_again(said, api, control, advance, make_voice_deployment):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    url = "http://127.0.0.1:9/hook"
    assert api.post(path, {"name": "Hook", "url": url, "method": "POST", "fields": ""}).status_code == 201
    control.post("/simulate/calls", {"workerId": deployment["workerId"], "deploymentId": deployment["id"]})
    lines = said()
    advance()
    assert re.search(r"webhook call_started \S+/hook .+ → retry in 10 s", "\n".join(lines()))
    advance(3600)
    assert "→ given up" in "\n".join(lines())


def test_calls_that_come_in_by_themselves_are_said(said, control, advance, make_voice_deployment):
    make_voice_deployment()
    control.put("/settings", {"callsPerMinute": 60})
    advance()
    lines = said()
    advance(60)
    assert re.search(r"live: \d+ calls? came in", "\n".join(lines()))


def test_a_batch_of_calls_that_is_placed_is_said(said, api, advance, make_voice_deployment):
    deployment = make_voice_deployment()
    rows = [{"id": str(number), "phoneNumber": f"+1415555010{number}"} for number in range(3)]
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/make-batch-calls"
    assert api.post(path, {"data": rows, "batch_size": 2, "batch_interval_minutes": 5}).status_code == 200
    lines = said()
    advance()
    assert "\n".join(lines()).count("campaign batch placed: 2 calls") == 1
