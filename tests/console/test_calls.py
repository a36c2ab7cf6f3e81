"""The lists of conversations: filters, snippets and exports."""

import json
import re
import subprocess
from contextlib import redirect_stdout
from io import StringIO
from urllib.parse import parse_qs, quote

import pytest

from dryline.app import create_app
from dryline.schemas.voice_logs import VoiceLogListSchema
from dryline.settings import Settings
from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import snippets

CLINIC = demo_id("workers", name="Bayside Dental")


@pytest.fixture(scope="module")
def app():
    """Yield a stand-in with the demo world, to which tests only add rows."""
    app = create_app(Settings(ephemeral=True, scenario="demo", seed=1))
    yield app
    app.close()


def ids(page):
    """Return the ids of a list, in its order."""
    matches = [re.fullmatch(r"/console/calls/(log_[^/?]+).*", link or "") for link in page.links]
    return [match[1] for match in matches if match]


def listed(api, worker, channel="voice", **query):
    answer = api.get(f"/workers/{worker}/deploymentLogs/{channel}", query_string=query).json
    return [log["id"] for log in (answer["data"] if isinstance(answer, dict) else answer)]


def every_log(api):
    """Return the clinic's calls, the newest first."""
    pages = [api.get(f"/workers/{CLINIC}/deploymentLogs/voice?limit=100&page={page}").json for page in (1, 2, 3)]
    assert len(pages[-1]["data"]) < 100
    return [log for page in pages for log in page["data"]]


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
        {"flowId": "flow_none"},
    ],
    ids=lambda query: " ".join(query) or "none",
)
def test_filters_select_the_same_logs_as_the_api(visitor, api, query):
    texts = "".join(f"&{name}={value.replace('+', '%2B')}" for name, value in query.items())
    page = visitor.go(f"/calls?worker={CLINIC}{texts}")
    assert ids(page) == listed(api, CLINIC, **({"limit": "25"} | query))


def test_every_filter_of_the_api_has_a_field(visitor):
    form = next(form for form in visitor.go("/calls").forms if "searchQuery" in form["fields"])
    beside = {"fields", "startDate", "endDate", "page", "cursor"}
    assert {field.data_key for field in VoiceLogListSchema().fields.values()} - beside <= form["fields"].keys()


@pytest.mark.parametrize("text", ["+16175550183", "617 555 0183", "+1 (617) 555-0183", "555-0183", "0183"])
def test_a_number_in_any_notation_finds_its_calls(visitor, control, text):
    line = demo_id("voiceDeployments", workerId=CLINIC)
    body = {"workerId": CLINIC, "deploymentId": line, "count": 1, "customerNumber": "+16175550183"}
    (made,) = control.post("/simulate/calls", body).json["ids"]
    assert made in ids(visitor.go(f"/calls?searchQuery={quote(text)}&limit=100"))
    assert made not in ids(visitor.go("/calls?searchQuery=617%20555%200184&limit=100"))


def test_an_id_finds_its_call_alone(visitor, api):
    log = api.get(f"/workers/{CLINIC}/deploymentLogs/voice?limit=1").json["data"][0]
    for text in (log["id"], log["call_sid"]):
        assert ids(visitor.go(f"/calls?searchQuery={text}")) == [log["id"]]


@pytest.mark.parametrize("sentiment", ["Positive", "Neutral", "Negative"])
def test_calls_are_selected_by_sentiment(visitor, api, sentiment):
    page = visitor.go(f"/calls?worker={CLINIC}&sentiment={sentiment}&limit=100")
    logs = every_log(api)
    expected = [log["id"] for log in logs if log["data"]["call_analysis"]["user_sentiment"] == sentiment]
    assert expected and ids(page) == expected[:100]
    assert "# The API cannot select or sort calls by the sentiment." in page.text


def test_a_click_on_the_head_of_a_column_sorts_and_another_one_turns_it_round(visitor, api):
    lengths = {log["id"]: log["duration"] for log in every_log(api)}
    page = visitor.go(f"/calls?worker={CLINIC}&limit=100")
    for order in ("desc", "asc"):
        link = next(link for link in page.links if "sortBy=duration" in link and f"sortOrder={order}" in link)
        page = visitor.go(link.removeprefix("/console"))
        shown = [lengths[id] or 0 for id in ids(page)]
        assert shown == sorted(shown, reverse=order == "desc")


