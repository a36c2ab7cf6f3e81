"""The state document: out and in. Contract: state.md."""

import orjson
import pytest

from dryline import __version__
from dryline.state.collections import COLLECTIONS
from dryline.state.parsing import row_schemas
from dryline.tests.contract.two_teams import SOUTH, document
from dryline.tests.control.documents import WHEN, faults, of_a_line, of_north

ROW_SCHEMAS = row_schemas()


def test_every_collection_is_listed_even_when_it_is_empty(control):
    state = control.get("/state").json
    assert state.pop("version") == 1
    assert state.pop("writtenBy") == f"dryline {__version__}"
    assert list(state) == list(ROW_SCHEMAS) == list(COLLECTIONS)
    assert {name for name, rows in state.items() if rows} == {"teams"}


def test_rows_come_oldest_first_and_then_by_id(put):
    ages = {"b": "2026-01-02", "c": "2026-01-01", "a": "2026-01-02"}
    workers = [{"id": id, "name": "W", "createdAt": f"{day}T00:00:00Z"} for id, day in ages.items()]
    assert [worker["id"] for worker in put(workers=workers)["workers"]] == ["c", "a", "b"]


def test_one_teams_part_can_be_read(control):
    control.put("/state", document())
    state = control.get("/state?team=north-teams").json
    assert {name: len(rows) for name, rows in state.items() if name in ROW_SCHEMAS} == dict.fromkeys(ROW_SCHEMAS, 1)
    assert SOUTH not in orjson.dumps(state).decode()
    assert control.get("/state?team=nobody").status_code == 404


def test_rows_may_come_in_any_order(put):
    rows = of_north()
    rows.pop("version")
    state = put(**dict(reversed(rows.items())))
    assert all(len(state[name]) == 1 for name in ROW_SCHEMAS)


def test_members_that_a_row_leaves_out_are_as_after_a_creation(api, make_voice_deployment, put, control):
    made = make_voice_deployment(phoneNumber="+14155550100")
    worker = api.get(f"/workers/{made['workerId']}").json
    control.put("/clock", {"now": WHEN, "frozen": True})
    flow = {"id": "f", "workerId": "w", "name": "Main", "code": "x"}
    voice = {"id": "d", "workerId": "w", "flowId": "f", "name": "Line", "phoneNumber": "+14155550100"}
    put(workers=[{"id": "w", "name": worker["name"]}], flows=[flow], voiceDeployments=[voice])
    changed = {"id": "w", "createdAt": WHEN, "updatedAt": WHEN}
    assert api.get("/workers/w").json == {**worker, **changed}
    changed = {"id": "d", "createdAt": WHEN, "updatedAt": WHEN, "workerId": "w", "flowId": "f"}
    assert api.get("/workers/w/deployments/voice/d").json == {**made, **changed}


def test_the_least_that_a_row_needs_is_enough(put):
    """All other members get a default."""
    whole = of_north()
    least = {
        name: {key: value for key, value in whole[name][0].items() if key in (form.id, *form.needs)}
        for name, form in ROW_SCHEMAS.items()
    }
    state = put(**{name: [row] for name, row in least.items()})
    for name, row in least.items():
        (stored,) = state[name]
        assert {key: stored[key] for key in row} == row, name


def test_a_row_without_a_member_that_it_needs_is_refused(control):
    before = control.get("/state").data
    for name, form in ROW_SCHEMAS.items():
        sent = of_north()
        (row,) = sent[name]
        sent[name] = [{key: row[key] for key in row if key != member} for member in form.needs]
        missing = {f"{name}[{at}].{member}" for at, member in enumerate(form.needs)}
        assert missing <= faults(control.put("/state", sent)).keys()
    assert control.get("/state").data == before


@pytest.mark.parametrize(
    ("name", "member", "value"),
    [
        ("voiceDeployments", "status", "RESTING"),
        ("voiceDeployments", "type", "Chat"),
        ("workers", "createdAt", "yesterday"),
        ("flows", "version", 2**63),
        ("flows", "version", True),
        ("businessHours", "timezone", "Mars/Olympus"),
        ("whatsappSenders", "senderSid", ""),
        ("exports", "fields", ["bogus"]),
        ("voiceLogs", "duration", -1),
    ],
)
def test_a_value_that_cannot_be_is_refused(control, name, member, value):
    sent = of_north()
    sent[name][0][member] = value
    assert f"{name}[0].{member}" in faults(control.put("/state", sent))


