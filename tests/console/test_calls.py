"""The lists of conversations: filters, snippets and exports."""

import inspect
import json
import re
import subprocess
from contextlib import redirect_stdout
from io import StringIO
from urllib.parse import parse_qs, quote

import pytest
from brainbase_labs.resources.workers.deployment_logs.voice import VoiceResource

from dryline.blueprints.console.snippets import EXTRA_PARAMETERS, NO_KEY, snake
from dryline.schemas.voice_logs import VoiceLogListSchema
from dryline.settings import Settings
from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import snippets

# The worker with the most calls. The one with the newest changes through the week.
CLINIC = demo_id("workers", name="Bayside Dental")


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def worker(api):
    """Return the worker of the newest call."""
    newest = [
        api.get(f"/workers/{worker['id']}/deploymentLogs/voice", query_string={"limit": 1}).json["data"]
        for worker in api.get("/workers").json
    ]
    return max((logs[0] for logs in newest if logs), key=lambda log: log["startTime"])["workerId"]


def ids(page):
    """Return the ids of a list, in its order."""
    matches = [re.fullmatch(r"/console/calls/(log_[^/?]+).*", link or "") for link in page.links]
    return [match[1] for match in matches if match]


def listed(api, worker, channel="voice", **query):
    answer = api.get(f"/workers/{worker}/deploymentLogs/{channel}", query_string=query).json
    return [log["id"] for log in (answer["data"] if isinstance(answer, dict) else answer)]


def run(code):
    """Return the output of a Python program."""
    with redirect_stdout(StringIO()) as printed:
        exec(code, {})
    return printed.getvalue()


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"direction": "outbound"},
        {"status": "transferred"},
        {"fromNumber": "555017", "direction": "inbound"},
        {"toNumber": "+1415"},
        {"searchQuery": "appointment", "limit": "7"},
        {"startTimeAfter": "2026-01-01T00:00", "minDuration": "60", "maxDuration": "200"},
        {"endTimeBefore": "2100-01-01T00:00:00Z", "sortBy": "fromNumber", "sortOrder": "asc"},
        {"page": "2", "limit": "10"},
        {"callSid": "CA0"},
        {"externalCallId": "CA0"},
        {"deploymentId": "deploy_none"},
        {"flowId": "flow_none"},
    ],
    ids=lambda query: " ".join(query) or "none",
)
def test_filters_select_the_same_logs_as_the_api(visitor, api, worker, query):
    texts = "".join(f"&{name}={value.replace('+', '%2B')}" for name, value in query.items())
    page = visitor.go(f"/calls?worker={worker}{texts}")
    assert ids(page) == listed(api, worker, **({"limit": "25"} | query))


def test_every_filter_of_the_api_has_a_field(visitor):
    form = next(form for form in visitor.go("/calls").forms if "searchQuery" in form["fields"])
    beside = {"fields", "startDate", "endDate", "page", "cursor"}
    assert {field.data_key for field in VoiceLogListSchema().fields.values()} - beside <= form["fields"].keys()


def test_calls_of_all_workers_are_one_list_unless_a_worker_is_chosen(visitor, api):
    logs = [
        (log["startTime"], log["id"])
        for worker in api.get("/workers").json
        for page in (1, 2)
        for log in api.get(f"/workers/{worker['id']}/deploymentLogs/voice?page={page}").json["data"]
    ]
    newest = [id for _, id in sorted(logs, reverse=True)]
    page, pages = visitor.go("/calls?limit=100"), 1
    shown = ids(page)
    while following := [
        link for link in page.links if link.startswith("/console/calls?") and f"page={pages + 1}" in link
    ]:
        page, pages = visitor.go(following[0].removeprefix("/console")), pages + 1
        shown += ids(page)
    assert shown == newest
    completed = visitor.go("/calls?status=completed")
    assert {"Tidewater Internet", "Bayside Dental"} <= set(re.findall(r"<td[^>]*>([\w ]+)</td>", completed.answer.text))
    assert ids(visitor.go(f"/calls?worker={CLINIC}")) == listed(api, CLINIC, limit=25)


def test_empty_fields_are_removed_from_the_address(visitor, worker):
    answer = visitor.client.get(f"/console/calls?worker={worker}&direction=&status=failed&minDuration=")
    assert answer.headers["Location"] == f"/console/calls?worker={worker}&status=failed"


