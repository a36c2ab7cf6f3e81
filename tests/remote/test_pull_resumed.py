"""An interrupted pull goes on where it stopped: with the same key, address and options, and never with old refusals."""

import stat

import pytest

from dryline.remote.pull import Pull
from dryline.remote.reader import ReadError
from dryline.tests.remote.conftest import lines, reader

PLACE = "/api/team/tags"


def interrupted(source, command, *flags, **options):
    """Return a pull that ended before the tags, with its progress."""
    fault = source.fault(path=PLACE, status=500)
    done = command.pull(source, *flags, **options)
    assert done.exit_code == 1
    assert command.progress.is_dir(), done.output
    source.plane("DELETE", f"/faults/{fault}")
    source.plane("DELETE", "/requests")
    return done


def requested(source):
    return [entry["path"] for entry in source.requests(limit=10_000)]


def test_an_interrupted_pull_goes_on_where_it_stopped(small, command):
    interrupted(small, command)
    command.pulled(small)
    assert "/api/team" not in requested(small)
    assert PLACE in requested(small)


def test_nothing_is_lost_in_between(source, command):
    source.fault(path="*/deploymentLogs/voice", status=500, skip=2, times=6)
    assert command.pull(source).exit_code == 1
    assert len(command.pulled(source)["voiceLogs"]) == len(source.state()["voiceLogs"])


def test_it_is_said_that_the_same_command_goes_on(small, command):
    said = lines(interrupted(small, command))
    assert said == [
        f"dryline: GET {PLACE}: status 500, after 6 tries. The rows read so far are in {command.progress}:"
        " run the command again."
    ]


def test_a_pull_that_ended_well_leaves_nothing_behind(small, command):
    interrupted(small, command)
    command.pulled(small)
    assert not command.progress.exists()


def test_ctrl_c_is_one_line(small, command, monkeypatch):
    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr("dryline.remote.reader.sleep", interrupt)
    small.fault(path=PLACE, status=500)
    done = command.pull(small)
    assert done.exit_code == 1
    assert lines(done) == [
        f"dryline: Interrupted. The rows read so far are in {command.progress}: run the command again."
    ]


def test_another_teams_key_starts_anew(small, command):
    interrupted(small, command)
    other = small.team("Other")
    document = command.pulled(small, key=other.api_key)
    assert [team["name"] for team in document["teams"]] == ["Other"]
    assert document["workers"] == []


@pytest.mark.parametrize("flags", [["--since", "2026-01-01"], ["--redact"], ["--worker", "worker_n"]])
def test_other_options_start_anew(small, command, flags):
    interrupted(small, command)
    done = command.pull(small, *flags)
    assert f"starting over: {command.progress} belongs to another key, address or options" in lines(done)
    assert "/api/team" in requested(small)


def test_that_it_goes_on_is_said(small, command):
    interrupted(small, command)
    assert f"continuing with {command.progress}, which an interrupted run left" in lines(command.pull(small))


def test_a_resumed_pull_reports_everything_again(small, command):
    small.fault(path="/api/team/integrations", status=200, body=[5], times=1)
    interrupted(small, command)
    done = command.pull(small)
    assert done.exit_code == 3
    assert any("/api/team/integrations: 1 of 1 are not records" in line for line in lines(done))


def test_a_list_that_was_not_there_is_asked_for_again(small, command):
    small.fault(path="/api/team/integrations", status=404, times=1)
    interrupted(small, command)
    assert command.pulled(small)["integrations"]


def test_a_list_in_another_form_is_asked_for_again(small, command):
    small.fault(path="/api/team/integrations", status=200, body={"oops": 1}, times=1)
    interrupted(small, command)
    assert command.pulled(small)["integrations"]


def test_a_worker_that_came_later_is_found(small, command):
    assert command.pull(small, "--worker", "worker_later").exit_code == 1
    small.add({"version": 1, "workers": [{"id": "worker_later", "name": "Later"}]})
    assert [row["id"] for row in command.pulled(small, "--worker", "worker_later")["workers"]] == ["worker_later"]


def test_a_refused_key_leaves_nothing_behind(small, command):
    small.fault(path=PLACE, status=401)
    assert command.pull(small).exit_code == 1
    assert not command.progress.exists()


def test_thirty_days_ago_stays_the_same_moment(small, command):
    small.fault(path="*/deploymentLogs/voice", status=500, times=6)
    assert command.pull(small, "--since", "30d").exit_code == 1
    command.pulled(small, "--since", "30d")
    requested = small.requests(path="*/deploymentLogs/voice")
    assert len(requested) == 7
    assert len({str(entry["query"]) for entry in requested}) == 1


def test_the_memory_is_for_its_owner_only(small, command):
    interrupted(small, command)
    modes = {stat.S_IMODE(file.stat().st_mode) for file in command.progress.iterdir()}
    assert (stat.S_IMODE(command.progress.stat().st_mode), modes) == (0o700, {0o600})


def test_the_memory_of_a_redacted_pull_is_redacted(source, command):
    source.fault(path="*/deploymentLogs/chat-embed", status=500, skip=3)
    assert command.pull(source, "--redact").exit_code == 1
    stored = b"".join(file.read_bytes() for file in command.progress.iterdir())
    log = next(row for row in source.state()["voiceLogs"] if row["transcription"] and row["fromNumber"])
    assert log["id"].encode() in stored
    assert log["messages"]["messages"][0]["content"].encode() not in stored
    assert log["fromNumber"].encode() not in stored


def test_no_key_is_kept(small, command):
    interrupted(small, command)
    assert not any(small.api_key.encode() in file.read_bytes() for file in command.progress.iterdir())


def test_a_number_keeps_its_replacement_when_the_pull_goes_on(small, command):
    whole = command.pulled(small, "--redact")
    small.fault(path="*/deploymentLogs/chat", status=500, times=6)
    assert command.pull(small, "--redact").exit_code == 1
    assert command.pulled(small, "--redact") == whole


def test_a_folder_of_somebody_else_is_left_alone(small, command):
    command.progress.mkdir()
    (command.progress / "thesis.txt").write_text("mine")
    done = command.pull(small)
    assert done.exit_code == 1
    assert lines(done) == [f"dryline: {command.progress} is in the way: it is not the progress of an interrupted pull."]
    assert (command.progress / "thesis.txt").read_text() == "mine"


def test_a_memory_that_was_half_written_is_started_anew(small, command):
    command.progress.mkdir()
    (command.progress / "about.json.part").write_text('{"of"')
    command.pulled(small)


def test_a_service_that_is_not_there_may_be_there_later(small):
    away = reader(small)
    away.base_url = "http://127.0.0.1:9"  # the discard port: nobody listens
    with pytest.raises(ReadError, match="refused") as refused:
        Pull(away).run()
    assert refused.value.passing


def test_nothing_is_promised_when_nothing_was_read(small, command):
    small.fault(path="/api/team", status=503)
    done = command.pull(small)
    assert lines(done) == ["dryline: GET /api/team: status 503, after 6 tries."]
    assert not command.progress.exists()
