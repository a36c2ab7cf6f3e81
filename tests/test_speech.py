"""Who speaks in recordings: espeak-ng, any other program, and what happens when that fails."""

import io
import itertools
import logging
import os
import shlex
import shutil
import sys
import threading
import wave
from array import array

import pytest

from dryline.app import create_app
from dryline.jobs import studio
from dryline.models.voice_logs import VoiceLog
from dryline.settings import Settings
from dryline.simulator import voices
from dryline.simulator.voices import Command, Espeak, Flite, Murmur, SpeechFailed, speakers, voice_of

RATE = 8000
AGENT, CALLER = speakers("voice", "+14155550101", "en-US")
CALL = {
    "status": "completed",
    "direction": "inbound",
    "call_sid": "CA1",
    "duration": 9,
    "messages": {
        "messages": [
            {"role": "assistant", "content": "How can I help you today?", "start": 1.0, "end": 4.0},
            {"role": "user", "content": "I'd like to book a cleaning, please.", "start": 5.0, "end": 8.0},
        ]
    },
    "recording_url": "https://recordings.dryline.invalid/CA1.wav",
}
# Speaks one tone, as long as its first argument says (or its second, divided by its third), at its own rate.
SPEAKS = """
import array, math, sys, wave
text = sys.stdin.read()
with open({log!r}, "a") as log:
    print(repr([text, *sys.argv[1:]]), file=log)
seconds, rate = float(sys.argv[1]), int(sys.argv[2])
with wave.open(sys.argv[3] if len(sys.argv) > 3 and sys.argv[3].endswith(".wav") else sys.stdout.buffer, "wb") as out:
    out.setnchannels(1); out.setsampwidth(2); out.setframerate(rate)
    tone = [int(9000 * math.sin(2 * math.pi * 500 * n / rate)) for n in range(int(seconds * rate))]
    out.writeframes(array.array("h", tone).tobytes())
"""


@pytest.fixture
def program(tmp_path):
    """A command of this test's own, by its source. It may write to `program.log`."""

    def program(source=SPEAKS, *arguments):
        path = tmp_path / "speaks.py"
        program.log = tmp_path / "asked"
        path.write_text(source.replace("{log!r}", repr(str(program.log))))
        return shlex.join([sys.executable, "-I", "-S", str(path), *arguments])

    return program


@pytest.fixture
def asked(program):
    """What it was asked, a list of its input and arguments each."""
    return lambda: [eval(line) for line in program.log.read_text().splitlines()] if program.log.exists() else []


@pytest.fixture
def heard():
    """A call in a world whose recordings are spoken as told: gives a function that fetches it again."""
    apps = []

    def heard(speech):
        app = create_app(Settings(ephemeral=True, scenario="empty", seed=1, speech=speech))
        apps.append(app)
        client, headers = app.test_client(), {"x-api-key": "dryline-local-key"}
        new = {"name": "Front desk", "description": None, "status": None}
        worker = client.post("/api/workers", json=new, headers=headers).json
        with app.world.active(), app.world.transaction():
            from dryline.models.workers import Worker

            id = VoiceLog.add(Worker.find(id=worker["id"]), worker_id=worker["id"], **CALL).id
        url = client.get(f"/api/logs/{id}", headers=headers).json["recordingUrl"]

        def fetch():
            answer = fetch.ask()
            assert answer.status_code == 200, answer.text
            with wave.open(io.BytesIO(answer.data)) as file:
                samples = array("h", file.readframes(file.getnframes()))
            return samples[0::2], samples[1::2]

        fetch.app, fetch.ask = app, lambda: client.get(url, buffered=True)
        return fetch

    yield heard
    for app in apps:
        app.close()


def part(channel, start, end):
    return channel[round(start * RATE) : round(end * RATE)]


def spoken_for(channel, start, end):
    """How much of that time is sound, from the first to the last of it."""
    heard = part(channel, start, end)
    loud = [at for at, sample in enumerate(heard) if abs(sample) > 500]
    return (loud[-1] - loud[0]) / len(heard) if loud else 0.0


# Any program


def test_a_program_is_told_the_text_and_heard_in_its_place(program, asked, heard):
    agent, caller = heard(f"command: {program()} 3 16000")()
    assert {text for text, *_ in asked()} == {said["content"] for said in CALL["messages"]["messages"]}
    assert spoken_for(agent, 1, 4) > 0.95 and spoken_for(caller, 5, 8) > 0.95
    assert not any(part(agent, 4, 9)) and not any(part(caller, 1, 5)) and not any(part(caller, 8, 9))
    crossings = sum(a < 0 <= b for a, b in zip(part(agent, 2, 3), part(agent, 2, 3)[1:], strict=False))
    assert 490 < crossings < 510  # its tone, at our rate


