"""What is heard behind a call's recordingUrl, and who may hear it."""

import csv
import io
import json
import math
import threading
import wave
from array import array
from dataclasses import replace
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from dryline.app import create_app
from dryline.models.voice_logs import VoiceLog
from dryline.settings import BadSetting, Settings
from dryline.simulator import recordings as made_of
from dryline.testing import DrylineInProcess, DrylineServer
from dryline.world.errors import Forbidden

RATE = 8000
AGENT, CALLER = 0, 1
NEUTRAL = "https://recordings.dryline.invalid/{}.wav"
# A call by hand: whole seconds, both speak, once at the same time.
SAID = [
    {"role": "assistant", "content": "Hello, this is the clinic. How can I help?", "start": 1.0, "end": 4.0},
    {"role": "user", "content": "I would like to book a cleaning, please.", "start": 5.0, "end": 8.0},
    {"role": "assistant", "content": "Of course, one moment.", "start": 7.5, "end": 9.25},
]
CALL = {
    "status": "completed",
    "direction": "inbound",
    "call_sid": "CA1",
    "duration": 11,
    "messages": {"messages": SAID},
    "recording_url": NEUTRAL.format("CA1"),
    "start_time": "2026-01-02T00:00:00.000Z",
    "end_time": "2026-01-02T00:00:11.000Z",
}


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, speech="tones")


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": "2026-01-02T12:30:00Z", "frozen": True})


@pytest.fixture
def deployment(make_voice_deployment):
    return make_voice_deployment()


@pytest.fixture
def simulate(api, control, deployment):
    """Make a call. Returns its log as the API shows it."""

    def simulate(**body):
        body = {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "outcome": "completed"} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        return api.get(f"/logs/{answer.json['ids'][0]}").json

    return simulate


@pytest.fixture
def add_call(api, add_log, deployment):
    """Put a call into the world as a row. Returns its log as the API shows it."""

    def add(**columns):
        worker = {"id": deployment["workerId"]}
        columns = {**CALL, "deployment_id": deployment["id"], **columns}
        return api.get(f"/logs/{quote(add_log(VoiceLog, worker, **columns), safe='')}").json

    return add


@pytest.fixture
def fetch(app):
    """Fetch an address, without a key."""
    return lambda url, method="GET", **headers: app.test_client().open(
        url, method=method, headers=headers, buffered=True
    )


@pytest.fixture
def listen(fetch):
    """The two channels behind an address, and their rate."""

    def listen(log):
        answer = fetch(log["recordingUrl"])
        assert (answer.status_code, answer.content_type) == (200, "audio/wav"), answer.text
        with wave.open(io.BytesIO(answer.data)) as file:
            assert (file.getnchannels(), file.getframerate(), file.getsampwidth()) == (2, RATE, 2)
            samples = array("h", file.readframes(file.getnframes()))
        return samples[0::2], samples[1::2]

    return listen


@pytest.fixture
def files(app):
    """The recordings that are kept, by their names."""
    return lambda: sorted(path.name for path in (app.world.directory / "recordings").glob("*"))


def loudness(channel, start, end):
    """The root mean square of what is heard between two moments, in seconds."""
    heard = channel[round(start * RATE) : round(end * RATE)]
    return math.sqrt(sum(sample * sample for sample in heard) / len(heard))


# What is heard


def test_a_simulated_call_is_as_long_as_its_log_says(simulate, listen):
    log = simulate()
    agent, caller = listen(log)
    assert len(agent) == len(caller) == log["duration"] * RATE


@pytest.mark.parametrize("outcome", ["completed", "transferred", "voicemail"])
def test_each_turn_is_heard_where_messages_says_on_its_speakers_channel(simulate, listen, outcome):
    log = simulate(outcome=outcome, seed=3)
    channels = listen(log)
    messages = log["messages"]["messages"]
    assert messages
    for said in messages:
        mine = AGENT if said["role"] == "assistant" else CALLER
        assert loudness(channels[mine], said["start"], said["end"]) > 1000
        assert loudness(channels[mine], said["start"], said["start"] + 0.15) > 300
        assert loudness(channels[mine], said["end"] - 0.25, said["end"]) > 300
        assert not any(channels[1 - mine][round(said["start"] * RATE) : round(said["end"] * RATE)])


