"""The shipped scenarios: each loads at any time, agrees with itself, and shows what it is for."""

import csv
import io
import re
from datetime import datetime, timedelta

import orjson
import pytest

from dryline.flow.engine import Engine
from dryline.settings import Settings
from dryline.state.scenarios import ABOUT, SHIPPED
from dryline.tests.console.visitor import Visitor
from dryline.tools import campaign, clinic, demo, demo_content, documents, making, trouble
from dryline.world.clock import parse

BUSINESSES = {
    "demo": [*(one.program for one in (*demo_content.BUSINESSES, demo_content.QUAYSIDE)), demo_content.REMINDER],
    "clinic": [clinic.HOSPITAL.program],
    "campaign": [campaign.GARAGE.program],
    "trouble": [trouble.PARCELS.program, trouble.PICKUP],
}
MAKERS = {"demo": demo, "clinic": clinic, "campaign": campaign, "trouble": trouble}
beside_the_demo = pytest.mark.parametrize("name", ["clinic", "campaign", "trouble"], scope="module")


@pytest.fixture(scope="module", params=MAKERS)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def document(name):
    return orjson.loads(making.path(name).read_bytes())


def variables(name):
    """Return the variables of all flows of a scenario."""
    return {str(value) for program in BUSINESSES[name] for value in program.variables.values()}


def test_every_shipped_scenario_is_described():
    assert {file.stem for file in SHIPPED.glob("*.json")} | {"empty"} == set(ABOUT)


def test_a_file_is_small_and_has_one_row_a_line(name, document):
    assert making.path(name).stat().st_size < (4_000_000 if name == "demo" else 2_000_000)
    assert documents.written(document) == making.path(name).read_bytes()


@beside_the_demo
def test_the_script_still_makes_such_a_document(name, document):
    """Compare names and code only: simulated content and the ids that are drawn after it change with the phrases."""
    made = MAKERS[name].make()
    for collection in ("teams", "workers", "flows", "voiceDeployments", "customWebhooks", "outboundCampaigns"):
        names = [row["name"] for row in made.get(collection, ())]
        assert names == [row["name"] for row in document.get(collection, ())], collection


def test_the_flows_have_the_code_of_their_programs(name, document):
    codes = {program.versions[-1].code for program in BUSINESSES[name]}
    assert codes <= {row["code"] for row in document["flows"]}


def test_programs_are_sound_but_for_the_one_that_is_to_be_mended(name):
    with Engine() as engine:
        unsound = [
            version.file for program in BUSINESSES[name] for version in program.versions if engine.check(version.code)
        ]
    assert unsound == (["pickup_1"] if name == "trouble" else [])


# It agrees with itself


def test_a_transfer_goes_to_a_number_that_a_flow_names(name, document):
    for log in document["voiceLogs"]:
        for event in (log.get("transferData") or {}).get("transferEvents", ()):
            assert event["toNumber"] in variables(name)


def test_a_runtime_error_stands_on_a_line_of_its_flow_and_quotes_its_address(name, document):
    codes = {}
    for version in document["flowVersions"]:
        codes.setdefault(version["flowId"], []).append(version["code"])
    logs = {log["id"] for channel in ("voiceLogs", "chatEmbedLogs") for log in document.get(channel, ())}
    for error in document.get("runtimeErrors", ()):
        at = error["lineNumber"] - 1
        lines = {line.strip() for code in codes[error["flowId"]] for line in code.splitlines()[at : at + 1]}
        assert error["traceback"].splitlines()[-2].strip() in lines
        assert error["metadata"]["logId"] in logs
        for host in re.findall(r"host='([^']*)'", error["error"]):
            assert any(host in value for value in variables(name))


@beside_the_demo
def test_extracted_values_are_in_the_transcript(document):
    """The demo's agents confirm in other words, and its callers spell their numbers."""
    for log in document["voiceLogs"]:
        data = log.get("extractionsData") or {}
        if data.get("booked") or data.get("confirmed"):
            assert re.search("all set|ee you|down for|is now|sees you", log["transcription"])
        if data.get("order_number"):
            assert data["order_number"] in log["transcription"]


def test_a_row_was_called_once_and_by_its_name(document):
    logs = {}
    for log in document["voiceLogs"]:
        logs.setdefault((log["metadata"].get("campaignId"), log["metadata"].get("rowId")), []).append(log)
    for one in document.get("outboundCampaigns", ()):
        called = [logs.get((one["id"], row["id"]), []) for row in one["data"]]
        assert {len(calls) for calls in called} <= {"COMPLETED": {1}, "CREATED": {0}, "STARTED": {0, 1}}[one["status"]]
        for row, calls in zip(one["data"], called, strict=True):
            for log in calls:
                assert log["toNumber"] == row["phoneNumber"]
                assert log["status"] != "completed" or row["name"] in log["transcription"]
                if (log.get("extractionsData") or {}).get("confirmed"):
                    assert f"{row['day']} at {row['time']}" in log["transcription"]


# Loaded


@pytest.fixture
def settings(name):
    return Settings(ephemeral=True, scenario=name, seed=1)


