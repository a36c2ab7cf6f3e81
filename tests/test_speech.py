"""Speech in recordings: espeak-ng, any other program, and beeps when a program fails."""

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
from pathlib import Path

import pytest

from dryline.app import create_app
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.settings import Settings
from dryline.simulator import speech
from dryline.simulator.speech import RATE, Beeps, speakers, voice_of

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
# Writes a tone of as many seconds as its first argument says, at the sample rate of its second, to the file of its
# third or to standard output. It appends its input and arguments to a log.
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
    """Write a program and return its command."""

    def program(source=SPEAKS, *arguments):
        path = tmp_path / "speaks.py"
        program.log = tmp_path / "runs"
        path.write_text(source.replace("{log!r}", repr(str(program.log))))
        return shlex.join([sys.executable, "-I", "-S", str(path), *arguments])

    return program


@pytest.fixture
def runs(program):
    """Return the program's runs so far: its input and arguments."""
    return lambda: [eval(line) for line in program.log.read_text().splitlines()] if program.log.exists() else []


class Recording:
    """A fetched recording."""

    def __init__(self, content):
        with wave.open(io.BytesIO(content)) as file:
            self.rate = file.getframerate()
            samples = array("h", file.readframes(file.getnframes()))
        self.agent, self.caller = samples[0::2], samples[1::2]

    def part(self, channel, start, end):
        return channel[round(start * self.rate) : round(end * self.rate)]

    def filled(self, channel, start, end):
        """Return the share of that time from its first to its last sound."""
        return filled(self.part(channel, start, end))

    def is_quiet(self, channel, start, end):
        return not any(self.part(channel, start, end))


def filled(samples):
    loud = [at for at, sample in enumerate(samples) if abs(sample) > 500]
    return (loud[-1] - loud[0]) / len(samples) if loud else 0.0


@pytest.fixture
def recorded():
    """Return a function that fetches the recording of one call again and again, from a world with this `--speech`."""
    apps = []

    def recorded(speech):
        app = create_app(Settings(ephemeral=True, scenario="empty", seed=1, speech=speech))
        apps.append(app)
        client, headers = app.test_client(), {"x-api-key": "dryline-local-key"}
        new = {"name": "Front desk", "description": None, "status": None}
        worker = client.post("/api/workers", json=new, headers=headers).json
        with app.world.active(), app.world.transaction():
            id = VoiceLog.add(Worker.find(id=worker["id"]), worker_id=worker["id"], **CALL).id
        url = client.get(f"/api/logs/{id}", headers=headers).json["recordingUrl"]

        def fetch():
            answer = fetch.answer()
            assert answer.status_code == 200, answer.text
            return Recording(answer.data)

        fetch.app, fetch.answer = app, lambda: client.get(url, buffered=True)
        return fetch

    yield recorded
    for app in apps:
        app.close()


def assert_beeps(recording, recorded):
    beeps = recorded("tones")()
    assert (recording.rate, recording.agent, recording.caller) == (beeps.rate, beeps.agent, beeps.caller)


# Any program


@pytest.mark.parametrize("rate", [8000, 22050, 48000])
def test_a_program_speaks_each_turn_at_any_sample_rate(program, runs, recorded, rate):
    recording = recorded(f"command: {program()} 3 {rate}")()
    assert {text for text, *_ in runs()} == {turn["content"] for turn in CALL["messages"]["messages"]}
    assert recording.rate == RATE and len(recording.agent) == len(recording.caller) == 9 * RATE
    assert recording.filled(recording.agent, 1, 4) > 0.95 and recording.filled(recording.caller, 5, 8) > 0.95
    for channel in (recording.agent, recording.caller):
        assert recording.is_quiet(channel, 4, 5) and recording.is_quiet(channel, 8, 9)
    second = recording.part(recording.agent, 2, 3)
    assert 490 < sum(a < 0 <= b for a, b in itertools.pairwise(second)) < 510


def test_placeholders_are_filled_in_word_by_word_and_no_shell_reads_them(program, runs, recorded):
    recorded(f"command: {program()} 3 8000 x{{role}} {{language}} {{text}} '; $(exit 1)'")()
    for text, _, _, role, language, argument, odd in runs():
        assert argument == text and language == "en" and odd == "; $(exit 1)"
        assert role == ("xagent" if text.startswith("How") else "xcaller")


@pytest.mark.parametrize("text", ["-wevil", "--path=/etc", "-"])
def test_a_text_that_begins_with_a_dash_is_no_option(program, runs, text):
    voice_of(f"command: {program()} 1 8000 {{text}}").say(text, 1, AGENT)
    ((_, _, _, argument),) = runs()
    assert argument == f" {text}"