def test_between_the_turns_nobody_is_heard(simulate, listen):
    log = simulate(seed=3)
    messages = log["messages"]["messages"]
    ends, starts = [said["end"] for said in messages], [said["start"] for said in messages]
    for channel in listen(log):
        for end, start in zip(ends, [*starts[1:], log["duration"]], strict=True):
            assert not any(channel[round(end * RATE) : round(start * RATE)])


def test_who_speaks_at_the_same_time_is_heard_at_the_same_time(add_call, listen):
    agent, caller = listen(add_call())
    assert loudness(agent, 7.5, 8) > 1000 and loudness(caller, 7.5, 8) > 1000
    assert not any(agent[4 * RATE : round(7.5 * RATE)]) and not any(caller[8 * RATE :])


def test_who_begins_anew_leaves_off_what_they_were_saying(add_call, listen):
    said = [{**SAID[0], "start": 1.0, "end": 9.0}, {**SAID[0], "start": 3.0, "end": 5.0}]
    agent, _ = listen(add_call(messages={"messages": said}))
    assert loudness(agent, 4.7, 5) > 300 and not any(agent[5 * RATE :])


def test_nothing_clips_and_everything_is_audible(simulate, listen):
    for seed in range(3):
        for channel in listen(simulate(seed=seed)):
            assert 8_000 < max(map(abs, channel)) < 20_000


def test_agent_and_caller_have_voices_of_their_own(add_call, listen):
    said = [{**SAID[0], "role": role, "start": 0.0, "end": 3.0} for role in ("assistant", "user")]
    agent, caller = listen(add_call(messages={"messages": said}))
    assert agent[: 3 * RATE] != caller[: 3 * RATE]


def test_until_somebody_answers_it_rings(add_call, listen):
    agent, caller = listen(add_call())
    assert loudness(agent, 0.05, 0.5) > 1000 and not any(caller[:RATE])
    assert not any(agent[round(0.6 * RATE) : RATE])


def heard_hertz(channel, start, end):
    """Which of the telephone's signals are in there, in hertz."""
    heard = channel[round(start * RATE) : round(end * RATE)]
    found = set()
    for hertz in (440, 480, 620, 697, 770, 852, 941, 1000, 1209, 1336, 1477):
        sums = [sum(s * f(2 * math.pi * hertz * n / RATE) for n, s in enumerate(heard)) for f in (math.sin, math.cos)]
        if math.hypot(*sums) / len(heard) > 500:
            found.add(hertz)
    return found


def test_behind_a_voicemails_greeting_it_beeps(simulate, listen):
    log = simulate(outcome="voicemail", direction="outbound", seed=1)
    greeting, message = log["messages"]["messages"][:2]
    assert (greeting["role"], message["role"]) == ("user", "assistant")
    _, caller = listen(log)
    assert heard_hertz(caller, greeting["end"] + 0.05, greeting["end"] + 0.3) == {1000}


def test_digits_that_a_caller_says_are_keys(add_call, listen):
    said = [{"role": role, "content": "5", "start": 1.0, "end": 1.5} for role in ("user", "assistant")]
    agent, caller = listen(add_call(messages={"messages": said}))
    assert heard_hertz(caller, 1, 1.5) == {770, 1336}
    assert heard_hertz(agent, 1, 1.5) != {770, 1336}


def transferred(log, *events):
    """A transfer of that call: what happened at which second of it."""
    at = [f"2026-01-02T00:00:{second:02d}.000Z" for _, second in events]
    both = [{"id": f"e{n}", "createdAt": at[n], "type": kind, "timestamp": at[n]} for n, (kind, _) in enumerate(events)]
    return {"id": "t", "createdAt": at[0], "updatedAt": at[-1], "transferEvents": both, "metrics": {}}


def test_a_transfer_rings_until_it_is_answered(add_call, listen):
    events = transferred(CALL, ("initiated", 12), ("ringing", 13), ("answered", 14), ("completed", 20))
    agent, _ = listen(add_call(duration=20, status="transferred", transfer_data=events))
    assert not any(agent[round(9.25 * RATE) : 13 * RATE])
    assert heard_hertz(agent, 13, 14) == {440, 480}
    assert not any(agent[14 * RATE :])


