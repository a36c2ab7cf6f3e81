"""Copying another service's state: dryline to dryline, with faults and other answers in between."""

import pytest

from dryline.state.parsing import row_schemas
from dryline.testing import DrylineServer
from dryline.tests.remote.conftest import lines

# Collections that pull copies.
COPIED = (
    *("workers", "tags", "workerTags", "integrations", "phoneNumbers", "flows", "flowVersions", "voiceDeployments"),
    *("voicev1Deployments", "chatDeployments", "chatEmbedDeployments", "deploymentParameters", "customWebhooks"),
    *("voiceLogs", "chatLogs", "chatEmbedLogs", "smsLogs", "whatsappLogs"),
)
# Collections that it leaves out: docs/pull-and-drift.md says so.
NOT_COPIED = (
    *("whatsappSenders", "customVoices", "deploymentHistory", "teamDefaultChecks", "deploymentDefaultChecks"),
    *("outboundCampaigns", "queuedCalls", "voicev1Campaigns", "voicev1CampaignData", "sessions", "llmLogs"),
    *("apiLogs", "runtimeErrors", "folders", "resources", "tests", "testRuns", "businessHours", "teamPhoneHours"),
    *("echoSuites", "echoScorecards", "echoAgents", "echoRuns", "exports", "webhookDeliveries", "callsInProgress"),
)


def by_id(rows):
    return {row.get("id") or (row["workerId"], row["tagId"]): row for row in rows}


def without_server_times(rows):
    return {key: {k: v for k, v in row.items() if k not in _THE_SERVERS} for key, row in by_id(rows).items()}


# A recording stays where it is: what is copied is the address that the other server gave.
_THE_SERVERS = ("teamId", "createdAt", "recordingUrl")


def test_a_pulled_world_equals_the_service_and_its_recordings_stay_there(source, command, loads):
    copied, original = loads(command.pulled(source)), source.state()
    for name in COPIED:
        assert without_server_times(copied[name]) == without_server_times(original[name]), name
    addresses = {log["recordingUrl"] for log in copied["voiceLogs"] if log["recordingUrl"]}
    assert addresses and all(address.startswith(f"{source.url}/recordings/") for address in addresses)


def test_of_every_collection_it_is_known_whether_it_is_copied():
    assert {"teams", *COPIED, *NOT_COPIED} == set(row_schemas())


def test_every_kind_of_row_comes_along(small, command):
    original = small.state()
    document = command.pulled(small)
    assert {name: len(document.get(name, [])) for name in COPIED} == {name: len(original[name]) for name in COPIED}
    assert all(original[name] for name in COPIED)


def test_one_worker_can_be_pulled_alone(small, command):
    other = {"id": "other", "workerId": "other"}
    small.add({"version": 1, "workers": [{"id": "other", "name": "Other"}], "voiceLogs": [other]})
    document = command.pulled(small, "--worker", "other")
    assert [row["id"] for row in document["workers"]] == ["other"]
    assert [row["id"] for row in document["voiceLogs"]] == ["other"]


def test_since_leaves_older_logs_out_in_any_notation_of_their_times(small, command):
    times = {"before": "2026-03-02T11:30:00+02:00", "after": "2026-03-02T11:30:00+01:00"}
    logs = [{"id": id, "workerId": "north-workers", "startTime": time} for id, time in times.items()]
    chats = [{**log, "id": f"chat {log['id']}"} for log in logs]
    small.fault(path="*/deploymentLogs/chat", status=200, body=chats)
    small.add({"version": 1, "voiceLogs": logs})
    document = command.pulled(small, "--since", "2026-03-02T10:00:00Z")
    assert [row["id"] for row in document["chatLogs"]] == ["chat after"]
    assert {row["id"] for row in document["voiceLogs"]} == {"after", "north-voiceLogs"}


def test_refusals_losses_and_garbage_on_the_way_are_tried_again(small, command):
    small.fault(path="/api/workers", status=429, headers={"Retry-After": "0"}, times=1)
    small.fault(path="*/flows", status=503, times=2)
    small.fault(path="*/deployments/voice", drop=True, times=1)
    small.fault(path="*/deploymentLogs/chat", malformed="garbage", times=1)
    document = command.pulled(small)
    assert all(document[name] for name in ("workers", "flows", "voiceDeployments", "chatLogs"))


# Answers that deviate from the contract are reported, also by the exit code