@pytest.mark.parametrize(
    "odd", ["_scheme=javascript&_external=1", "log_id=x", "endpoint=x", "_anchor=x", "channel=sms&x=1"]
)
def test_unknown_parameters_are_in_no_link(visitor, odd):
    name = odd.rpartition("&")[2].partition("=")[0]
    page = visitor.go(f"/calls?{odd}&deploymentId=")
    assert page.status == 200
    assert not [link for link in page.links if f"{name}=" in link or link.startswith("javascript")]


def test_a_wrong_value_is_named_and_stays_in_its_field(visitor):
    page = visitor.go("/calls?minDuration=many&status=failed")
    assert page.status == 400
    assert "minDuration: " in page.text
    form = next(form for form in page.forms if "searchQuery" in form["fields"])
    assert (form["fields"]["minDuration"], form["fields"]["status"]) == ("many", "failed")
    assert "bogus (unknown)" in visitor.go("/calls?status=bogus").text


def test_the_pages_of_a_cursor_go_on_by_cursor(visitor, api):
    cursor = api.get(f"/workers/{CLINIC}/deploymentLogs/voice?limit=30").json["nextCursor"]
    shown, pages = [], [f"/calls?worker={CLINIC}&limit=30&cursor={quote(cursor)}"]
    for address in pages:
        page = visitor.go(address)
        shown += ids(page)
        pages += [link.removeprefix("/console") for link in page.links if "cursor=" in link and "/calls?" in link]
    every = listed(api, CLINIC, limit=100) + listed(api, CLINIC, limit=100, page=2)
    assert shown == every[30:] != []


@pytest.mark.parametrize("channel", ["chat", "chat-embed", "sms", "whatsapp"])
def test_each_channel_has_a_list(visitor, api, channel):
    logs = {id for worker in api.get("/workers").json for id in listed(api, worker["id"], channel)}
    assert set(ids(visitor.go(f"/calls?channel={channel}&limit=100"))) == logs != set()


def test_widget_logs_are_filtered_by_session(visitor, api, control):
    log = control.get("/state").json["chatEmbedLogs"][0]
    page = visitor.go(f"/calls?channel=chat-embed&worker={log['workerId']}&sessionId={log['sessionId']}")
    assert ids(page) == [log["id"]]


def test_logs_of_the_api_channel_have_a_list_without_snippets(visitor, api, control, worker):
    row = {"id": "log_api", "workerId": worker, "startTime": "2026-01-01T00:00:00Z"}
    assert control.post("/state", {"version": 1, "apiLogs": [row]}).status_code == 204
    page = visitor.go("/calls?channel=api")
    assert ids(page) == ["log_api"]
    assert "curl" not in page.text


@pytest.mark.parametrize("address", ["/calls?channel=fax", "/calls?worker=worker_none", "/calls?channel=chat&worker=x"])
def test_an_unknown_channel_or_worker_is_404(visitor, address):
    assert visitor.go(address).status == 404


def test_a_world_without_teams_has_no_conversations(visitor, control):
    assert control.put("/state", {"version": 1}).status_code == 204
    assert "no conversations" in visitor.go("/calls").text
    assert "no conversations" in visitor.go("/calls/latest").text


class TestExport:
    def test_the_export_has_the_logs_of_all_pages(self, visitor, api, worker, advance):
        page = visitor.go(f"/calls?worker={worker}&status=completed&minDuration=30&limit=2")
        made = visitor.send("/calls/export", format="JSON")
        assert made.status == 200
        advance(1)
        export = api.get("/team/exports").json[0]
        assert (export["format"], export["logType"]) == ("JSON", "voice")
        assert export["rowCount"] == len(listed(api, worker, status="completed", minDuration=30)) > 2
        assert len(ids(page)) == 2

    def test_the_window_comes_from_the_filters(self, visitor):
        fields = visitor.go("/calls?startTimeAfter=2026-11-01&startTimeBefore=2026-11-02").form("/export")["fields"]
        assert (fields["startDate"], fields["endDate"]) == ("2026-11-01T00:00:00.000", "2026-11-02T00:00:00.000")
        assert "filtersJson" not in fields

    def test_a_second_export_is_refused_on_the_page(self, visitor):
        visitor.go("/calls")
        visitor.send("/calls/export")
        visitor.go("/calls")
        page = visitor.send("/calls/export")
        assert "already has an export" in page.text
        assert "Export these" in page.text

    def test_a_filter_that_exports_lack_hides_the_form(self, visitor):
        assert "Export these" not in visitor.go("/calls?channel=chat-embed&sessionId=session_1").text


