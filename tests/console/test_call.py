"""The page of one conversation."""

import html
import json
import re

import pytest

from dryline.models.channels import CHANNELS
from dryline.tests.console.demo_rows import demo_row
from dryline.tests.console.visitor import Visitor, words

MESSAGES = [
    {"role": "assistant", "content": "Hello, Bayside Dental.", "start": 1.5, "end": 3.0},
    {"role": "user", "content": "I need a cleaning.", "start": 4.0, "end": 6.5},
    {"role": "assistant", "content": "On Monday at ten?", "start": 7.25, "end": 9.0},
    {"role": "user", "content": "Yes, please.", "start": 9.5, "end": 11.0},
    {"role": "assistant", "content": "See you then.", "start": 12.0, "end": 14.0},
]
TRACE = [
    {"at": 1.5, "step": "say", "line": 3},
    {"at": 6.5, "step": "call", "function": "free_slots", "line": 5},
    {"at": 7.25, "step": "talk", "line": 6},
    {"at": 14.0, "step": "end", "line": 9},
]
CODE = "a\nb\nsay('Hello')\nloop:\n    slots = free_slots()\n    talk()\n"
QUOTES = [("Offers", "On Monday at ten?"), ("Closes", "See you …"), ("Invents", "Nobody said so.")]
CALL = {
    "id": "log_1",
    "status": "completed",
    "direction": "inbound",
    "fromNumber": "+12125550101",
    "toNumber": "+14155550110",
    "startTime": "2026-11-20T10:00:00.000Z",
    "endTime": "2026-11-20T10:00:20.000Z",
    "duration": 20,
    "messages": {"messages": MESSAGES},
    "data": {"latency": {"values": [750, 1000], "p50": 750, "p90": 1000}},
}


@pytest.fixture
def flow(make_flow):
    return make_flow(code=CODE)


@pytest.fixture
def add_call(control, flow):
    """Return a function that adds a call like CALL with other members, and returns its id."""

    def add(collection="voiceLogs", **members):
        row = CALL if collection == "voiceLogs" else {"id": "log_1"}
        row = row | {"workerId": flow["workerId"], "flowId": flow["id"]} | members
        answer = control.post("/state", {"version": 1, collection: [row]})
        assert answer.status_code == 204, answer.text
        return row["id"]

    return add


class TestTranscript:
    def test_turns_have_times_and_latencies(self, visitor, add_call):
        text = re.sub(r"\s+", " ", visitor.go(f"/calls/{add_call()}").text)
        assert "0:04 Caller I need a cleaning." in text
        assert "0:07 Agent after 750 ms On Monday at ten?" in text
        assert "0:12 Agent after 1000 ms See you then." in text

    def test_the_trace_of_the_session_gives_steps_and_lines(self, visitor, add_call, control, flow):
        session = {"id": "session_1", "worker_id": flow["workerId"], "trace": TRACE, "status": "completed"}
        assert control.post("/state", {"version": 1, "sessions": [session]}).status_code == 204
        page = visitor.go(f"/calls/{add_call(bbEngineSessionId='session_1', flowSnapshot=flow['code'])}")
        text = re.sub(r"\s+", " ", page.text)
        assert "0:01 Agent line 3 Hello, Bayside Dental." in text
        assert "Yes, please. 0:12" in text
        assert "I need a cleaning. 0:06 call free_slots line 5 0:07 Agent after 750 ms line 6" in text
        assert {"#line-3", "#line-6"} <= set(page.links)
        assert {"line-3", "line-6"} <= set(page.ids)
        numbers = re.findall(r'class="line-number" href="(#turn-\d)" aria-label="([^"]*)"', page.html)
        assert numbers == [
            ("#turn-1", "Line 3, ran at 0:01"),
            ("#turn-3", "Line 5, ran at 0:06"),
            ("#turn-3", "Line 6, ran at 0:07"),
        ]

    def test_a_reason_links_to_the_turn_that_it_quotes(self, visitor, add_call):
        items = [{"title": title, "passed": True, "reason": f'The agent said "{quote}".'} for title, quote in QUOTES]
        html = visitor.go(f"/calls/{add_call(successResults={'criteria': [{'items': items}]})}").answer.text
        links = re.findall(r'<a class="note" href="#turn-(\d)">The agent said &#34;(.*?)&#34;', html)
        assert links == [("3", "On Monday at ten?"), ("5", "See you …")]

    @pytest.mark.parametrize(
        ("message", "shown"),
        [
            ({"content": "On Monday?"}, "On Monday?"),
            ({"content": '{"day": "Monday", "time": null}'}, "Day: Monday; Time: none"),
            ({"tool_calls": [{"function": {"name": "take_path_2"}}]}, "take_path_2"),
            ({"tool_calls": [{"function": None}]}, "no answer"),
        ],
    )
    def test_requests_to_a_model_stand_between_the_turns(self, visitor, control, add_call, message, shown):
        request = {"json": {"messages": [{"role": "user", "content": "I need a cleaning."}]}}
        answer = {"json": {"choices": [{"message": message}], "usage": {"total_tokens": 21}}}
        rows = [
            {"id": "llmlog_1", "eventType": "beforeRequestHook", "data": {"request": request}},
            {"id": "llmlog_2", "eventType": "afterRequestHook", "data": {"response": answer}},
        ]
        for number, row in enumerate(rows):
            row |= {"sessionId": "session_1", "createdAt": f"2026-11-20T10:00:0{number + 7}.000Z"}
        assert control.post("/state", {"version": 1, "llmLogs": rows}).status_code == 204
        text = words(visitor.go(f"/calls/{add_call(bbEngineSessionId='session_1')}"))
        request = f"0:07 model {shown} · 21 tokens "
        assert request + "0:07 Agent after 750 ms On Monday at ten?" in text