def test_placeholders_are_filled_in_word_by_word_and_no_shell_reads_them(program, asked, heard):
    heard(f"command: {program()} 3 8000 x{{role}} {{language}} {{text}} '; $(exit 1)'")()
    for text, _, _, role, language, said, odd in asked():
        assert said == text and language == "en" and odd == "; $(exit 1)"
        assert role == ("xagent" if text.startswith("How") else "xcaller")


def test_a_program_may_write_a_file_instead(program, heard):
    agent, _ = heard(f"command: {program()} 3 22050 {{out}}")()
    assert spoken_for(agent, 1, 4) > 0.95


def test_what_is_too_long_is_cut_and_what_is_too_short_is_followed_by_silence(program, heard):
    agent, _ = heard(f"command: {program()} 9 8000")()
    assert spoken_for(agent, 1, 4) > 0.98 and not any(part(agent, 4, 9))
    agent, _ = heard(f"command: {program()} 1 8000")()
    assert 0.3 < spoken_for(agent, 1, 4) < 0.4


def test_a_program_that_knows_speed_is_asked_again_where_it_was_far_off(program, asked, heard):
    source = SPEAKS.replace("float(sys.argv[1])", "6 / float(sys.argv[1])")
    agent, _ = heard(f"command: {program(source)} {{speed}} 8000")()
    assert spoken_for(agent, 1, 4) > 0.9
    speeds = [float(speed) for text, speed, _ in asked() if text.startswith("How")]
    assert len(speeds) == 2 and abs(speeds[1] - 2) < 0.1


def test_some_turns_are_spoken_at_the_same_time(program, heard, tmp_path):
    # Each of the two waits until the other has begun.
    source = f"""
import os, sys
name = "A" if sys.argv[3] == "agent" else "B"
other = "B" if name == "A" else "A"
os.mkdir(os.path.join({str(tmp_path)!r}, name))
while not os.path.exists(os.path.join({str(tmp_path)!r}, other)):
    pass
{SPEAKS}"""
    agent, caller = heard(f"command: {program(source)} 3 8000 {{role}}")()
    assert spoken_for(agent, 1, 4) > 0.9 and spoken_for(caller, 5, 8) > 0.9


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import sys; sys.exit('no voice')", "ended with 1: no voice"),
        ("print('hello')", "gave no WAV file"),
        ("", "gave no WAV file"),
        (SPEAKS.replace("setsampwidth(2)", "setsampwidth(1)"), "gave 8 bit at 8000 Hz"),
        ("import time; time.sleep(600)", "took longer than"),
    ],
)
def test_a_program_that_fails_leaves_tones_and_the_log_says_why(program, heard, caplog, monkeypatch, source, why):
    if "took" in why:
        monkeypatch.setattr(voices, "TURN_S", 0.2)
    with caplog.at_level(logging.WARNING):
        fetch = heard(f"command: {program(source)} 3 8000")
        channels = fetch()
    assert channels == heard("tones")()
    (said,) = [record.getMessage() for record in caplog.records]
    assert "is made of tones" in said and why in said


def test_a_program_that_failed_is_asked_again_later_and_then_heard(program, heard, caplog, monkeypatch):
    fetch = heard(f"command: {program('import sys; sys.exit(1)')} 3 8000")
    tones = fetch()
    program()  # now it can speak
    assert fetch() == tones
    monkeypatch.setattr(studio, "PAUSE_S", 0.0)
    fetch.app.world.memory.clear()
    assert fetch() != tones


def test_a_recording_that_takes_too_long_in_all_is_made_of_tones(program, heard, caplog, monkeypatch):
    monkeypatch.setattr(studio, "PATIENCE_S", -1.0)
    assert heard(f"command: {program()} 3 8000")() == heard("tones")()
    assert "speaking took longer than" in caplog.text


def test_what_a_slow_program_has_started_ends_with_it(program, monkeypatch, tmp_path):
    monkeypatch.setattr(voices, "TURN_S", 2.0)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # The child holds the pipe open until it ends.
    child = f"f = open({str(fifo)!r}, 'w'); f.write('begun'); f.flush(); import time; time.sleep(600)"
    source = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    read = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    with pytest.raises(SpeechFailed):
        Command(shlex.split(program(source))).say("Hello", RATE, AGENT)
    reader.join(20)
    assert read == ["begun"]