def test_a_transfer_to_who_is_busy_sounds_like_it(add_call, listen):
    events = transferred(CALL, ("initiated", 12), ("ringing", 13), ("busy", 15))
    agent, _ = listen(add_call(duration=20, status="transferred", transfer_data=events))
    assert heard_hertz(agent, 15, 15.5) == {480, 620}
    assert not any(agent[round(15.5 * RATE) : 16 * RATE])


def test_the_same_call_gives_the_same_bytes_again(app, simulate, fetch, files):
    url = simulate()["recordingUrl"]
    before = fetch(url).data
    (app.world.directory / "recordings" / files()[0]).unlink()
    assert fetch(url).data == before


def test_another_call_under_the_same_id_is_heard_at_once(app, add_call, listen, fetch, files):
    log = add_call()
    listen(log)
    with app.world.active(), app.world.transaction():
        VoiceLog.find(id=log["id"]).change(messages={"messages": SAID[1:]})
    agent, _ = listen(log)
    assert not any(agent[RATE * 3 : 7 * RATE])
    assert len(files()) == 1


@pytest.mark.parametrize(
    "messages",
    [
        None,
        {},
        {"messages": 5},
        {"messages": [None, 5, "x", {"role": [], "content": "x"}, {"role": "user", "content": {}}]},
        {"messages": [{"role": "user", "content": "Hi", "start": 1e300, "end": -1e300}]},
        {"messages": [{"role": "user", "content": "", "start": 1, "end": 2}]},
        {"messages": [{"role": "user", "content": "中文 \x00 🎉 ...", "start": 1, "end": 2}]},
    ],
)
def test_a_log_in_disorder_is_heard_all_the_same(add_call, listen, messages):
    agent, _ = listen(add_call(messages=messages))
    assert len(agent) == 11 * RATE


def test_turns_without_times_share_the_call(add_call, listen):
    said = [{"role": role, "content": "Hello over there"} for role in ("assistant", "user")]
    agent, caller = listen(add_call(messages={"messages": said}))
    assert loudness(agent, 3, 4) > 1000 and not any(agent[6 * RATE :])
    assert loudness(caller, 9, 10) > 1000 and not any(caller[: 5 * RATE])


def test_without_a_duration_the_call_is_as_long_as_from_start_to_end(add_call, listen):
    assert len(listen(add_call(duration=None))[0]) == 11 * RATE


def test_a_call_that_nobody_can_have_made_is_cut(add_call, fetch, monkeypatch):
    monkeypatch.setattr(made_of, "LONGEST_S", 30)
    url = add_call(duration=2**62)["recordingUrl"]
    assert fetch(url, "HEAD").content_length == 44 + 30 * RATE * 4


# Addresses


def test_only_a_call_that_was_answered_has_a_recording(simulate):
    assert simulate(outcome="completed")["recordingUrl"]
    assert simulate(outcome="no-answer")["recordingUrl"] is simulate(outcome="busy")["recordingUrl"] is None


def test_every_answer_with_a_log_has_its_address(api, deployment, simulate, fetch):
    log = simulate()
    path = f"/workers/{deployment['workerId']}/deploymentLogs/voice"
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


def test_an_address_begins_with_what_the_server_was_asked_by(app, simulate):
    log = simulate()
    headers = {"x-api-key": "dryline-local-key", "Host": "dryline.test:99"}
    shown = app.test_client().get(f"/api/logs/{log['id']}", headers=headers).json
    assert shown["recordingUrl"].startswith("http://dryline.test:99/recordings/")


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/CA1.wav",
        "https://recordings.dryline.invalid/a/b.wav",
        "https://recordings.dryline.invalid/",
        "https://recordings.dryline.invalid/CA1.ogg",
        "",
    ],
)
def test_any_other_address_is_left_alone(api, add_call, deployment, address):
    log = add_call(recording_url=address)
    path = f"/workers/{deployment['workerId']}/deploymentLogs/voice"
    assert log["recordingUrl"] == api.get(path).json["data"][0]["recordingUrl"] == address


def test_what_an_earlier_version_kept_is_heard_too(add_call, listen):
    log = add_call(recording_url="https://recordings.dryline.invalid/CA1.mp3")
    assert urlsplit(log["recordingUrl"]).path == "/recordings/CA1.wav"
    listen(log)


