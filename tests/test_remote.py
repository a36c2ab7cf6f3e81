"""Copying another service's state, and comparing its answers: dryline to dryline, with faults in between."""

import json

import pytest
from click.testing import CliRunner

from dryline.command_line import cli
from dryline.remote.drift import Drift
from dryline.remote.pull import Pull
from dryline.remote.reader import Reader, ReadError
from dryline.remote.redact import redact
from dryline.remote.shapes import Shapes
from dryline.testing import DrylineServer

# What pull copies.
COPIED = (
    *("workers", "tags", "workerTags", "integrations", "phoneNumbers", "flows", "flowVersions", "voiceDeployments"),
    *("chatDeployments", "chatEmbedDeployments", "deploymentParameters", "voiceLogs", "chatLogs", "chatEmbedLogs"),
)


@pytest.fixture(scope="module")
def server():
    with DrylineServer(scenario="demo", seed=1) as server:
        yield server


@pytest.fixture
def source(server):
    """The service that is copied."""
    server.reset()
    return server


def world_of_the_key(source):
    """What the key's team has: the demo has a second one."""
    return source.plane("GET", f"/state?team={source.state()['teams'][0]['id']}")


def reader(source, **options):
    return Reader(source.url, source.api_key, rate=0, **options)


def pull(source, tmp_path, *flags):
    output = tmp_path / "world.json"
    command = [
        "pull",
        "--from",
        source.url,
        "--api-key",
        source.api_key,
        "--rate",
        "0",
        "--output",
        str(output),
        *flags,
    ]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    return json.loads(output.read_text())


def by_id(rows):
    return {row.get("id") or (row["workerId"], row["tagId"]): row for row in rows}


def without_server_times(rows):
    return {key: {k: v for k, v in row.items() if k not in ("teamId", "createdAt")} for key, row in by_id(rows).items()}


def test_a_pulled_world_is_the_world_that_was_pulled(source, tmp_path):
    document = pull(source, tmp_path)
    original = world_of_the_key(source)
    with DrylineServer() as copy:
        copy.load(document)
        copied = copy.state()
    for name in COPIED:
        assert without_server_times(copied[name]) == without_server_times(original[name]), name


def test_pull_only_reads(source, tmp_path):
    pull(source, tmp_path)
    assert {entry["method"] for entry in source.requests(limit=10_000)} == {"GET"}


def test_one_worker_can_be_pulled_alone(source, tmp_path):
    worker = world_of_the_key(source)["workers"][0]["id"]
    document = pull(source, tmp_path, "--worker", worker)
    assert [row["id"] for row in document["workers"]] == [worker]
    assert {row["workerId"] for row in document["voiceLogs"]} == {worker}


