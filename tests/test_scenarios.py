"""The shipped scenarios: each loads at any time, agrees with itself, and shows what it is for."""

import csv
import io
from datetime import datetime, timedelta
from urllib.parse import urlsplit

import orjson
import pytest

from dryline.flow.engine import Engine
from dryline.flow.language.python_code import translate
from dryline.state.scenarios import ABOUT, SHIPPED
from dryline.tests.console.visitor import Visitor
from dryline.tools import campaign, clinic, demo_content, documents, making, trouble
from dryline.tools.content import Checkpoint, Version
from dryline.world.clock import parse

BUSINESSES = {
    "demo": [*(one.program for one in (*demo_content.BUSINESSES, demo_content.QUAYSIDE)), demo_content.REMINDER],
    "clinic": [clinic.HOSPITAL.program],
    "campaign": [campaign.GARAGE.program],
    "trouble": [trouble.PARCELS.program, trouble.PICKUP],
}


@pytest.fixture(scope="module", params=BUSINESSES)
def name(request):
    return request.param


@pytest.fixture(scope="module")
def document(name):
    return orjson.loads(making.path(name).read_bytes())


def test_every_shipped_scenario_is_described():
    assert {file.stem for file in SHIPPED.glob("*.json")} | {"empty"} == set(ABOUT)


def test_a_file_has_one_row_a_line_and_all_of_them_are_small(name, document):
    assert sum(file.stat().st_size for file in SHIPPED.glob("*.json")) <= 6_000_000
    assert documents.written(document) == making.path(name).read_bytes()


def test_programs_are_sound_but_for_the_one_that_is_to_be_mended(name):
    with Engine() as engine:
        unsound = [
            version.file for program in BUSINESSES[name] for version in program.versions if engine.check(version.code)
        ]
    assert unsound == (["pickup_1"] if name == "trouble" else [])


def test_each_checkpoint_names_a_condition_of_its_flow(document):
    codes = {flow["id"]: flow["code"] for flow in document["flows"]}
    for test in document.get("tests", ()):
        conditions = {each.text for each in translate(codes[test["flowId"]]).conditions if each.fixed}
        assert {checkpoint["description"] for checkpoint in test["checkpoints"]} <= conditions


@pytest.mark.parametrize("condition", ["caller wants to dance", "caller {refusal}", 'f"caller {refusal}"'])
def test_a_checkpoint_whose_condition_the_flow_lacks_is_not_made(condition):
    version = Version(30, "Mended", "front_desk_3", checkpoints=(Checkpoint("New", condition, 3, 1),))
    with pytest.raises(ValueError, match="front_desk_3: the checkpoint New names a condition that the flow lacks"):
        making.require_conditions(version)


@pytest.mark.parametrize("name", ["demo", "clinic", "trouble"], scope="module")
def test_a_test_that_is_run_again_comes_out_as_its_last_run_did(name, api, control, advance):
    control.post("/reset", {"scenario": name})
    runs = control.get("/state").json["testRuns"]
    last = max(runs, key=lambda run: run["createdAt"])
    test = next(each for each in control.get("/state").json["tests"] if each["id"] == last["testId"])
    path = f"/workers/{test['workerId']}/tests/{test['id']}"
    api.post(f"{path}/run")
    advance(120)
    again = api.get(f"{path}/runs").json[0]
    assert again["id"] != last["id"]
    assert (again["status"], _outcomes(again)) == (last["status"], _outcomes(last))


def _outcomes(run):
    return [(result["name"], result["status"]) for result in run["results"]]


ASK = """
import requests
say(str(requests.get({!r}, timeout=5).status_code))
"""


def test_each_host_that_a_flow_names_is_answered_without_a_network(name, control, document):
    named = {value for flow in document["flows"] for key, value in flow["variables"].items() if key.endswith("_url")}
    assert named
    for parts in map(urlsplit, named):
        code = ASK.format(f"{parts.scheme}://{parts.netloc}/nothing-there")
        events = control.post("/talk", json={"code": code}).json["events"]
        assert [event["text"] for event in events if event["type"] == "said"] == ["404"]


# At different hours of a week far from the document's own.
MOMENTS = [datetime.fromisoformat(f"2031-03-0{day}:30:00+00:00") for day in ("3T03", "7T13")]


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


@pytest.mark.parametrize("name", ["demo", "clinic"], scope="module")
def test_last_nights_export_can_be_downloaded(name, api, control, advance):
    control.post("/reset", {"scenario": name})
    advance()
    (export,) = [one for one in api.get("/team/exports").json if one["status"] == "COMPLETED"]
    with api.client.get(export["downloadUrl"]) as answer:
        assert len(answer.data) == export["fileSizeBytes"]
        assert len(list(csv.DictReader(io.StringIO(answer.text, newline="")))) == export["rowCount"] > 0


@pytest.mark.parametrize("name", ["campaign"], scope="module")
def test_a_campaign_is_in_the_middle_of_its_run_and_completed_within_about_an_hour(api, control, advance, document):
    now = parse(document["asOf"]) + timedelta(weeks=250, hours=3)
    control.put("/clock", {"now": now.isoformat(), "frozen": True})
    assert control.put("/state", document).status_code == 204

    def running():
        state = control.get("/state").json
        [status] = [one["status"] for one in state["outboundCampaigns"] if one["name"] == campaign.RUNNING]
        return status, len(state["queuedCalls"])

    moments = []
    for seconds in (0, 120, 3600):
        advance(seconds)
        moments.append(running())
    assert moments == [("RUNNING", 60), ("RUNNING", 54), ("COMPLETED", 0)]


@pytest.fixture
def trouble_pages(app, api, control):
    """Return a visitor to the console with the scenario `trouble`, and the path of its worker."""
    control.post("/reset", {"scenario": "trouble"})
    (worker,) = api.get("/workers").json
    return Visitor(app.test_client()), f"/workers/{worker['id']}"


def test_calls_fail_with_the_newest_version(trouble_pages):
    visitor, worker = trouble_pages
    errors = visitor.go(worker).text
    assert "503 Server Error" in errors and "depot_desk" in errors
    assert "failed" in visitor.go("/calls?outcome=failed").text


def test_a_test_passed_before_the_newest_version_and_says_what_fails_since(trouble_pages, control):
    visitor, worker = trouble_pages
    assert "failed" in visitor.go(f"{worker}/tests").text
    (test,) = control.get("/state").json["tests"]
    page = visitor.go(f"{worker}/tests/{test['id']}").text
    assert page.index("503 Server Error") < page.index("KeyError: 'depot_desk'") < page.index("No conversation failed.")


def test_a_flow_that_does_not_run_says_so(trouble_pages, api):
    visitor, worker = trouble_pages
    (draft,) = (flow for flow in api.get(f"{worker}/flows").json if flow["name"] == "Pick-up desk")
    assert "error line 6, column 9: This text is never closed." in visitor.go(f"{worker}/flows/{draft['id']}").text


def test_webhooks_fail_with_their_reasons(trouble_pages):
    visitor, _ = trouble_pages
    refused = visitor.go("/webhooks?status=FAILED").text
    assert "503" in refused and "Name or service not known" in refused


def test_exports_stop_half_way_with_their_reasons(trouble_pages):
    visitor, _ = trouble_pages
    exports = visitor.go("/exports").text
    assert [error for error in trouble.ERRORS if error in exports] == [*trouble.ERRORS]
