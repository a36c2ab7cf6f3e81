"""Copying another service's state: dryline to dryline, with faults and other answers in between."""

import stat
from collections import Counter

import pytest

from dryline.remote.pull import Pull
from dryline.state.forms import forms
from dryline.testing import DrylineServer
from dryline.tests.remote.conftest import lines, reader

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


def test_a_pulled_world_is_the_world_that_was_pulled(source, command, loads):
    copied, original = loads(command.pulled(source)), source.state()
    for name in COPIED:
        assert without_server_times(copied[name]) == without_server_times(original[name]), name


def test_a_recording_is_heard_where_it_was(source, command, loads):
    copied = loads(command.pulled(source))["voiceLogs"]
    addresses = {log["recordingUrl"] for log in copied if log["recordingUrl"]}
    assert addresses and all(address.startswith(f"{source.url}/recordings/") for address in addresses)


def test_of_every_collection_it_is_known_whether_it_is_copied():
    assert {"teams", *COPIED, *NOT_COPIED} == set(forms())


def test_every_kind_of_row_comes_along(small, command):
    original = small.state()
    document = command.pulled(small)
    assert {name: len(document.get(name, [])) for name in COPIED} == {name: len(original[name]) for name in COPIED}
    assert all(original[name] for name in COPIED)


def test_pull_only_reads(source, command):
    command.pulled(source)
    assert {entry["method"] for entry in source.requests(limit=10_000)} == {"GET"}


def test_one_worker_can_be_pulled_alone(source, command):
    worker = source.state()["workers"][0]["id"]
    document = command.pulled(source, "--worker", worker)
    assert [row["id"] for row in document["workers"]] == [worker]
    assert {row["workerId"] for row in document["voiceLogs"]} == {worker}


