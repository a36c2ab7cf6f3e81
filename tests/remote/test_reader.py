"""Reading from a service: at a rate, patient with refusals, obeying what it asks for."""

import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from dryline.commands.remote import reader as reader_module
from dryline.commands.remote.reader import Reader, ReadError
from dryline.tests.remote.conftest import reader


def test_the_rate_is_kept(small, pauses):
    slow = reader(small, rate=0.001)
    slow.get("/api/team")
    slow.get("/api/workers")
    assert len(pauses) == 1
    assert 990 < pauses[0] <= 1000


def test_a_base_url_with_the_path_of_the_api_is_named(small):
    wrong = Reader(f"{small.url}/api", small.api_key)
    with pytest.raises(ReadError, match="status 404, the base URL must not end in /api"):
        wrong.get("/api/team")


def test_a_service_that_sends_nothing_is_given_up_after_30_seconds(monkeypatch, pauses):
    assert reader_module.TIMEOUT_S == 30
    monkeypatch.setattr(reader_module, "TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asking = Reader(f"http://127.0.0.1:{silent.getsockname()[1]}", "key", rate=0, tries=6)
        with pytest.raises(ReadError, match=r"GET /api/team: No answer within 0\.2 s"):
            asking.get("/api/team")
        assert (asking.sent, pauses) == (1, [])


def refused_once(small, retry_after):
    small.fault(path="/api/team", status=429, headers={"Retry-After": retry_after}, times=1)
    return reader(small, tries=2)


def test_seconds_of_retry_after_are_obeyed(small, pauses):
    refused_once(small, "300").get("/api/team")
    assert pauses == [300]


def test_a_date_in_retry_after_is_obeyed(small, pauses):
    later = datetime.now(UTC) + timedelta(minutes=10)
    refused_once(small, format_datetime(later, usegmt=True)).get("/api/team")
    assert 500 < pauses[0] <= 600


@pytest.mark.parametrize("header", ["-5", "nan", "inf", "soon", "Wed, 21 Oct 99999 07:28:00 GMT", "1e3"])
def test_an_unreadable_retry_after_is_the_usual_pause(small, pauses, header):
    refused_once(small, header).get("/api/team")
    assert pauses == [0.5]


def test_nobody_waits_for_hours(small, pauses):
    with pytest.raises(ReadError, match="status 429, asking for a pause of 7200 s") as refused:
        refused_once(small, "7200").get("/api/team")
    assert refused.value.passing
    assert pauses == []


def test_a_long_pause_is_reported(small, pauses):
    messages = []
    patient = refused_once(small, "300")
    patient.on_progress = messages.append
    patient.get("/api/team")
    assert messages == ["GET /api/team: status 429: pausing for 300 s"]


def test_pauses_double_and_end_with_the_last_try(small, pauses):
    small.fault(path="/api/team", status=503)
    with pytest.raises(ReadError, match=r"^GET /api/team: status 503, after 4 tries$"):
        reader(small, tries=4).get("/api/team")
    assert pauses == [0.5, 1, 2]


@pytest.mark.parametrize("status", [400, 403, 404, 410])
def test_a_refusal_is_final(small, pauses, status):
    small.fault(path="/api/team", status=status)
    with pytest.raises(ReadError) as refused:
        reader(small, tries=4).get("/api/team")
    assert (refused.value.status, refused.value.passing, pauses) == (status, False, [])


def test_another_status_than_200_is_no_answer_to_a_question(small):
    small.fault(path="/api/team", status=202, body={"id": "team_1"})
    with pytest.raises(ReadError, match="status 202, not 200"):
        reader(small).get("/api/team")


def test_an_answer_nested_beyond_measure_is_not_taken(small):
    small.fault(path="/api/team", status=200, body="[" * 100_000)
    with pytest.raises(ReadError, match="the answer is not JSON"):
        reader(small).get("/api/team")