def test_a_program_has_none_of_the_servers_settings_in_its_environment(program, tmp_path, monkeypatch):
    monkeypatch.setenv("DRYLINE_ADMIN_TOKEN", "secret")
    monkeypatch.setenv("PIPER_VOICES", "/voices")
    source = f"import os; open({str(tmp_path / 'environment')!r}, 'w').write(' '.join(os.environ))\n{SPEAKS}"
    voice_of(f"command: {program(source)} 1 8000").say("Hello", 1, AGENT)
    names = Path(tmp_path, "environment").read_text().split()
    assert "PIPER_VOICES" in names and not any(name.startswith("DRYLINE_") for name in names)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("import sys; sys.exit('no voice')", "ended with 1: no voice"),
        ("print('hello')", "gave no WAV file"),
        (SPEAKS.replace("setsampwidth(2)", "setsampwidth(1)"), "gave 8 bit at 8000 Hz"),
        (SPEAKS.replace("int(sys.argv[2])", "4000"), "gave 16 bit at 4000 Hz"),
        ("import time; time.sleep(600)", "took longer than"),
    ],
)
def test_a_program_that_fails_leaves_beeps_and_the_log_has_the_reason(
    program, recorded, caplog, monkeypatch, source, reason
):
    if "took" in reason:
        monkeypatch.setattr(speech, "TURN_S", 0.2)
    with caplog.at_level(logging.WARNING):
        recording = recorded(f"command: {program(source)} 3 8000")()
    assert_beeps(recording, recorded)
    (message,) = [record.getMessage() for record in caplog.records]
    assert "tones instead of speech" in message and reason in message


def test_a_server_that_stops_waits_for_no_program(program, recorded, tmp_path):
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = f"open({str(begun)!r}, 'w').close(); import time; time.sleep(600)"
    fetch = recorded(f"command: {program(source)}")
    statuses = []
    listener = threading.Thread(target=lambda: statuses.append(fetch.answer().status_code))
    listener.start()
    begun.read_text()
    fetch.app.world.ending.set()
    listener.join(5)
    assert statuses == [503]


# espeak-ng


def test_auto_takes_espeak_when_it_is_installed(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(voice_of("auto"), Beeps)
    (tmp_path / "espeak-ng").write_text("#!/bin/sh\n")
    (tmp_path / "espeak-ng").chmod(0o755)
    assert voice_of("auto").mark == "espeak-ng"
    assert isinstance(voice_of("tones"), Beeps)


FAKE_ESPEAK = f"""#!{sys.executable} -IS
import sys
if sys.argv[1:] == ["--voices"]:
    print("Pty Language       Age/Gender VoiceName          File          Other Languages")
    for language in ("de", "en-us", "es-419", "pt-br"):
        print(" 5  " + language + "  --/M  Some_Name  some/" + language)
    sys.exit()
voice, sys.argv[1:] = sys.argv[sys.argv.index("-v") + 1], [str(525 / int(sys.argv[-1])), "22050", *sys.argv[1:]]
{SPEAKS}"""


@pytest.mark.parametrize(
    ("language", "espeaks"),
    [("", "en-us"), ("en-GB", "en-us"), ("de_CH", "some/de"), ("pt-BR", "some/pt-br")],
)
def test_espeak_speaks_the_language_with_two_voices(tmp_path, monkeypatch, language, espeaks):
    path = tmp_path / "espeak-ng"
    path.write_text(FAKE_ESPEAK.replace("{log!r}", repr(str(tmp_path / "runs"))))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for speaker in speakers("voice", "+14155550101", language):
        voice_of("auto").say("--version is no option here", 3, speaker)
    commands = [eval(line) for line in (tmp_path / "runs").read_text().splitlines()]
    assert {text for text, *_ in commands} == {"--version is no option here"}
    voices = {words[words.index("-v") + 1] for words in commands}
    assert len(voices) == 2 and {voice.partition("+")[0] for voice in voices} == {espeaks}


INSTALLED = [voice_of("auto")] if shutil.which("espeak-ng") else []


@pytest.mark.parametrize("speaker", [AGENT, CALLER], ids=["agent", "caller"])
@pytest.mark.parametrize("voice", [*INSTALLED, Beeps()], ids=lambda voice: voice.mark)
def test_a_voice_fills_its_time_and_always_speaks_alike(voice, speaker):
    for text, seconds in (("How can I help you today?", 2), ("You are booked for Friday at 9:45 AM.", 4)):
        samples = voice.say(text, seconds, speaker)
        assert 0.8 < len(samples) / RATE / seconds <= 1.2
        assert filled(samples) > 0.7 and 8_000 < max(map(abs, samples)) < 32_000
        assert voice.say(text, seconds, speaker) == samples
        assert voice.say("Another text altogether.", seconds, speaker) != samples


def test_espeak_is_installed_if_it_is_to_be_tested():
    """`.ci/run` installs it and sets the variable: the test above runs it then."""
    if os.environ.get("DRYLINE_TEST_ESPEAK"):
        assert INSTALLED


@pytest.mark.parametrize("text", ["...", "🎉", "--help", "<script>", "中文", "x" * 600])
@pytest.mark.parametrize("voice", [*INSTALLED, Beeps()], ids=lambda voice: voice.mark)
def test_any_text_can_be_spoken(voice, text):
    assert voice.say(text, 1, AGENT) is not None