def test_since_leaves_older_logs_out(source, command):
    everything = source.state()["voiceLogs"]
    starts = sorted(row["startTime"] for row in everything)
    since = starts[len(starts) // 2]
    document = command.pulled(source, "--since", since)
    assert 0 < len(document["voiceLogs"]) < len(everything)
    assert min(row["startTime"] for row in document["voiceLogs"]) >= since


def test_since_knows_times_in_other_notations(small, command):
    log = small.state()["chatLogs"][0]
    path = f"/api/workers/{log['workerId']}/deploymentLogs/chat"
    later, sooner = "2026-03-02T11:30:00+01:00", "2026-03-02T11:30:00+02:00"
    body = [{**log, "id": "later", "startTime": later}, {**log, "id": "sooner", "startTime": sooner}]
    small.fault(path=path, status=200, body=body)
    document = command.pulled(small, "--since", "2026-03-02T10:00:00Z")
    assert [row["id"] for row in document["chatLogs"]] == ["later"]


def test_refusals_losses_and_garbage_on_the_way_are_tried_again(source, command):
    source.fault(path="/api/workers", status=429, headers={"Retry-After": "0"}, times=1)
    source.fault(path="*/flows", status=503, times=2)
    source.fault(path="*/deployments/voice", drop=True, times=1)
    source.fault(path="*/deploymentLogs/chat", malformed="garbage", times=1)
    document = command.pulled(source)
    assert len(document["voiceLogs"]) == len(source.state()["voiceLogs"])
    assert len(document["chatLogs"]) == len(source.state()["chatLogs"])


def test_the_world_that_is_written_is_for_its_owner_only(small, command):
    command.output.write_text("an older one, open to all")
    command.output.chmod(0o644)
    command.pulled(small)
    assert stat.S_IMODE(command.output.stat().st_mode) == 0o600


# Answers that deviate from the contract are reported, also by the exit code


def test_a_missing_list_is_reported(small, command):
    small.fault(path="*/deployments/chat", status=404)
    done = command.pull(small)
    assert done.exit_code == 3
    assert any(line.startswith("left out: GET /api/workers/") and "status 404" in line for line in lines(done))


@pytest.mark.parametrize("body", [{"oops": 1}, None, '"flows"', 7, {"data": {"a": 1}}], ids=repr)
def test_a_list_in_another_form_is_reported(small, command, body):
    small.fault(path="/api/workers/*/flows", status=200, body=body)
    done = command.pull(small)
    assert done.exit_code == 3
    assert any(line.startswith("left out:") and line.endswith("of records") for line in lines(done)), done.output


def test_a_page_in_place_of_a_list_is_copied_and_reported(small, command):
    flow = small.state()["flows"][0]
    small.fault(path="/api/workers/*/flows", status=200, body={"data": [flow], "hasMore": True})
    document = command.pulled(small, exit_code=3)
    assert [row["id"] for row in document["flows"]] == [flow["id"]]


def test_rows_beyond_the_pages_are_reported(small, command):
    small.fault(path="*/deploymentLogs/voice", status=200, body={"data": [], "hasMore": True, "nextCursor": 5})
    assert any("there are more" in line for line in lines(command.pull(small)))


def test_a_page_that_leads_back_is_read_once(small, command):
    log = small.state()["voiceLogs"][0]
    small.fault(path="*/deploymentLogs/voice", status=200, body={"data": [log], "nextCursor": "again"})
    done = command.pull(small)
    assert done.exit_code == 3
    assert any("nothing new" in line and "1 records before it" in line for line in lines(done))


def test_a_service_that_does_not_look_at_the_offset_is_not_read_for_ever(small, command):
    version = small.state()["flowVersions"][0]
    small.fault(
        path="*/versions", status=200, body={"data": [version], "hasMore": True, "pagination": {"total": 10**18}}
    )
    done = command.pull(small)
    assert done.exit_code == 3
    assert any("nothing new" in line for line in lines(done))


def test_of_a_list_that_never_ends_the_beginning_is_copied(small, command, monkeypatch):
    monkeypatch.setattr("dryline.remote.pull.PAGE", 2)
    monkeypatch.setattr("dryline.remote.pull.MAX_ROWS", 3)
    small.simulate_calls(5)
    done = command.pull(small)
    assert done.exit_code == 3
    assert any(line.startswith("left out: GET") and "more than 3 records" in line for line in lines(done))


def test_a_call_in_progress_is_left_out_and_reported(small, command, loads):
    small.freeze()
    in_progress = set(small.simulate_calls(3, outcome="completed", in_progress=True))
    small.advance(seconds=8)
    document = command.pulled(small, exit_code=3)
    assert in_progress
    assert not in_progress & {log["id"] for log in document["voiceLogs"]}
    assert {log["status"] for log in loads(document)["voiceLogs"]}.isdisjoint({"ringing", "in-progress"})


@pytest.mark.parametrize("row", [5, None, [], {"id": 5}, {"id": ""}, {"name": "no id"}], ids=repr)
def test_a_row_that_is_no_record_is_reported(small, command, row):
    small.fault(path="/api/team/tags", status=200, body=[row, *small.state()["tags"]])
    done = command.pull(small)
    assert done.exit_code == 3
    assert "left out: GET /api/team/tags: 1 of 2 are not records with an id" in lines(done)


def test_a_member_of_another_type_is_left_out_and_reported(small, command):
    log = small.state()["chatLogs"][0]
    small.fault(path="*/deploymentLogs/chat", status=200, body=[{**log, "rating": "ten"}])
    done = command.pull(small)
    assert done.exit_code == 3
    assert "left out: chatLogs: rating: Not a valid integer. (1x)" in lines(done)


def test_an_unknown_member_is_reported_and_is_no_failure(small, command):
    small.fault(path="/api/team/tags", status=200, body=[{**small.state()["tags"][0], "shade": 3}])
    done = command.pull(small)
    assert done.exit_code == 0
    assert "changed: tags: shade is unknown to dryline (1x)" in lines(done)


def test_lists_that_the_key_may_not_read_are_reported(small, command):
    small.fault(path="/api/team/integrations", status=403)
    done = command.pull(small)
    assert done.exit_code == 3
    assert "left out: GET /api/team/integrations: status 403, the API key may not read this" in lines(done)


# Where nothing can be copied, one line says why


@pytest.mark.parametrize("path", ["/api/team", "/api/workers"])
@pytest.mark.parametrize("body", [{}, {"oops": 1}, None, '"x"', 5, [5], {"data": None}], ids=repr)
def test_without_a_team_or_workers_no_traceback(small, command, path, body):
    small.fault(path=path, status=200, body=body)
    done = command.pull(small)
    if (path, body) == ("/api/workers", [5]):  # a list, of nothing
        assert done.exit_code == 3
    else:
        assert [done.exit_code, len(lines(done))] == [1, 1], done.output
        assert lines(done)[0].startswith(f"dryline: GET {path}: the answer is ")


def test_a_wrong_key_is_one_line(small, command):
    done = command.pull(small, key="wrong")
    assert done.exit_code == 1
    assert lines(done) == ["dryline: GET /api/team: status 401, the service does not accept the API key."]
    assert not command.output.exists()


def test_an_interrupted_pull_is_one_line_and_writes_nothing(small, command, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("dryline.remote.reader.sleep", interrupt)
    small.fault(path="/api/team/tags", status=500)
    done = command.pull(small)
    assert [done.exit_code, *lines(done)] == [1, "dryline: Interrupted. Nothing was written."]
    assert not command.output.exists()


def test_a_service_that_keeps_failing_is_one_line(small, command):
    small.fault(path="/api/team/tags", status=503)
    done = command.pull(small)
    assert [done.exit_code, *lines(done)] == [1, "dryline: GET /api/team/tags: status 503, after 6 tries."]


def test_an_unknown_worker_is_one_line(small, command):
    done = command.pull(small, "--worker", "nope")
    assert done.exit_code == 1
    assert lines(done) == ["dryline: The service has no worker nope."]


def test_a_redirect_is_not_followed_to_where_the_key_is_not_known(small, command):
    with DrylineServer() as other:
        small.fault(path="/api/team", status=301, headers={"Location": f"{other.url}/api/team"})
        done = command.pull(small)
        assert other.requests() == []
    assert done.exit_code == 1
    assert lines(done) == [f"dryline: GET /api/team: status 301, to {other.url}/api/team: redirects are not followed."]


def test_a_key_may_contain_blanks(small, command):
    team = small.plane("GET", "/teams")[-1]["id"]
    small.plane("POST", f"/teams/{team}/keys", {"key": "My API Key"})
    assert command.pulled(small, key="My API Key")["workers"]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--from", "notaurl"), "--from: 'notaurl' is not an address like https://api.example.com."),
        (("--from", "ftp://host"), "--from: 'ftp://host' is not an address like https://api.example.com."),
        (("--from", "http://a..b"), "--from: 'http://a..b' is not an address like https://api.example.com."),
        (("--from", "http://[x"), "--from: 'http://[x' is not an address like https://api.example.com."),
        (
            ("--api-key", "a\nb"),
            r"--api-key must be printable ASCII without blanks at its ends, as it is sent in a header, not 'a\nb'.",
        ),
        (("--since", "soon"), "--since: 'soon' is neither like 30d or 12h nor an ISO 8601 time."),
        (("--since", "9999999999d"), "--since: '9999999999d' is neither like 30d or 12h nor an ISO 8601 time."),
    ],
)
def test_an_option_that_cannot_work_is_one_line(small, command, flags, said):
    done = command.pull(small, *flags)
    assert [done.exit_code, *lines(done)] == [2, f"dryline: {said}"]


def test_an_output_that_cannot_be_written_is_refused_before_the_first_request(small, command, tmp_path):
    done = command.pull(small, "--output", str(tmp_path / "missing" / "world.json"))
    assert done.exit_code == 1
    message = f"Cannot write to the folder {tmp_path}/missing. Name another file with --output."
    assert lines(done) == [f"dryline: {message}"]
    assert small.requests() == []


def test_rows_before_a_list_breaks_off_are_copied(source):
    source.simulate_calls(150)
    [(busiest, _)] = Counter(row["workerId"] for row in source.state()["voiceLogs"]).most_common(1)
    source.fault(path="*/deploymentLogs/voice", status=404, skip=1)
    job = Pull(reader(source), worker_id=busiest)
    assert len(job.run()["voiceLogs"]) == 100
    assert any(line.endswith("; 100 records before it are copied") for line in job.left_out)
