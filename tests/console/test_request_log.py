"""The request log."""

import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

from dryline.blueprints.console.request_log import as_curl
from dryline.tests.conftest import NEW_WORKER
from dryline.tests.console.visitor import words


def newest(visitor):
    """Open the newest request."""
    links = visitor.go("/requests").links
    link = next(link for link in links if re.match(r"/console/requests/\d", link))
    return visitor.go(link.removeprefix("/console"))


def listed(page):
    """Return the paths of the listed GET requests."""
    return set(re.findall(r"GET (/api/[\w/]+) ", page.text))


def test_request_and_answer_are_shown_with_links_to_the_worker_and_the_documentation(visitor, api):
    worker = api.post("/workers", NEW_WORKER).json
    page = newest(visitor)
    team = api.get("/team").json["name"]
    assert "Front desk" in page.text and f"Team {team}" in words(page)
    assert f"/console/workers/{worker['id']}" in page.links
    (link,) = [link for link in page.links if link.startswith("/docs#")]
    documented = visitor.client.get("/openapi.json").json["paths"]["/api/workers"]["post"]
    assert link.split("/")[-2:] == [documented["tags"][0], documented["operationId"]]
    assert visitor.go("/requests/17000").status == 404


def test_filters_select_requests(visitor, api, control):
    control.post("/faults", {"path": "/api/team", "status": 503})
    for path in ("/workers", "/workers/none", "/team"):
        api.get(path)
    for query, paths in (
        ("", {"/api/workers", "/api/workers/none", "/api/team"}),
        ("?path=/api/workers*", {"/api/workers", "/api/workers/none"}),
        ("?status=4xx", {"/api/workers/none"}),
        ("?status=404", {"/api/workers/none"}),
        ("?fault=only", {"/api/team"}),
        ("?method=POST", set()),
    ):
        assert listed(visitor.go(f"/requests{query}")) == paths, query
    visitor.go("/requests")
    assert "No requests yet" in visitor.send("/clear").text


def test_the_list_says_why_requests_failed_and_counts_equal_failures(visitor, api, control):
    for _ in range(12):
        api.post("/workers", {})
    api.get("/workers/none")
    control.post("/faults", {"path": "/api/team", "status": 503, "times": 2})
    api.get("/team")
    page = visitor.go("/requests")
    text = words(page)
    assert "POST /api/workers name: Missing data for required field." in text and "400 12 times" in text
    assert "GET /api/workers/none Worker none not found" in text
    assert "GET /api/team Fault: answers 503, 2 times" in text
    assert page.answer.text.count("<tr data-open") == 3
    (link,) = [link for link in page.links if link and "each=1" in link]
    assert visitor.go(link.removeprefix("/console")).answer.text.count("<tr data-open") == 12
    row = re.findall(r'<tr data-open>.*?href="/console(/requests/\d+)', page.answer.text, re.DOTALL)[-1]
    assert "400: name: Missing data" in visitor.go(row).text


def test_a_request_is_sent_again(visitor, api):
    api.post("/workers", NEW_WORKER)
    newest(visitor)
    assert "Sent again: 201" in visitor.send("/replay").text
    assert len(api.get("/workers").json) == 2


def test_the_curl_command_sends_the_same_request(visitor, served):
    client = served.app.test_client()
    client.post(
        "/api/workers", json=NEW_WORKER | {"name": "O'Hara's \"desk\""}, headers={"x-api-key": "dryline-local-key"}
    )
    with served.app.world.active(), served.app.test_request_context(base_url=served.url):
        line = as_curl(served.app.world.requests.newest_first()[0])
    answer = subprocess.run(f"{line} -s", shell=True, capture_output=True, text=True).stdout
    assert json.loads(answer)["name"] == "O'Hara's \"desk\""


def test_a_verification_shows_near_misses_and_surplus_requests(visitor, api):
    api.post("/workers", NEW_WORKER)
    page = visitor.go("/requests/verify?method=POST&path=/api/workers&bodyContains=Back+desk")
    assert "Not as expected" in page.text
    near = words(page).partition("Nearest requests")[2]
    assert "POST /api/workers" in near and "Front desk" in near and "bodyContains" in near
    assert "As expected" in visitor.go("/requests/verify?method=POST&bodyContains=Front&max=1").text
    assert "Surplus requests" in visitor.go("/requests/verify?method=POST&max=0").text
    assert "regular expression" in visitor.go("/requests/verify?bodyMatches=(").text
    assert "did you mean /api/workers?" in visitor.go("/requests/verify?path=/api/wrokers&max=0").text