def test_a_turn_may_end_before_its_start_and_a_call_may_lack_times(visitor, add_call):
    said = {"messages": [{"role": "user", "content": "Good morning.", "start": 9, "end": 2}]}
    assert "0:09 Caller Good morning." in words(visitor.go(f"/calls/{add_call(messages=said, duration=None)}"))
    assert "On Monday at ten?" in visitor.go(f"/calls/{add_call(id='log_2', startTime=None, endTime=None)}").text


class TestRelatedRows:
    @pytest.fixture
    def fail(self, control, api, flow):
        """Return a function that records that a call failed at line 6, in its trace and as a runtime error."""

        def fail(log_id):
            trace = [*TRACE[:3], {"at": 14.0, "step": "error", "line": 6, "exception": "KeyError", "error": "'size'"}]
            session = {"id": "session_1", "worker_id": flow["workerId"], "trace": trace, "status": "failed"}
            assert control.post("/state", {"version": 1, "sessions": [session]}).status_code == 204
            body = {"error": "'size'", "service": "based_engine", "type": "KeyError", "lineNumber": 6}
            body |= {"metadata": {"logId": log_id}}
            assert api.post(f"/workers/{flow['workerId']}/runtime-errors", body).status_code == 201

        return fail

    def test_errors_are_found_by_log_and_by_session(self, visitor, api, flow, add_call):
        add_call(bbEngineSessionId="session_1")
        for name, about in (
            ("by log", {"metadata": {"logId": "log_1"}}),
            ("by session", {"bbEngineSessionId": "session_1"}),
        ):
            body = {"error": name, "service": "based_engine", "type": "KeyError", **about}
            assert api.post(f"/workers/{flow['workerId']}/runtime-errors", body).status_code == 201
        page = visitor.go("/calls/log_1")
        assert "by log" in page.text and "by session" in page.text
        assert "2 runtime errors" in page.text

    def test_the_error_of_a_failed_call_is_the_last_row_of_its_transcript(self, visitor, add_call, fail):
        fail(add_call(bbEngineSessionId="session_1", flowSnapshot=CODE))
        page = visitor.go("/calls/log_1")
        turns = page.html.partition('<ol class="turns">')[2].partition("</ol>")[0]
        *_, last = re.findall(r"<li.*?</li>", turns, re.DOTALL)
        assert 'class="failure"' in last
        assert " ".join(html.unescape(re.sub("<[^>]+>", " ", last)).split()) == "0:14 KeyError: 'size' line 6"

    def test_the_line_that_failed_is_marked_in_the_code(self, visitor, add_call, fail):
        fail(add_call(bbEngineSessionId="session_1", flowSnapshot=CODE))
        page = visitor.go("/calls/log_1")
        (line,) = re.findall(r'<li id="line-\d+" class="[^"]*failed.*?</li>', page.html, re.DOTALL)
        assert line.startswith('<li id="line-6"')
        assert "KeyError: 'size'" in html.unescape(line)

    def test_the_line_that_failed_leads_to_the_editor(self, visitor, add_call, fail, flow):
        fail(add_call(bbEngineSessionId="session_1", flowSnapshot=CODE))
        page = visitor.go("/calls/log_1")
        address = f"/console/workers/{flow['workerId']}/flows/{flow['id']}/edit?line=6"
        assert page.links.count(address) == 2  # in the transcript, and beside the whole error
        assert "Line 6: talk()" in words(visitor.go(address.removeprefix("/console")))

    def test_the_line_of_a_flow_that_was_changed_leads_to_the_version_that_ran(
        self, visitor, api, add_call, fail, flow
    ):
        path = f"/workers/{flow['workerId']}/flows/{flow['id']}"
        version = api.post(f"{path}/versions", {"commitMessage": "first"}).json
        fail(add_call(bbEngineSessionId="session_1", flowSnapshot=CODE))
        api.patch(path, {"code": "loop:\n    talk()\n"})
        assert f"/console{path}?version={version['id']}#L6" in visitor.go("/calls/log_1").links

    def test_an_error_in_a_trace_without_a_record_is_a_row_too(self, visitor, add_call):
        trace = [*TRACE[:3], {"at": 9.0, "step": "error", "line": 6, "exception": "KeyError", "error": "'size'"}]
        page = visitor.go(f"/calls/{add_call(sessionLogData={'trace': trace}, flowSnapshot=CODE)}")
        assert "0:09 KeyError: 'size' line 6" in words(page)

    def test_a_warning_is_no_row_of_the_transcript(self, visitor, api, flow, add_call):
        add_call()
        body = {"error": "late", "service": "engine", "type": "Slow", "severity": "warning"}
        body["metadata"] = {"logId": "log_1"}
        assert api.post(f"/workers/{flow['workerId']}/runtime-errors", body).status_code == 201
        assert 'class="failure"' not in visitor.go("/calls/log_1").html

    def test_the_version_is_that_of_the_code_that_ran(self, visitor, api, flow, add_call):
        commit = f"/workers/{flow['workerId']}/flows/{flow['id']}/versions"
        assert api.post(commit, {"commitMessage": "first"}).status_code == 201
        api.patch(f"/workers/{flow['workerId']}/flows/{flow['id']}", {"code": "loop:\n    talk()\n"})
        api.post(commit, {"commitMessage": "second"})
        assert "version 1" in visitor.go(f"/calls/{add_call(flowSnapshot=flow['code'])}").text

    def test_the_json_is_the_answer_of_the_api(self, visitor, api, add_call):
        assert "/console/calls/log_1/answer" in visitor.go(f"/calls/{add_call()}").links
        whole = html.unescape(re.sub("</?i.*?>", "", visitor.go("/calls/log_1/answer").answer.text))
        shown = json.loads(whole[whole.index("<code>{") + 6 : whole.index("</code></pre>")])
        assert shown == api.get("/logs/log_1").json