@pytest.mark.parametrize("version", [None, 2, True])
def test_only_version_1_is_taken(control, version):
    assert "version" in faults(control.put("/state", {"version": version}))
    assert "version" in faults(control.put("/state", {}))


def test_a_document_of_a_newer_format_is_refused_as_such(control):
    answer = control.put("/state", {"version": 2, "workers": [], "novelties": []})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (422, "version")
    assert "Version 2 is of a newer dryline" in answer.json["error"]


def test_a_collection_is_a_list_of_objects(control):
    sent = {"version": 1, "workers": {}, "tags": [1]}
    assert set(faults(control.put("/state", sent))) == {"workers", "tags[0]"}


@pytest.mark.parametrize("levels", [230, 400])
def test_a_value_that_is_nested_too_deeply_is_refused(control, levels):
    value = '{"a":' * levels + "1" + "}" * levels
    deep = f'{{"version": 1, "workers": [{{"id": "w", "name": "W", "visualizations": {value}}}]}}'
    assert control.put("/state", data=deep, content_type="application/json").status_code == 422


def test_what_the_server_gives_can_be_put_back_to_the_byte(put, control):
    rows = of_north()
    rows.pop("version")
    put(**rows)
    state = control.get("/state").data
    assert control.put("/state", data=state, content_type="application/json").status_code == 204
    assert control.get("/state").data == state


def test_a_document_may_be_larger_than_what_the_api_takes(put, app):
    logs = [{"id": f"log{n}", "workerId": "w", "transcription": "word " * 60_000} for n in range(40)]
    assert len(put(workers=[{"id": "w", "name": "W"}], voiceLogs=logs)["voiceLogs"]) == 40


def test_times_of_a_document_that_names_its_moment_are_moved_by_whole_weeks(put, control):
    control.put("/clock", {"now": "2026-03-12T10:00:00Z", "frozen": True})  # a Thursday
    data = {"events": [{"at": "2026-02-25T09:00:00.000Z", "text": "2026-02-25"}]}
    log = {"id": "l", "workerId": "w", "startTime": "2026-02-25T09:30:00Z", "data": data}
    monday = "2026-02-23T10:00:00.000Z"
    state = put(asOf=monday, workers=[{"id": "w", "name": "W", "createdAt": monday}], voiceLogs=[log])
    assert state["workers"][0]["createdAt"] == "2026-03-09T10:00:00.000Z"
    assert state["workers"][0]["updatedAt"] == "2026-03-12T10:00:00.000Z"
    assert state["voiceLogs"][0]["startTime"] == "2026-03-11T09:30:00.000Z"
    assert state["voiceLogs"][0]["data"] == {"events": [{"at": "2026-03-11T09:00:00.000Z", "text": "2026-02-25"}]}


def test_of_a_document_with_a_moment_nothing_comes_in_that_has_not_happened_yet(put, control):
    control.put("/clock", {"now": "2026-03-12T10:00:00Z", "frozen": True})
    times = {"over": "09:58", "in progress": "10:01", "to come": "10:30"}
    logs = [
        {"id": id, "workerId": "w", "createdAt": f"2026-02-26T09:{n}:00.000Z", "endTime": f"2026-02-26T{end}:00.000Z"}
        for n, (id, end) in enumerate(times.items(), 50)
    ]
    sessions = [{"id": f"s {log['id']}", "worker_id": "w", "session_end": log["endTime"]} for log in logs]
    rows = {"voiceLogs": logs, "sessions": sessions}
    state = put(asOf="2026-02-23T10:00:00.000Z", workers=[{"id": "w", "name": "W"}], **rows)
    assert [[row["id"] for row in state[name]] for name in rows] == [["over"], ["s over"]]