def test_since_leaves_older_logs_out(source, tmp_path):
    everything = world_of_the_key(source)["voiceLogs"]
    starts = sorted(row["startTime"] for row in everything)
    since = starts[len(starts) // 2]
    document = pull(source, tmp_path, "--since", since)
    assert 0 < len(document["voiceLogs"]) < len(everything)
    assert min(row["startTime"] for row in document["voiceLogs"]) >= since


def test_refusals_losses_and_garbage_on_the_way_are_tried_again(source, tmp_path):
    source.fault(path="/api/workers", status=429, headers={"Retry-After": "0"}, times=1)
    source.fault(path="*/flows", status=503, headers={"Retry-After": "0"}, times=2)
    source.fault(path="*/deployments/voice", drop=True, times=1)
    source.fault(path="*/deploymentLogs/chat", malformed="garbage", times=1)
    document = pull(source, tmp_path)
    assert len(document["voiceLogs"]) == len(world_of_the_key(source)["voiceLogs"])
    assert len(document["chatLogs"]) == len(world_of_the_key(source)["chatLogs"])


def test_an_interrupted_pull_goes_on_where_it_stopped(source, tmp_path):
    source.fault(path="*/deploymentLogs/voice", status=500, skip=1, times=1)
    first = reader(source, memory=tmp_path, tries=1)
    with pytest.raises(ReadError, match="deploymentLogs/voice"):
        Pull(first).run()
    second = reader(source, memory=tmp_path, tries=1)
    document = Pull(second).run()
    assert len(document["voiceLogs"]) == len(world_of_the_key(source)["voiceLogs"])
    everything = reader(source)
    Pull(everything).run()
    assert first.sent + second.sent == everything.sent + 1


def test_a_service_that_lacks_a_list_is_copied_without_it(source):
    source.fault(path="*/deployments/chat", status=404)
    job = Pull(reader(source))
    document = job.run()
    assert document.get("chatDeployments", []) == []
    assert all("/deployments/chat" in text for text in job.missing)
    assert job.missing


def test_a_wrong_key_stops_with_a_clear_line(source, tmp_path):
    command = ["pull", "--from", source.url, "--api-key", "wrong", "--output", str(tmp_path / "world.json")]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 1
    assert "status 401" in done.output
    assert not (tmp_path / "world.json").exists()


def test_the_rate_is_kept(source, monkeypatch):
    waits = []
    monkeypatch.setattr("dryline.remote.reader.time.sleep", waits.append)
    slow = Reader(source.url, source.api_key, rate=0.001)
    slow.get("/api/team")
    slow.get("/api/workers")
    assert len(waits) == 1
    assert 990 < waits[0] <= 1000


def test_redacted_no_number_and_no_word_of_a_call_is_left(source, tmp_path):
    plain, masked = pull(source, tmp_path), pull(source, tmp_path, "--redact")
    text = json.dumps(masked)
    for row in plain["voiceLogs"]:
        assert row["transcription"] is None or row["transcription"] not in text
        assert not row["fromNumber"] or row["fromNumber"].startswith("+1555") or row["fromNumber"] not in text
    with DrylineServer() as copy:
        copy.load(masked)


def test_a_number_is_replaced_by_the_same_one_throughout():
    row = {"fromNumber": "+4915112345678", "metadata": {"text": "call +4915112345678"}}
    masked = redact({"voiceLogs": [row], "phoneNumbers": [{"phoneNumber": "+4915112345678"}]})
    assert masked["voiceLogs"][0]["fromNumber"] == masked["phoneNumbers"][0]["phoneNumber"] != "+4915112345678"


def drift(source):
    return list(Drift(source.app.openapi.document(), reader(source, tries=1)).run())


def test_a_dryline_does_not_drift_from_itself(source):
    job = Drift(source.app.openapi.document(), reader(source))
    assert list(job.run()) == []
    assert len(job.checked) > 40


@pytest.mark.parametrize(
    ("body", "where", "what"),
    [
        ([{"id": 1}], "[].id", "is integer, not string"),
        ([{"id": None}], "[].id", "is null, which it may not be"),
        ([{"id": "tag_1"}], "[].label", "is missing"),
        ([{"id": "tag_1", "shade": 3}], "[].shade", "unknown member"),
        ({"data": []}, "(body)", "is object, not array"),
    ],
)
def test_an_altered_answer_is_told_by_operation_and_member(source, body, where, what):
    source.fault(path="/api/team/tags", status=200, body=body)
    assert ("GET /api/team/tags", where, what) in {(f.operation, f.path, f.what) for f in drift(source)}


def test_a_refused_read_is_told(source):
    source.fault(path="/api/team/tags", status=403)
    assert [finding.operation for finding in drift(source)] == ["GET /api/team/tags"]


def test_the_command_exits_1_on_drift_and_0_without(source):
    command = ["drift", "--against", source.url, "--api-key", source.api_key, "--rate", "0"]
    clean = CliRunner().invoke(cli, command)
    assert clean.exit_code == 0, clean.output
    source.fault(path="/api/team/tags", status=200, body=[{"id": 1}])
    told = CliRunner().invoke(cli, command)
    assert told.exit_code == 1
    assert "GET /api/team/tags  [].id  is integer, not string" in told.output


def test_one_more_member_is_told_but_is_no_failure(source):
    source.fault(path="/api/team", status=200, body=source.plane("GET", "/teams")[0] | EXTRA)
    findings = drift(source)
    assert [(finding.path, finding.harmless) for finding in findings if finding.path == "region"] == [("region", True)]


EXTRA = {"region": "eu", "teamOwnerId": None, "twilioSubaccountSid": None, "twilioSubaccountAuthToken": None}


def test_shapes_follow_references_enums_and_lists():
    document = {
        "components": {
            "schemas": {
                "Item": {
                    "type": "object",
                    "required": ["kind"],
                    "properties": {"kind": {"type": "string", "enum": ["A"]}},
                }
            }
        }
    }
    schema = {"type": "array", "items": {"$ref": "#/components/schemas/Item"}}
    found = list(Shapes(document).deviations(schema, [{"kind": "A"}, {"kind": "B"}, {}, {"kind": "B"}]))
    assert found == [("[].kind", "is 'B', which is not one of A"), ("[].kind", "is missing")]
