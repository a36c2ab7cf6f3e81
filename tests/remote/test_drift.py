"""Comparing a service's answers with the contract: dryline to dryline, with other answers in between."""

import pytest

from dryline.remote.drift import Drift
from dryline.tests.remote.conftest import lines, reader

TEAM_MEMBERS = {"teamOwnerId": None, "twilioSubaccountSid": None, "twilioSubaccountAuthToken": None}


def compared(source):
    """Return the finished comparison and its findings."""
    job = Drift(source.app.openapi.document(), reader(source))
    return job, list(job.run())


def found(source):
    return {(finding.operation, finding.path, finding.what) for finding in compared(source)[1]}


def test_a_dryline_does_not_drift_from_itself(source):
    job, findings = compared(source)
    assert findings == []
    assert len(job.checked) > 55


def test_with_a_row_of_everything_nearly_everything_is_compared(small):
    job, findings = compared(small)
    assert findings == []
    assert set(job.skipped.values()) <= {
        *(f"no answer gives a {name}" for name in ("senderSid", "testId", "campaignId")),
        "nothing is there to read",
    }
    assert len(job.checked) > 60


@pytest.mark.parametrize(
    ("body", "where", "what"),
    [
        ([{"id": 1}], "[].id", "is integer, not string"),
        ([{"id": None}], "[].id", "is null, which it may not be"),
        ([{"id": "tag_1"}], "[].label", "is missing"),
        ([{"id": "tag_1", "shade": 3}], "[].shade", "unknown member"),
        ([{"id": "tag_1", "createdAt": "yesterday"}], "[].createdAt", "is text, but no date-time"),
        ({"data": []}, "(body)", "is object, not array"),
    ],
)
def test_an_altered_answer_is_reported_by_operation_and_member(source, body, where, what):
    source.fault(path="/api/team/tags", status=200, body=body)
    assert ("GET /api/team/tags", where, what) in found(source)


@pytest.mark.parametrize(
    "body", [[{"id": 5}], [{"name": "no id"}], [5], {"oops": 1}, None, [{"id": "a/../b{c}"}]], ids=repr
)
def test_other_workers_are_reported_and_the_rest_is_compared(source, body):
    source.fault(path="/api/workers", status=200, body=body)
    job, findings = compared(source)
    assert "GET /api/workers" in {finding.operation for finding in findings}
    assert "GET /api/team/tags" in job.checked


def test_another_success_status_is_reported(source):
    source.fault(path="/api/team/tags", status=202, body=[])
    assert found(source) == {("GET /api/team/tags", "(status)", "is 202, not 200")}


def test_a_refused_read_is_reported(source):
    source.fault(path="/api/team/tags", status=403)
    [(operation, where, _)] = found(source)
    assert (operation, where) == ("GET /api/team/tags", "(status)")


def test_an_answer_that_does_not_come_is_reported(source):
    source.fault(path="/api/team/tags", drop=True)
    [(operation, where, _)] = found(source)
    assert (operation, where) == ("GET /api/team/tags", "(answer)")


def test_a_further_member_is_reported_and_is_no_failure(source):
    team = source.plane("GET", "/teams")[0]
    source.fault(path="/api/team", status=200, body={**team, **TEAM_MEMBERS, "region": "eu"})
    findings = compared(source)[1]
    assert [finding.harmless for finding in findings if finding.path == "region"] == [True]


def test_a_row_further_down_is_found_when_the_first_has_nothing(small):
    """The newest worker comes first in lists, and has nothing."""
    small.add({"version": 1, "workers": [{"id": "worker_empty", "name": "Empty"}]})
    assert "GET /api/workers/{workerId}/flows/{flowId}" in compared(small)[0].checked


def test_empty_lists_are_reported_apart(small):
    small.reset()
    job, findings = compared(small)
    assert findings == []
    assert "GET /api/workers" in job.empty
    assert job.skipped["GET /api/workers/{id}"] == "nothing is there to read"


# The command


def test_the_command_exits_1_on_drift_and_0_without(small, command):
    assert command.drift(small).exit_code == 0
    small.fault(path="/api/team/tags", status=200, body=[{"id": 1}])
    done = command.drift(small)
    assert done.exit_code == 1
    assert f"{small.url}  GET /api/team/tags  [].id  is integer, not string" in lines(done)


def test_the_command_says_how_much_it_could_compare(small, command):
    small.reset()
    said = lines(command.drift(small))
    assert f"{small.url}  GET /api/workers/{{id}}  not compared: nothing is there to read" in said
    assert said[-1].startswith(f"{small.url}: 1")
    assert "operations compared" in said[-1]
    assert "by empty lists" in said[-1]


def test_a_service_that_refuses_the_key_is_one_line(small, command):
    done = command.drift(small, "--api-key", "wrong")
    assert done.exit_code == 2
    assert lines(done)[-1] == "dryline: GET /api/team: status 401, the service does not accept the API key."


def test_an_address_that_is_none_is_one_line(small, command):
    done = command.drift(small, "--against", "notaurl")
    assert [done.exit_code, *lines(done)] == [
        2,
        "dryline: --against: 'notaurl' is not an address like https://api.example.com.",
    ]