class TestSnippets:
    QUERY = f"worker={CLINIC}&status=completed&minDuration=30&fromNumber=%2B1&limit=5"

    @pytest.fixture
    def shown(self, demo):
        """Return a function that opens a list and returns its ids and its snippets."""

        def show(address):
            codes, html = snippets(demo, address)
            return re.findall(r'<tr data-open.*?href="/console/calls/([\w-]+)', html, re.DOTALL), codes

        return show

    def test_python_and_curl_list_the_same(self, shown):
        expected, codes = shown(f"/calls?{self.QUERY}")
        assert [line.split()[0] for line in run(codes["Python"]).splitlines()] == expected
        done = subprocess.run(f"{codes['curl']} -s", shell=True, capture_output=True, text=True)
        assert [log["id"] for log in json.loads(done.stdout)["data"]] == expected
        assert len(expected) == 5

    @pytest.mark.parametrize("channel", ["voice", "chat", "chat-embed", "sms", "whatsapp"])
    def test_python_lists_the_logs_of_all_workers_in_a_loop(self, shown, channel):
        expected, codes = shown(f"/calls?channel={channel}&limit=100&status=voicemail")
        assert "curl" not in codes  # the API has no such list
        printed = run(codes["Python"])
        assert {line.split()[0] for line in printed.splitlines()} == set(expected)

    def test_a_search_text_is_quoted(self, shown, demo):
        odd = 'it\'s "$HOME" `id` \\ ${x} é😀'
        _, codes = shown(f"/calls?worker={CLINIC}&searchQuery={quote(odd)}")
        subprocess.run(codes["curl"], shell=True, capture_output=True)
        run(codes["Python"])
        entries = demo.app.world.requests.newest_first()[:2]
        assert [parse_qs(entry.query)["searchQuery"] for entry in entries] == [[odd]] * 2

    def test_the_snippets_of_a_call_read_it(self, shown):
        _, codes = shown("/calls/latest")
        printed = run(codes["Python"])
        assert "call_sid=" in printed
        done = subprocess.run(f"{codes['curl']} -s", shell=True, capture_output=True, text=True)
        assert "call_sid" in json.loads(done.stdout)

    def test_the_client_has_all_parameters_but_the_extra_ones(self):
        known = inspect.signature(VoiceResource.list).parameters
        names = {field.data_key for field in VoiceLogListSchema().fields.values()}
        unknown = {name for name in names if snake(name) not in known}
        assert unknown == set(EXTRA_PARAMETERS)

    def test_a_snippet_without_a_known_key_has_a_placeholder(self, visitor, control):
        team = control.post("/teams", {"name": "Other"}).json
        control.post("/state", {"version": 1, "workers": [{"id": "worker_1", "teamId": team["id"], "name": "W"}]})
        page = visitor.go(f"/calls?team={team['id']}")
        assert NO_KEY in page.text
        assert "dryline-local-key" not in page.text


class TestBrowser:
    def test_new_calls_wait_to_be_clicked(self, served, tab):
        seen = tab(served)
        page = seen.go(f"/calls?worker={CLINIC}")
        before = page.locator("tr[data-open] a").all_text_contents()
        worker = page.locator("select[name=worker]").input_value()
        line = page.locator("select[name=deploymentId] option").nth(1).get_attribute("value")
        address = f"{served.url}/_dryline/simulate/calls"
        answer = page.context.request.post(address, data={"workerId": worker, "deploymentId": line, "count": 3})
        assert answer.status == 201
        seen.poll()
        link = page.get_by_role("link", name="3 new")
        link.wait_for()
        assert page.locator("tr[data-open] a").all_text_contents() == before
        link.click()
        page.locator(f"tr[data-open] a[href*='{answer.json()['ids'][-1]}']").wait_for()

    @pytest.mark.parametrize("how", [{"modifiers": ["Control"]}, {"button": "middle"}], ids=["control", "middle"])
    def test_a_row_opens_in_a_new_tab_with_control_or_the_middle_button(self, demo, tab, how):
        seen = tab(demo)
        seen.go("/calls")
        page = seen.scripted()
        page.evaluate("window.open = (address) => (document.body.dataset.opened = address)")
        page.locator("tr[data-open] td").nth(2).click(**how)
        assert "/console/calls/" in page.locator("body").get_attribute("data-opened")
        assert page.url.endswith("/calls")
