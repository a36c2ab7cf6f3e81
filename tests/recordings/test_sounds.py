"""The sound of a recording: turns at their times on the speakers' channels, and silence."""

import pytest

from dryline.simulator import recordings as made_of
from dryline.tests.recordings.calls import AGENT, CALLER, RATE, is_silent, loudness


@pytest.mark.parametrize("outcome", ["completed", "transferred", "voicemail"])
def test_a_recording_has_the_logs_length_and_each_turn_in_time_on_its_channel(simulate, listen, outcome):
    log = simulate(outcome=outcome, seed=3)
    channels = listen(log)
    assert [len(channel) for channel in channels] == [log["duration"] * RATE] * 2
    messages = log["messages"]["messages"]
    assert messages
    for said in messages:
        mine = AGENT if said["role"] == "assistant" else CALLER
        assert loudness(channels[mine], said["start"], said["end"]) > 1000
        assert loudness(channels[mine], said["start"], said["start"] + 0.15) > 300
        assert loudness(channels[mine], said["end"] - 0.25, said["end"]) > 300


def test_utterances_at_the_same_time_overlap(add_call, listen):
    agent, caller = listen(add_call())
    assert loudness(agent, 7.5, 8) > 1000 and loudness(caller, 7.5, 8) > 1000
    assert is_silent(agent, 4, 5) and is_silent(caller, 9.25, 11)


@pytest.mark.parametrize(
    "messages",
    [
        None,
        {"messages": [None, 5, "x", {"role": [], "content": "x"}, {"role": "user", "content": {}}]},
        {"messages": [{"role": "user", "content": "Hi", "start": 1e300, "end": -1e300}]},
        {"messages": [{"role": "user", "content": "中文 \x00 🎉 ...", "start": 1, "end": 2}]},
    ],
)
def test_a_log_in_disorder_is_heard_all_the_same(add_call, listen, messages):
    agent, _ = listen(add_call(messages=messages))
    assert len(agent) == 11 * RATE


def test_turns_without_times_share_the_call(add_call, listen):
    said = [{"role": role, "content": "Hello over there"} for role in ("assistant", "user")]
    agent, caller = listen(add_call(messages={"messages": said}))
    assert loudness(agent, 3, 4) > 2000 > loudness(agent, 9, 10)
    assert loudness(caller, 9, 10) > 2000 > loudness(caller, 3, 4)


def test_a_call_that_nobody_can_have_made_is_cut(add_call, fetch, monkeypatch):
    monkeypatch.setattr(made_of, "LONGEST_S", 30)
    url = add_call(duration=2**62)["recordingUrl"]
    assert fetch(url, "HEAD").content_length == 44 + 30 * RATE * 4