def test_odd_ids_are_heard_too(api, control, add_call, listen, files, advance):
    log = add_call(id="Log / ?&.#é", recording_url=NEUTRAL.format("C%A&é"))
    listen(log)
    advance()
    assert len(files()) == 1
    api.delete(f"/workers/{log['workerId']}")
    advance()
    assert files() == []


def altered(url, **members):
    """The address with other members in its query; None takes one away."""
    query = {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()} | members
    path = urlsplit(url).path
    return path, {name: value for name, value in query.items() if value is not None}


@pytest.mark.parametrize(
    "members",
    [
        {"signature": "x"},
        {"signature": None},
        {"until": "2027-01-01T00:00:00.000Z"},
        {"until": None},
        {"log": None},
    ],
)
def test_an_altered_link_is_refused(app, simulate, members):
    path, query = altered(simulate()["recordingUrl"], **members)
    answer = app.test_client().get(path, query_string=query)
    assert (answer.status_code, answer.json["error"]) == (403, "The link is not valid.")


def test_a_link_opens_no_other_call(app, add_call):
    one, two = add_call(), add_call(call_sid="CA2", recording_url=NEUTRAL.format("CA2"))
    path, query = altered(one["recordingUrl"], log=two["id"])
    assert app.test_client().get(path, query_string=query).status_code == 403
    _, query = altered(one["recordingUrl"])
    assert app.test_client().get("/recordings/CA2.wav", query_string=query).status_code == 404


def test_what_was_signed_for_another_use_opens_nothing(app, add_call):
    log = add_call()
    path, query = altered(log["recordingUrl"])
    with app.world.active():
        from dryline.models.exports import FILES

        query["signature"] = FILES.sealer("get", query["until"], app.world.secret)(log["id"])
        with pytest.raises(Forbidden):
            FILES.demand_seal(
                "get", log["id"], query["until"], parse_qs(urlsplit(log["recordingUrl"]).query)["signature"][0]
            )
    assert app.test_client().get(path, query_string=query).status_code == 403


def test_a_link_works_for_a_day_and_stays_the_same_for_an_hour(api, simulate, fetch, advance):
    log = simulate()
    advance(29 * 60)
    assert api.get(f"/logs/{log['id']}").json["recordingUrl"] == log["recordingUrl"]
    advance(24 * 3600)
    assert fetch(log["recordingUrl"]).status_code == 200
    advance(3600)
    answer = fetch(log["recordingUrl"])
    assert (answer.status_code, answer.json["error"]) == (403, "The link has expired.")
    assert fetch(api.get(f"/logs/{log['id']}").json["recordingUrl"]).status_code == 200


# The file


def test_a_part_is_had_by_range(simulate, fetch):
    url = simulate()["recordingUrl"]
    whole = fetch(url)
    part = fetch(url, Range="bytes=44-1043")
    assert (part.status_code, part.data) == (206, whole.data[44:1044])
    assert part.headers["Content-Range"] == f"bytes 44-1043/{len(whole.data)}"
    assert fetch(url, Range=f"bytes={len(whole.data)}-").status_code == 416
    assert whole.headers["Accept-Ranges"] == "bytes"


def test_head_tells_the_size_and_no_more(simulate, fetch):
    log = simulate()
    answer = fetch(log["recordingUrl"], "HEAD")
    assert (answer.status_code, answer.content_length, answer.data) == (200, 44 + log["duration"] * RATE * 4, b"")


def test_it_is_played_not_saved(simulate, fetch):
    assert not fetch(simulate()["recordingUrl"]).headers["Content-Disposition"].startswith("attachment")


def test_nothing_is_made_until_somebody_listens(simulate, fetch, files, advance):
    url = simulate()["recordingUrl"]
    advance()
    assert files() == []
    fetch(url)
    assert len(files()) == 1


def test_a_file_that_a_power_cut_has_left_short_is_made_anew(app, simulate, fetch, files):
    url = simulate()["recordingUrl"]
    whole = fetch(url).data
    (app.world.directory / "recordings" / files()[0]).write_bytes(b"RIFF")
    assert fetch(url).data == whole


def test_what_was_not_finished_is_swept(app, simulate, fetch, files, advance):
    fetch(simulate()["recordingUrl"])
    (app.world.directory / "recordings" / f"{files()[0]}.part").write_bytes(b"RIFF")
    advance()
    assert len(files()) == 1


