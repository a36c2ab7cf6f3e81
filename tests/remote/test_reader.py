"""Reading from a service: at a rate, patient with refusals, obeying what it asks for."""

import socket

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


def test_a_service_that_does_not_answer_is_given_up_after_a_minute(monkeypatch, pauses):
    assert reader_module.TIMEOUT_S == 60
    monkeypatch.setattr(reader_module, "TIMEOUT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        asking = Reader(f"http://127.0.0.1:{silent.getsockname()[1]}", "key", rate=0, tries=6)
        with pytest.raises(ReadError, match=r"GET /api/team: No answer within 0\.2 s"):
            asking.get("/api/team")
        assert pauses == []


def refused_once(small, retry_after):
    small.fault(path="/api/team", status=429, headers={"Retry-After": retry_after}, times=1)
    return reader(small, tries=2)


@pytest.mark.parametrize(
    ("header", "pause_s"),
    [
        ("300", 300),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0),
        *((unreadable, 0.5) for unreadable in ("-5", "nan", "soon", "Wed, 21 Oct 99999 07:28:00 GMT")),
    ],
)
def test_retry_after_is_obeyed_in_seconds_and_as_a_date(small, pauses, header, pause_s):
    refused_once(small, header).get("/api/team")
    assert pauses == [pause_s]


def test_a_longer_pause_than_an_hour_ends_the_command(small, pauses):
    with pytest.raises(ReadError, match="status 429, asking for a pause of 7200 s"):
        refused_once(small, "7200").get("/api/team")
    assert pauses == []


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