@pytest.fixture
def visitor(app):
    return Visitor(app.test_client())


# At different hours of a week far from the document's own.
MOMENTS = [datetime.fromisoformat(f"2031-03-0{day}:30:00+00:00") for day in ("3T03", "5T21", "7T13", "9T08")]


@pytest.mark.parametrize("now", MOMENTS, ids=lambda now: f"{now:%A-%H}")
def test_nothing_lies_in_the_future_and_the_newest_is_of_the_present(name, control, document, now):
    control.put("/clock", {"now": now.isoformat(), "frozen": True})
    assert control.put("/state", document).status_code == 204
    state = control.get("/state").json
    happened = {"createdAt", "updatedAt", "endTime", "session_end", "completedAt", "deliveredAt"}
    for rows in filter(None, state.values()):
        for row in rows if isinstance(rows, list) else ():
            assert all(parse(row[key]) <= now for key in happened & row.keys() if row[key])
    written = {log["id"]: parse(log["startTime"]) for log in document["voiceLogs"]}
    moved = {(parse(log["startTime"]) - written[log["id"]]) % timedelta(weeks=1) for log in state["voiceLogs"]}
    assert moved == {timedelta(0)}
    assert now - max(parse(log["endTime"]) for log in state["voiceLogs"]) < timedelta(days=1 if name == "demo" else 8)


@beside_the_demo
def test_a_reset_leads_to_it_again(name, control, api):
    before = [worker["id"] for worker in api.get("/workers").json]
    control.post("/reset", {"scenario": "empty"})
    control.post("/reset", {"scenario": name})
    assert [worker["id"] for worker in api.get("/workers").json] == before


@pytest.mark.parametrize("name", ["demo", "clinic"], scope="module")
def test_last_nights_export_can_be_downloaded(api, advance):
    advance()
    (export,) = [one for one in api.get("/team/exports").json if one["status"] == "COMPLETED"]
    with api.client.get(export["downloadUrl"]) as answer:
        assert len(answer.data) == export["fileSizeBytes"]
        assert len(list(csv.DictReader(io.StringIO(answer.text, newline="")))) == export["rowCount"] > 0


class TestClinic:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="clinic", seed=1)

    def test_the_page_of_a_worker_shows_its_rows(self, visitor, api):
        (worker,) = api.get("/workers").json
        at = f"/workers/{worker['id']}"
        assert "Reception" in visitor.go(at).text
        assert "passed" in visitor.go(f"{at}/tests").text
        assert "Before an operation" in visitor.go(f"{at}/resources").text
        assert "Reception line" in visitor.go("/calls").text


class TestCampaign:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="campaign", seed=1)

    @pytest.fixture
    def document(self):
        return orjson.loads((SHIPPED / "campaign.json").read_bytes())

    @pytest.mark.parametrize("weeks", [0, 250], ids="{} weeks later".format)
    def test_a_campaign_is_in_the_middle_of_its_run_and_completed_within_about_an_hour(
        self, api, control, visitor, advance, document, weeks
    ):
        now = parse(document["asOf"]) + timedelta(weeks=weeks, hours=3)
        control.put("/clock", {"now": now.isoformat(), "frozen": True})
        assert control.put("/state", document).status_code == 204
        (worker,) = api.get("/workers").json
        (line,) = api.get(f"/workers/{worker['id']}/deployments/voice").json
        path = f"/workers/{worker['id']}/deployments/voice/{line['id']}/outbound-campaigns"

        def running():
            return next(one for one in api.get(path).json if one["name"] == campaign.RUNNING)

        def count():
            page = visitor.go(f"/campaigns/{running()['id']}").answer.text
            grid = re.search(r'<svg class="grid"[^>]*aria-label="([^"]*)"', page)[1]
            return {word: int(number) for number, word in re.findall(r"(\d+) ([a-z][a-z -]*)", grid)}

        advance()
        assert running()["status"] == "RUNNING"
        assert count()["queued"] == 60 and count()["completed"] > 10
        advance(120)
        assert count()["queued"] == 54
        advance(3600)
        assert running()["status"] == "COMPLETED"


class TestTrouble:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="trouble", seed=1)

    def test_each_kind_of_trouble_is_on_its_page(self, visitor, api):
        (worker,) = api.get("/workers").json
        at = f"/workers/{worker['id']}"
        assert "503 Server Error" in visitor.go(at).text
        assert "failed" in visitor.go(f"{at}/tests").text
        refused = visitor.go("/webhooks?status=FAILED").text
        assert "503" in refused and "Name or service not known" in refused
        assert "No space left on device." in visitor.go("/exports").text
        assert "failed" in visitor.go("/calls").text

    def test_an_error_of_a_flow_is_shown_beside_its_line(self, visitor, api):
        (worker,) = api.get("/workers").json
        flows = api.get(f"/workers/{worker['id']}/flows").json
        (draft,) = [flow["id"] for flow in flows if flow["name"] == trouble.PICKUP.name]
        assert 'class="finding error"' in visitor.go(f"/workers/{worker['id']}/flows/{draft}").answer.text