def test_what_requires_a_row_that_is_left_out_is_left_out_with_it(put, control):
    as_of, later = "2026-02-23T10:00:00.000Z", "2026-03-23T10:00:00.000Z"
    rows = of_a_line()
    rows["flows"][0]["updatedAt"] = rows["voiceDeployments"][0]["updatedAt"] = later
    state = put(
        asOf=as_of,
        **rows,
        flowVersions=[{"id": "v", "flowId": "f", "versionNumber": 1, "code": "loop:\n    talk()\n"}],
        outboundCampaigns=[{"id": "c", "deploymentId": "d", "data": []}],
        queuedCalls=[{"id": "q", "deploymentId": "d", "campaignId": "c", "row": {"phoneNumber": "+14155550101"}}],
        tests=[{"id": "t", "workerId": "w", "flowId": "f", "name": "T"}],
    )
    assert {name for name, rows in state.items() if isinstance(rows, list) and rows} == {"teams", "workers", "tests"}
    assert control.put("/state", state).status_code == 204


def test_a_queued_call_is_left_out_with_its_campaign_alone(put, control):
    as_of, later = "2026-02-23T10:00:00.000Z", "2026-03-23T10:00:00.000Z"
    row = {"deploymentId": "d", "row": {"phoneNumber": "+14155550101"}}
    state = put(
        asOf=as_of,
        **of_a_line(),
        outboundCampaigns=[{"id": "c", "deploymentId": "d", "data": [], "createdAt": later}],
        queuedCalls=[{**row, "id": "of the campaign", "campaignId": "c"}, {**row, "id": "plain"}],
    )
    assert [call["id"] for call in state["queuedCalls"]] == ["plain"]
    assert control.put("/state", state).status_code == 204


def test_a_link_to_a_row_that_is_left_out_is_null_where_a_deletion_makes_it_null(put, app):
    ahead = {"id": "i", "appType": "twilio", "createdAt": "2026-03-23T10:00:00.000Z"}
    number = {"id": "n", "phoneNumber": "+14155550100", "integrationId": "i"}
    state = put(asOf="2026-02-23T10:00:00.000Z", integrations=[ahead], phoneNumbers=[number])
    assert (state["integrations"], state["phoneNumbers"][0]["integrationId"]) == ([], None)
    assert app.world.db.execute_sql("PRAGMA foreign_key_check").fetchall() == []


def test_a_team_is_kept_whatever_its_times(put):
    state = put(asOf="2026-02-23T10:00:00.000Z", teams=[{"id": "t", "name": "T", "createdAt": "2026-03-23T10:00:00Z"}])
    assert [team["id"] for team in state["teams"]] == ["t"]


@pytest.mark.parametrize(
    ("as_of", "created_at", "path"),
    [
        ("0001-01-01T00:00:00Z", None, "asOf"),
        (None, "9999-12-31T23:59:59Z", "workers[0].createdAt"),
        (None, "0001-01-01T00:00:00Z", "workers[0].createdAt"),
        ("0002-01-01T00:00:00Z", "9990-01-01T00:00:00Z", "workers[0].createdAt"),
        ("9990-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "workers[0].createdAt"),
    ],
)
def test_a_time_beyond_the_calendar_is_refused(control, as_of, created_at, path):
    worker = {"id": "w", "name": "W"} | ({"createdAt": created_at} if created_at else {})
    document = {"version": 1, "workers": [worker]} | ({"asOf": as_of} if as_of else {})
    assert set(faults(control.put("/state", document))) == {path}


def test_a_time_inside_json_that_cannot_be_shifted_is_refused_and_a_text_like_a_time_stays(put, control):
    control.put("/clock", {"now": "2026-03-12T10:00:00Z", "frozen": True})
    log = {"id": "l", "workerId": "w", "data": {"at": "2026-02-30T10:00:00.000Z"}}
    rows = {"asOf": "2026-02-23T10:00:00Z", "workers": [{"id": "w", "name": "W"}], "voiceLogs": [log]}
    assert put(**rows)["voiceLogs"][0]["data"] == log["data"]
    log["data"] = {"at": "9999-12-31T10:00:00.000Z"}
    assert set(faults(control.put("/state", {"version": 1, **rows}))) == {"voiceLogs[0]"}