ROW_SCHEMAS = ({"oops": 1}, None, {"data": {"a": 1}})
NO_RECORDS = [5, None, [], {"id": 5}, {"id": ""}, {"name": "x"}]


@pytest.mark.parametrize(
    ("path", "answer", "line"),
    [
        ("*/deployments/chat", {"status": 404}, "status 404"),
        ("/api/team/integrations", {"status": 403}, "status 403, the API key may not read this"),
        *(("*/flows", {"body": body}, " of records") for body in ROW_SCHEMAS),
        ("/api/team/tags", {"body": NO_RECORDS}, "6 of 6 are not records with an id"),
        ("*/deploymentLogs/voice", {"body": {"data": [], "hasMore": True, "nextCursor": 5}}, "there are more"),
        ("*/deploymentLogs/voice", {"body": {"data": [{"id": "x"}], "nextCursor": "again"}}, "nothing new"),
        ("*/versions", {"body": {"data": [{"id": "x"}], "hasMore": True}}, "; 1 records before it are copied"),
        (
            "*/deploymentLogs/chat",
            {"body": [{"id": "x", "rating": "ten"}]},
            "chatLogs: rating: Not a valid integer. (1x)",
        ),
    ],
)
def test_what_cannot_be_read_is_left_out_and_reported(small, command, path, answer, line):
    small.fault(path=path, **{"status": 200, **answer})
    done = command.pull(small)
    assert done.exit_code == 3
    assert any(each.startswith("left out: ") and line in each for each in lines(done)), done.output


def test_a_call_in_progress_is_left_out_and_reported(small, command, loads):
    small.freeze()
    in_progress = set(small.simulate_calls(3, outcome="completed", in_progress=True))
    small.advance(seconds=8)
    document = command.pulled(small, exit_code=3)
    assert in_progress
    assert not in_progress & {log["id"] for log in document["voiceLogs"]}
    assert {log["status"] for log in loads(document)["voiceLogs"]}.isdisjoint({"ringing", "in-progress"})


def test_an_unknown_member_is_reported_and_is_no_failure(small, command):
    small.fault(path="/api/team/tags", status=200, body=[{**small.state()["tags"][0], "shade": 3}])
    done = command.pull(small)
    assert done.exit_code == 0
    assert "changed: tags: shade is unknown to dryline (1x)" in lines(done)


# Where nothing can be copied, one line says why


@pytest.mark.parametrize("path", ["/api/team", "/api/workers"])
@pytest.mark.parametrize("body", [{}, None, '"x"', 5, {"data": None}], ids=repr)
def test_without_a_team_or_workers_no_traceback(small, command, path, body):
    small.fault(path=path, status=200, body=body)
    done = command.pull(small)
    assert [done.exit_code, len(lines(done))] == [1, 1], done.output
    assert lines(done)[0].startswith(f"dryline: GET {path}: the answer is ")
    assert not command.output.exists()


def test_a_redirect_is_not_followed_to_where_the_key_is_not_known(small, command):
    with DrylineServer() as other:
        small.fault(path="/api/team", status=301, headers={"Location": f"{other.url}/api/team"})
        done = command.pull(small)
        assert other.requests() == []
    assert done.exit_code == 1
    assert lines(done) == [f"dryline: GET /api/team: status 301, to {other.url}/api/team: redirects are not followed."]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--worker", "nope"), "The service has no worker nope."),
        (("--api-key", "wrong"), "GET /api/team: status 401, the service does not accept the API key."),
        (
            ("--from", "ftp://host"),
            "--from: 'ftp://host' is not the address of a server, such as http://127.0.0.1:4010.",
        ),
        (("--since", "soon"), "--since: 'soon' is neither like 30d or 12h nor an ISO 8601 time."),
    ],
)
def test_an_option_that_cannot_work_is_one_line(small, command, flags, said):
    done = command.pull(small, *flags)
    exit_code = 1 if flags[-1] in ("nope", "wrong") else 2
    assert [done.exit_code, *lines(done)] == [exit_code, f"dryline: {said}"]
    assert not command.output.exists()


def test_an_output_that_cannot_be_written_is_refused_before_the_first_request(small, command, tmp_path):
    done = command.pull(small, "--output", str(tmp_path / "missing" / "world.json"))
    assert done.exit_code == 1
    message = f"Cannot write to the folder {tmp_path}/missing. Name another file with --output."
    assert lines(done) == [f"dryline: {message}"]
    assert small.requests() == []
