"""Comparing a service's answers with the contract: dryline to dryline, with other answers in between."""

import pytest

from dryline.commands.remote.drift import Drift
from dryline.tests.remote.conftest import lines, reader


def compared(source):
    """Return the finished comparison and its findings."""
    job = Drift(source.app.openapi.document(), reader(source))
    return job, list(job.run())


def test_with_a_row_of_everything_nearly_everything_is_compared(small):
    job, findings = compared(small)
    assert findings == []
    assert set(job.skipped.values()) <= {
        *(f"no answer gives a {name}" for name in ("senderSid", "testId", "campaignId")),
        "nothing is there to read",
    }
    assert len(job.checked) > 60


def test_an_altered_answer_is_reported_by_operation_and_member(small):
    rows = [{"id": 1}, {"id": None}, {"id": "t", "shade": 3}, {"id": "t", "createdAt": "yesterday"}]
    small.fault(path="/api/team/tags", status=200, body=rows)
    small.fault(path="/api/team/customVoices", status=200, body={"data": []})
    assert {(finding.operation, finding.path, finding.what) for finding in compared(small)[1]} >= {
        ("GET /api/team/tags", "[].id", "is integer, not string"),
        ("GET /api/team/tags", "[].id", "is null, which it may not be"),
        ("GET /api/team/tags", "[].label", "is missing"),
        ("GET /api/team/tags", "[].shade", "unknown member"),
        ("GET /api/team/tags", "[].createdAt", "is text, but no date-time"),
        ("GET /api/team/customVoices", "(body)", "is object, not array"),
    }


def test_another_status_and_no_answer_are_reported(small):
    small.fault(path="/api/team/tags", status=202, body=[])
    small.fault(path="/api/team/customVoices", status=403)
    small.fault(path="/api/echo/agents", drop=True)
    findings = {finding.operation: finding for finding in compared(small)[1]}
    assert findings["GET /api/team/tags"].what == "is 202, not 200"
    assert {operation: finding.path for operation, finding in findings.items()} == {
        "GET /api/team/tags": "(status)",
        "GET /api/team/customVoices": "(status)",
        "GET /api/echo/agents": "(answer)",
    }


def test_a_row_further_down_is_found_when_the_first_has_nothing(small):
    """The newest worker comes first in lists, and has nothing."""
    small.add({"version": 1, "workers": [{"id": "worker_empty", "name": "Empty"}]})
    assert "GET /api/workers/{workerId}/flows/{flowId}" in compared(small)[0].checked


@pytest.mark.parametrize("tags", [[{"id": 1}], {"oops": 1}], ids=repr)
def test_the_command_exits_1_on_drift(small, command, tags):
    small.fault(path="/api/team/tags", status=200, body=tags)
    done = command.drift(small)
    assert done.exit_code == 1
    assert any(line.startswith("GET /api/team/tags  ") for line in lines(done))


def test_without_drift_the_command_exits_0_and_says_how_much_it_could_compare(small, command):
    small.reset()
    done = command.drift(small)
    assert done.exit_code == 0
    assert "GET /api/workers/{id}  not compared: nothing is there to read" in lines(done)
    assert "operations compared" in lines(done)[-1] and lines(done)[-1].endswith(" 0 deviations")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--api-key", "wrong"), "GET /api/team: status 401, the service does not accept the API key."),
        (
            ("--against", "notaurl"),
            "--against: 'notaurl' is not the address of a server, such as http://127.0.0.1:4010.",
        ),
    ],
)
def test_a_service_that_cannot_be_read_is_one_line(small, command, flags, said):
    done = command.drift(small, *flags)
    assert (done.exit_code, lines(done)[-1]) == (2, f"dryline: {said}")