def test_a_server_that_ends_waits_for_no_program(program, heard, tmp_path):
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = f"open({str(begun)!r}, 'w').close(); import time; time.sleep(600)"
    fetch = heard(f"command: {program(source)}")
    statuses = []
    listener = threading.Thread(target=lambda: statuses.append(fetch.ask().status_code))
    listener.start()
    begun.read_text()
    fetch.app.world.ending.set()
    listener.join(5)
    assert statuses == [503]


# The programs that are looked for


def test_auto_takes_espeak_before_flite_before_tones(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(voice_of("auto"), Murmur)
    for name, kind in (("flite", Flite), ("espeak-ng", Espeak)):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
        assert isinstance(voice_of("auto"), kind)
    assert isinstance(voice_of("tones"), Murmur)


FAKE_ESPEAK = f"""#!{sys.executable} -IS
import sys
if sys.argv[1:] == ["--voices"]:
    print("Pty Language       Age/Gender VoiceName          File          Other Languages")
    for language in ("de", "en-us", "es-419", "pt-br"):
        print(" 5  " + language + "  --/M  Some_Name  some/file")
    sys.exit()
voice, sys.argv[1:] = sys.argv[sys.argv.index("-v") + 1], [str(525 / int(sys.argv[-1])), "22050", *sys.argv[1:]]
{SPEAKS}"""


@pytest.mark.parametrize(
    ("language", "taken"),
    [("en-US", "en-us"), ("", "en-us"), ("en-GB", "en-us"), ("de_CH", "de"), ("pt-BR", "pt-br"), ("xx", "en-us")],
)
def test_espeak_is_asked_for_the_language_and_two_voices(tmp_path, language, taken):
    path = tmp_path / "espeak-ng"
    path.write_text(FAKE_ESPEAK.replace("{log!r}", repr(str(tmp_path / "asked"))))
    path.chmod(0o755)
    for speaker in speakers("voice", "+14155550101", language):
        assert len(Espeak(str(path)).say("--version is no option here", 3 * RATE, speaker)) == 3 * RATE
    asked = [eval(line) for line in (tmp_path / "asked").read_text().splitlines()]
    assert {text for text, *_ in asked} == {"--version is no option here"}
    spoken = {words[words.index("-v") + 1] for words in asked}
    assert len(spoken) == 2 and {voice.partition("+")[0] for voice in spoken} == {taken}


def test_the_deployments_language_and_voice_choose_the_voice():
    one, two = speakers("voice-1", "+14155550101", "de"), speakers("voice-2", "+14155550101", "de")
    assert one[0] != two[0] and one[0].language == "de"
    for agent, caller in (one, two):
        assert agent.kind != caller.kind


# Those that are installed here, and what needs no program.
HERE = [kind(path) for kind, name in ((Espeak, "espeak-ng"), (Flite, "flite")) if (path := shutil.which(name))]


@pytest.mark.parametrize("speaker", [AGENT, CALLER], ids=["agent", "caller"])
@pytest.mark.parametrize("voice", [*HERE, Murmur()], ids=lambda voice: voice.mark)
def test_a_voice_speaks_within_its_time_and_always_alike(voice, speaker):
    for text, seconds in (("How can I help you today?", 2), ("You are booked for Friday at 9:45 AM.", 4)):
        said = voice.say(text, seconds * RATE, speaker)
        assert len(said) == seconds * RATE
        assert spoken_for(said, 0, seconds) > 0.85 and 8_000 < max(map(abs, said)) < 20_000
        assert voice.say(text, seconds * RATE, speaker) == said
        assert voice.say("Another text altogether.", seconds * RATE, speaker) != said


def test_where_espeak_is_to_be_tested_it_is_there():
    """`.ci/run` installs it and says so: the test above has it then."""
    if os.environ.get("DRYLINE_TEST_ESPEAK"):
        assert "espeak-ng" in [voice.mark for voice in HERE]


@pytest.mark.parametrize("text", ["", " ", "...", "🎉", "\x00", "--help", "<script>", "中文", "x" * 600])
def test_any_text_can_be_asked_for(text):
    for voice, speaker in itertools.product([*HERE, Murmur()], (AGENT, CALLER)):
        assert len(voice.say(text, RATE, speaker)) == RATE