def test_calls_of_all_workers_are_one_list_unless_a_worker_is_chosen(visitor, api):
    newest = []
    for worker in api.get("/workers").json:
        logs = api.get(f"/workers/{worker['id']}/deploymentLogs/voice?limit=100").json["data"]
        newest += [(log["startTime"], log["id"]) for log in logs]
    assert ids(visitor.go("/calls?limit=100")) == [id for _, id in sorted(newest, reverse=True)[:100]]
    assert ids(visitor.go(f"/calls?worker={CLINIC}")) == listed(api, CLINIC, limit=25)


@pytest.mark.parametrize(
    "odd", ["_scheme=javascript&_external=1", "log_id=x", "endpoint=x", "_anchor=x", "channel=sms&x=1"]
)
def test_unknown_parameters_are_in_no_link(visitor, odd):
    name = odd.rpartition("&")[2].partition("=")[0]
    page = visitor.go(f"/calls?{odd}&deploymentId=")
    assert page.status == 200
    assert not [link for link in page.links if f"{name}=" in link or link.startswith("javascript")]


def test_each_channel_has_a_list(visitor, api):
    for channel in ("chat", "chat-embed", "sms", "whatsapp"):
        logs = {id for worker in api.get("/workers").json for id in listed(api, worker["id"], channel)}
        assert set(ids(visitor.go(f"/calls?channel={channel}&limit=100"))) == logs != set(), channel


def test_the_export_of_a_list_has_the_logs_of_all_its_pages(visitor, api, advance):
    page = visitor.go(f"/calls?worker={CLINIC}&status=completed&minDuration=30&limit=2")
    assert len(ids(page)) == 2
    assert visitor.send("/calls/export", format="JSON").status == 200
    visitor.go("/calls")
    refused = visitor.send("/calls/export").text
    assert "already has an export" in refused and "Export these" in refused
    advance(1)
    export = api.get("/team/exports").json[0]
    assert (export["format"], export["logType"]) == ("JSON", "voice")
    criteria = {"status": "completed", "minDuration": 30, "limit": 100}
    assert export["rowCount"] == sum(len(listed(api, CLINIC, page=page, **criteria)) for page in range(1, 11)) > 2


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

    def test_python_lists_the_logs_of_all_workers_in_a_loop(self, shown):
        for channel in ("voice", "chat", "chat-embed", "sms", "whatsapp"):
            expected, codes = shown(f"/calls?channel={channel}&limit=100&status=voicemail")
            assert "curl" not in codes  # the API has no such list
            assert {line.split()[0] for line in run(codes["Python"]).splitlines()} == set(expected), channel

    def test_a_search_text_is_quoted(self, shown, demo):
        odd = 'it\'s "$HOME" `id` \\ ${x} é😀'
        _, codes = shown(f"/calls?worker={CLINIC}&searchQuery={quote(odd)}")
        subprocess.run(codes["curl"], shell=True, capture_output=True)
        run(codes["Python"])
        entries = demo.app.world.requests.newest_first()[:2]
        assert [parse_qs(entry.query)["searchQuery"] for entry in entries] == [[odd]] * 2


def test_new_calls_wait_to_be_clicked(served, tab):
    seen = tab(served)
    page = seen.go(f"/calls?worker={CLINIC}")
    before = page.locator("tr[data-open] a").all_text_contents()
    line = page.locator("select[name=deploymentId] option").nth(1).get_attribute("value")
    body = {"workerId": CLINIC, "deploymentId": line, "count": 3}
    answer = served.app.test_client().post("/_dryline/simulate/calls", json=body)
    assert answer.status_code == 201
    seen.poll()
    link = page.get_by_role("link", name="3 new")
    link.wait_for()
    assert page.locator("tr[data-open] a").all_text_contents() == before
    link.click()
    page.locator(f"tr[data-open] a[href*='{answer.json['ids'][-1]}']").wait_for()
