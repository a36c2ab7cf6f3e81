"""Addresses of recordings, and their signatures."""

from urllib.parse import parse_qs, urlsplit

import pytest

from dryline.tests.recordings.calls import NEUTRAL


def test_only_a_call_that_was_answered_has_a_recording(simulate):
    assert simulate(outcome="completed")["recordingUrl"]
    assert simulate(outcome="no-answer")["recordingUrl"] is simulate(outcome="busy")["recordingUrl"] is None


def test_every_answer_with_a_log_has_its_address(api, line, add_call, fetch):
    log = add_call()
    path = f"/workers/{line['workerId']}/deploymentLogs/voice"
    shown = [
        api.get(path).json["data"][0],
        api.get(f"{path}?fields=recordingUrl").json["data"][0],
        api.get(f"{path}/{log['id']}").json,
        api.get(f"{path}/{log['id']}?fields=recordingUrl").json,
    ]
    assert {each["recordingUrl"] for each in shown} == {log["recordingUrl"]}
    assert "recordingUrl" not in api.get(f"{path}?fields=status").json["data"][0]
    assert log["recordingUrl"].startswith(f"http://localhost/recordings/{log['call_sid']}.wav?")
    assert fetch(log["recordingUrl"]).status_code == 200


@pytest.mark.parametrize("address", ["https://example.com/CA1.wav", "https://recordings.dryline.invalid/CA1.ogg", ""])
def test_any_other_address_is_left_alone(api, add_call, line, address):
    log = add_call(recording_url=address)
    path = f"/workers/{line['workerId']}/deploymentLogs/voice"
    assert log["recordingUrl"] == api.get(path).json["data"][0]["recordingUrl"] == address


def altered(url, **members):
    """Return the address with other members in its query; None takes one away."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()} | members
    path = urlsplit(url).path
    return path, {name: value for name, value in query.items() if value is not None}


@pytest.mark.parametrize("members", [{"signature": "x"}, {"signature": None}, {"until": "2027-01-01T00:00:00.000Z"}])
def test_an_altered_link_is_refused(app, add_call, members):
    path, query = altered(add_call()["recordingUrl"], **members)
    answer = app.test_client().get(path, query_string=query)
    assert (answer.status_code, answer.json["error"]) == (403, "The link is not valid.")


def test_a_link_opens_no_other_call(app, add_call):
    one, two = add_call(), add_call(call_sid="CA2", recording_url=NEUTRAL.format("CA2"))
    path, query = altered(one["recordingUrl"], log=two["id"])
    assert app.test_client().get(path, query_string=query).status_code == 403
    _, query = altered(one["recordingUrl"])
    assert app.test_client().get("/recordings/CA2.wav", query_string=query).status_code == 404


def test_a_link_works_for_a_day_and_stays_the_same_for_an_hour(api, add_call, fetch, advance):
    log = add_call()
    advance(29 * 60)
    assert api.get(f"/logs/{log['id']}").json["recordingUrl"] == log["recordingUrl"]
    advance(24 * 3600)
    assert fetch(log["recordingUrl"]).status_code == 200
    advance(3600)
    answer = fetch(log["recordingUrl"])
    assert (answer.status_code, answer.json["error"]) == (403, "The link has expired.")
    assert fetch(api.get(f"/logs/{log['id']}").json["recordingUrl"]).status_code == 200