class TestOtherCalls:
    @pytest.fixture
    def calls(self, add_call):
        for number, status in enumerate(("completed", "failed", "completed", "failed"), start=1):
            add_call(id=f"log_{number}", status=status, startTime=f"2026-11-20T10:0{number}:00.000Z")

    def beside(self, page):
        return [link for link in page.links if re.match(r"/console/calls/log_", link or "")]

    def test_the_calls_before_and_after_have_links_with_the_filters_of_the_list(self, visitor, calls):
        assert self.beside(visitor.go("/calls/log_1"))[0] == "/console/calls/log_2"
        assert self.beside(visitor.go("/calls/log_2"))[:2] == ["/console/calls/log_1", "/console/calls/log_3"]
        page = visitor.go("/calls/log_2?status=failed")
        assert self.beside(page)[0] == "/console/calls/log_4?status=failed"
        assert any(link.startswith("/console/calls?status=failed&worker=") for link in page.links)
        assert visitor.client.get("/console/calls/latest").headers["Location"] == "/console/calls/log_4"


@pytest.mark.parametrize(
    ("url", "is_played", "is_linked"),
    [
        (None, False, False),
        ("https://audio.example/1.mp3", False, True),
        ("javascript:alert(1)", False, False),
        ("http://localhost/recordings/CA1.wav?log=1", True, False),
    ],
)
def test_only_a_recording_on_this_server_is_played(visitor, add_call, url, is_played, is_linked):
    page = visitor.go(f"/calls/{add_call(recordingUrl=url)}")
    assert ("/recordings/CA1.wav?log=1" in page.fetched) == ("<audio" in page.answer.text) == is_played
    assert (url in page.links) == is_linked
    assert ("has no recording" in page.text) == (not is_played and not is_linked)


def test_a_log_of_each_channel_has_a_page(demo):
    for channel in (channel for channel in CHANNELS if channel.key not in ("voice", "api")):
        log = demo_row(channel.collection)
        text = " ".join(Visitor(demo.app.test_client()).go(f"/calls/{log['id']}").text.split())
        assert all(message["content"] in text for message in log["messages"]["messages"]), channel
        assert channel.key != "chat" or f"Chat with {log['userName']}" in text
        assert all(name in text for name in log.get("extractionsData") or {}), channel