def test_who_asks_for_what_is_being_made_waits_for_it(app, simulate, fetch, monkeypatch):
    url = simulate()["recordingUrl"]
    begun, go_on, written = threading.Event(), threading.Event(), []
    write = made_of.write

    def slow(*args):
        written.append(args)
        begun.set()
        assert go_on.wait(20)
        write(*args)

    monkeypatch.setattr("dryline.jobs.studio.write", slow)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(fetch(url).data)) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    # Others are answered meanwhile, those that write too.
    headers = {"x-api-key": "dryline-local-key"}
    new = {"name": "Front desk", "description": None, "status": None}
    assert app.test_client().post("/api/workers", json=new, headers=headers).status_code == 201
    go_on.set()
    for thread in threads:
        thread.join()
    assert len(written) == 1 and len(answers) == 3 and len(set(answers)) == 1


def test_a_server_that_ends_makes_no_more(app, simulate, fetch, files):
    url = simulate()["recordingUrl"]
    app.world.ending.set()
    assert fetch(url).status_code == 503
    assert files() == []


# Room


@pytest.mark.parametrize(("in_turn", "gone"), [((0, 1, 0, 2), 1), ((1, 0, 1, 2), 0)])
def test_those_heard_longest_ago_make_room(app, add_call, fetch, files, in_turn, gone):
    app.world.settings = replace(app.world.settings, recordings_mb=1)  # three calls of 11 s are more than that
    app.world.memory.clear()
    logs = [add_call(call_sid=f"CA{n}", recording_url=NEUTRAL.format(f"CA{n}")) for n in range(3)]
    for n in in_turn:
        assert fetch(logs[n]["recordingUrl"]).status_code == 200
    kept = {name.split(".")[0] for name in files()}
    assert kept == {log["id"] for log in logs} - {logs[gone]["id"]}
    assert fetch(logs[gone]["recordingUrl"]).status_code == 200


def test_one_that_is_larger_than_the_room_is_heard_too(app, add_call, listen, files):
    app.world.settings = replace(app.world.settings, recordings_mb=1)
    app.world.memory.clear()
    for seconds in (60, 61):
        assert len(listen(add_call(duration=seconds))[0]) == seconds * RATE
    assert len(files()) == 1


@pytest.mark.parametrize(
    "gone_by",
    ["/workers/{workerId}", "/workers/{workerId}/deployments/voice/{deploymentId}", "reset", "restore"],
)
def test_a_recording_goes_with_its_log(api, control, simulate, fetch, files, advance, gone_by):
    control.post("/snapshots", {"name": "before"})
    log = simulate()
    fetch(log["recordingUrl"])
    assert len(files()) == 1
    if gone_by == "reset":
        done = control.post("/reset")
    elif gone_by == "restore":
        done = control.post("/snapshots/before/restore")
    else:
        done = api.delete(gone_by.format(**log))
    assert done.status_code in (200, 204), done.text
    assert fetch(log["recordingUrl"]).status_code in (403, 404)
    advance()
    assert files() == []


def test_a_recording_goes_with_its_team(
    other_api, control, make_flow, make_voice_deployment, simulate, fetch, files, advance
):
    line = make_voice_deployment(make_flow(api=other_api), api=other_api)
    asked = {"workerId": line["workerId"], "deploymentId": line["id"], "outcome": "completed"}
    log = other_api.get(f"/logs/{control.post('/simulate/calls', asked).json['ids'][0]}").json
    for url in (log["recordingUrl"], simulate()["recordingUrl"]):
        fetch(url)
    team = next(team["id"] for team in control.get("/teams").json if team["name"] == "Other team")
    assert control.delete(f"/teams/{team}").status_code == 204
    advance()
    assert len(files()) == 1


# Elsewhere


def test_state_documents_are_portable(api, control, simulate, listen, tmp_path):
    log = simulate()
    document = control.get("/state").json
    assert document["voiceLogs"][0]["recordingUrl"] == NEUTRAL.format(log["call_sid"])
    app = create_app(Settings(ephemeral=True, scenario="empty", speech="tones"))
    try:
        client = app.test_client()
        assert client.put("/_dryline/state", json=document).status_code == 204
        shown = client.get(f"/api/logs/{log['id']}", headers={"x-api-key": "dryline-local-key"}).json
        assert client.get(log["recordingUrl"], buffered=True).status_code == 403  # another server's signature
        assert client.get(shown["recordingUrl"], buffered=True).status_code == 200
    finally:
        app.close()


