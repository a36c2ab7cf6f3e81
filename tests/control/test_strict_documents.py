"""Documents that people write are strict, those of dryline are not. Contract: state.md, rules 3 and 6."""

import json
import logging

import pytest

from dryline import __version__
from dryline.app import create_app
from dryline.settings import BadSetting, Settings
from dryline.state.collections import COLLECTIONS
from dryline.state.scenarios import ABOUT
from dryline.testing import DrylineError, DrylineInProcess
from dryline.tests.contract import two_teams
from dryline.tests.control.documents import faults, of_north

OLDER = "dryline 0.1.0"
WORKER = {"id": "w", "name": "W", "statsu": "active"}


@pytest.fixture(params=["put", "post"])
def send(request, control):
    """Send a document, to replace the state or to be added."""
    return lambda document, query="": getattr(control, request.param)(f"/state{query}", {"version": 1, **document})


# Members


@pytest.mark.parametrize(
    ("name", "member", "near"),
    [
        ("workers", "creatdAt", "createdAt"),
        ("tags", "created_at", "createdAt"),
        ("voiceLogs", "teamid", "teamId"),
        ("exports", "zzz", None),
    ],
)
def test_an_unknown_member_is_refused_with_the_nearest(control, send, name, member, near):
    sent = of_north()
    sent[name][0][member] = None
    hint = f"; did you mean {near}?" if near else "."
    before = control.get("/state").data
    assert faults(send(sent)) == {f"{name}[0].{member}": f"Unknown field{hint}"}
    assert control.get("/state").data == before


@pytest.mark.parametrize(
    ("name", "part", "path"),
    [
        ("teams", {"apiKeys": [{"sha256": "0" * 64, "naem": "x"}]}, "teams[0].apiKeys[0].naem"),
        ("tests", {"checkpoints": [{"naem": "x"}]}, "tests[0].checkpoints[0].naem"),
        ("voiceDeployments", {"extractions": {"a": {"typ": "string"}}}, "voiceDeployments[0].extractions.a.typ"),
    ],
)
def test_an_unknown_member_of_a_part_of_a_row_is_refused(send, name, part, path):
    sent = of_north()
    sent[name][0] |= part
    assert path in faults(send(sent))


def test_the_sentence_of_a_refusal_names_the_way_out(send):
    answer = send({"workers": [WORKER]})
    assert answer.json["error"].startswith("workers[0].statsu: Unknown field; did you mean status?")
    assert "`lenient`" in answer.json["error"]
    assert "`lenient`" not in send({"workers": [{**WORKER, "name": 5}]}).json["error"]


def test_lenient_ignores_unknown_members(control, send, caplog):
    assert send({"workers": [WORKER]}, "?lenient=true").status_code == 204
    assert "statsu" not in control.get("/state").json["workers"][0]
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


def test_another_versions_unknown_members_are_ignored_with_one_warning(control, send, caplog):
    sent = of_north() | {"writtenBy": OLDER}
    for name in ("workers", "tags", "flows"):
        sent[name][0]["former"] = 1
    assert send(sent).status_code == 204
    (warning,) = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert OLDER in warning and __version__ in warning and "3 members" in warning and "workers[0].former" in warning


# Documents that dryline wrote


# The collections of whose rows no other needs one.
NOT_NEEDED = COLLECTIONS.keys() - {"teams"}
for about in COLLECTIONS.values():
    NOT_NEEDED = NOT_NEEDED.difference(*about.required_links.values())


def assert_comes_in(control, document):
    assert control.put("/state", document).status_code == 204
    first = control.get("/state").json
    assert control.put("/state", first).status_code == 204
    assert {**control.get("/state").json, "exports": []} == {**first, "exports": []}


@pytest.mark.parametrize("name", ABOUT)
def test_what_is_exported_without_a_row_of_each_collection_comes_in_again(control, name):
    control.post("/reset", {"scenario": name})
    if name == "empty":
        assert control.put("/state", two_teams.document()).status_code == 204
    exported = control.get("/state").json
    assert_comes_in(control, exported | {collection: exported[collection][1:] for collection in NOT_NEEDED})


# Scenarios, helpers, commands


@pytest.fixture
def seed(tmp_path):
    path = tmp_path / "seed.json"
    path.write_text(json.dumps({"version": 1, "workers": [WORKER], "llmLogs": [{"id": "l", "eventType": "x"}]}))
    return path


def test_a_scenario_with_a_typing_error_does_not_start_but_with_lenient(seed):
    with pytest.raises(BadSetting, match=r"workers\[0\].statsu: Unknown field; did you mean status\?"):
        create_app(Settings(ephemeral=True, scenario=str(seed)))
    app = create_app(Settings(ephemeral=True, scenario=str(seed), lenient=True))
    assert app.test_client().post("/_dryline/reset", json={}).status_code == 204
    app.close()


def test_the_helpers_have_a_keyword_for_lenient_documents():
    with DrylineInProcess() as dryline:
        for load in (dryline.add, dryline.load):
            with pytest.raises(DrylineError, match="did you mean status"):
                load({"version": 1, "workers": [WORKER]})
        dryline.add({"version": 1, "workers": [WORKER]}, lenient=True)
        dryline.load({"version": 1, "workers": [WORKER]}, lenient=True)
        assert [row["id"] for row in dryline.state()["workers"]] == ["w"]