def test_the_inbox_is_hidden_until_an_origin_is_chosen_and_ids_are_shortened(visitor, api):
    visitor.client.post("/inbox/webhooks", json={})
    api.get("/workers/worker_10000000-0003-4d30-a799-cb05a5d9eb3a/flows")
    api.get("/workers", headers={"X-Dryline-Origin": "arranged"})
    text = words(visitor.go("/requests"))
    assert "GET /api/workers/worker_1000…eb3a/flows" in text and "1 request," in text
    every = words(visitor.go("/requests?origin=all"))
    assert "POST /inbox/webhooks" in every and "3 requests," in every
    for filters in ("origin=inbox", "path=/inbox/*"):
        shown = words(visitor.go(f"/requests?{filters}"))
        assert "POST /inbox/webhooks" in shown and "1 request," in shown


def test_the_first_request_of_each_day_has_the_date(visitor, api, control):
    control.put("/clock", {"now": "2026-11-20T23:14:00Z", "frozen": True})
    api.get("/workers")
    api.get("/tags")
    control.post("/clock/advance", {"seconds": 86_400})
    api.get("/team")
    times = re.findall(r"<time[^>]*>([^<]*)</time>", visitor.go("/requests").html.partition("<main")[2])
    assert times == ["Sat 21 Nov 23:14:00", "Fri 20 Nov 23:14:00", "23:14:00"]


def test_a_long_path_is_shown_at_once(visitor, api):
    """Would take hours if its time grew with more than the length of the path."""
    api.get(f"/workers/{'a_' * 10_000}.")
    assert "GET /api/workers/a_a_" in words(visitor.go("/requests"))


def test_new_requests_appear_by_themselves_while_the_reader_is_at_the_top(served, tab):
    client, seen = served.app.test_client(), tab(served)
    client.get("/api/team")
    page = seen.go("/requests")
    client.get("/api/workers")
    seen.poll()
    expect(page.locator("tbody tr").first).to_contain_text("GET /api/workers")
    page.keyboard.press("j")  # who reads a row is not moved
    client.get("/api/exports")
    seen.poll()
    expect(page.get_by_role("link", name="1 new")).to_be_visible()
    expect(page.locator("tbody tr").first).to_contain_text("GET /api/workers")


def test_the_first_time_of_a_day_is_shown_with_its_date(demo, tab):
    demo.app.test_client().get("/api/team")
    cell = tab(demo, 1440).go("/requests").locator("tbody td").first
    expect(cell).to_contain_text(re.compile(r"\w{3} \d+ \w{3} \d\d:\d\d:\d\d"))
    widest = "Wed 28 Nov 00:00:00"
    cell.locator("time").evaluate("(one, text) => { one.textContent = text }", widest)
    assert cell.evaluate("one => one.scrollWidth <= one.clientWidth")


class TestTeams:
    @pytest.fixture
    def team(self, api, other_api, app):
        """Return the id of another team. Both teams and a client without a key have sent a request."""
        api.get("/echo/suites")
        other_api.get("/workers")
        app.test_client().get("/api/exports")
        return other_api.get("/team").json["id"]

    def test_the_chosen_teams_requests_are_listed_verified_and_cleared(self, visitor, team):
        assert listed(visitor.go("/requests")) == {"/api/echo/suites", "/api/workers", "/api/team", "/api/exports"}
        assert "made 0 times" in visitor.go(f"/requests/verify?team={team}&path=/api/echo/suites").text
        assert "made 1 time" in visitor.go("/requests/verify?path=/api/echo/suites").text
        # Those without a team are listed with each team.
        assert listed(visitor.go(f"/requests?team={team}")) == {"/api/workers", "/api/team", "/api/exports"}
        visitor.send("/clear")
        assert listed(visitor.go("/requests")) == {"/api/echo/suites", "/api/exports"}

    def test_links_to_the_rows_of_another_team_name_it(self, visitor, other_api, team):
        worker = other_api.post("/workers", NEW_WORKER).json["id"]
        assert f"/console/workers/{worker}?team={team}" in newest(visitor).links