@pytest.mark.parametrize("fields", [None, ["recordingUrl"], ["status", "recordingUrl", "id"]])
@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_exports_have_addresses_that_work(app, api, simulate, fetch, advance, form, fields):
    log = simulate()
    body = {"format": form, "startDate": "2026-01-01", "endDate": "2026-01-03", "logType": "voice"}
    headers = {"Host": "dryline.test"}
    made = api.post("/team/exports", body | ({"fields": fields} if fields else {}), headers=headers).json
    advance()
    text = fetch(api.get(f"/team/exports/{made['id']}").json["downloadUrl"]).text
    expected = log["recordingUrl"].replace("http://localhost", "http://dryline.test")
    assert expected in text and "dryline.invalid" not in text
    assert fetch(expected).status_code == 200
    if fields == ["recordingUrl"]:
        assert text == (f"recordingUrl\r\n{expected}\r\n" if form == "CSV" else f'[{{"recordingUrl":"{expected}"}}]')


@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_each_row_of_an_export_has_the_address_that_its_log_shows(app, api, add_call, fetch, advance, form):
    kept = [NEUTRAL.format("CA1"), NEUTRAL.format("a,b"), 'https://elsewhere.test/a,"b".mp3', "", None]
    shown = [add_call(id=f"log, {n}", recording_url=url)["recordingUrl"] or "" for n, url in enumerate(kept)]
    asked = {"format": form, "startDate": "2026-01-01", "endDate": "2026-01-03", "logType": "voice"}
    made = api.post("/team/exports", asked | {"fields": ["recordingUrl", "status"]}).json
    advance()
    text = fetch(api.get(f"/team/exports/{made['id']}").json["downloadUrl"]).text
    rows = json.loads(text) if form == "JSON" else csv.DictReader(io.StringIO(text, newline=""))
    assert [row["recordingUrl"] or "" for row in rows] == shown
    assert len({url for url in shown if url.startswith("http://localhost/recordings/")}) == 2


def test_in_the_same_process_addresses_begin_with_the_stand_ins_own():
    with DrylineInProcess() as dryline:
        assert dryline.app.world.base_url == dryline.url


def test_over_http_list_webhook_and_player_agree():
    """With a server on a socket: what a webhook is told and a list shows is fetched by Range."""
    from http.client import HTTPConnection
    from urllib.request import Request, urlopen

    with DrylineServer(speech="tones") as dryline:

        def send(method, path, body=None):
            data = None if body is None else json.dumps(body).encode()
            headers = {"x-api-key": "dryline-local-key", "content-type": "application/json"}
            with urlopen(Request(dryline.url + path, data, headers, method=method)) as answer:
                return json.loads(answer.read() or b"null")

        worker = send("POST", "/api/workers", {"name": "Desk", "description": None, "status": None})
        flow = send(
            "POST", f"/api/workers/{worker['id']}/flows", {"name": "F", "label": None, "code": "loop:\n    talk()"}
        )
        line = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow["id"]}
        line = send("POST", f"/api/workers/{worker['id']}/deployments/voice", line)
        hook = {"url": f"{dryline.url}/no-such-path", "fields": "recording_url"}
        send("POST", f"/api/workers/{worker['id']}/deployments/{line['id']}/voice/customWebhooks", hook)
        asked = {"workerId": worker["id"], "deploymentId": line["id"], "outcome": "completed"}
        log_id = send("POST", "/_dryline/simulate/calls", asked)["ids"][0]
        told = [each["request"]["body"]["recording_url"] for each in send("GET", "/_dryline/webhooks")]
        shown = send("GET", f"/api/logs/{log_id}")["recordingUrl"]
        assert shown in told and shown.startswith(dryline.url + "/recordings/")
        host = urlsplit(shown)
        connection = HTTPConnection(host.netloc)
        connection.request("GET", f"{host.path}?{host.query}", headers={"Range": "bytes=0-3"})
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (206, b"RIFF")
        connection.close()


def test_settings_that_cannot_work_are_refused():
    for wrong in ("loud", "command:", "command: 'x", "command: no-such-program-here", "command: cat {words}"):
        with pytest.raises(BadSetting):
            Settings(speech=wrong)
    with pytest.raises(BadSetting):
        Settings(recordings_mb=0)
