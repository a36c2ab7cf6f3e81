"""Speech in recordings: espeak-ng, any other program, and beeps when a program fails."""

import itertools
import logging
import os
import shlex
import shutil
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dryline.simulator import speech
from dryline.simulator.recording_files import RECORDING_FILES
from dryline.simulator.speech import RATE, Beeps, SpeechFailed, speakers, voice_of
from dryline.tests.recordings.calls import SAID, is_silent, loudness

AGENT, CALLER = speakers("voice", "+14155550101", "en-US")
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

    def program(source=SPEAKS):
        path = tmp_path / "speaks.py"
        program.log = tmp_path / "runs"
        path.write_text(source.replace("{log!r}", repr(str(program.log))))
        return shlex.join([sys.executable, "-I", "-S", str(path)])

    return program


@pytest.fixture
def runs(program):
    """Return the program's runs so far: its input and arguments."""
    return lambda: [eval(line) for line in program.log.read_text().splitlines()]


@pytest.fixture
def set_speech(app):
    """Give the server another value of `--speech`."""

    def set_speech(setting):
        app.world.settings = replace(app.world.settings, speech=setting)
        RECORDING_FILES.drop(app.world)

    return set_speech


# Any program


@pytest.mark.parametrize("arguments", ["8000", "22050 {out}"])
def test_a_program_speaks_each_turn_at_any_sample_rate(program, runs, set_speech, add_call, listen, arguments):
    set_speech(f"command: {program()} 3 {arguments}")
    agent, caller = listen(add_call())
    assert {text for text, *_ in runs()} == {turn["content"] for turn in SAID}
    assert loudness(agent, 1, 1.2) > 1000 and loudness(agent, 3.8, 4) > 1000 and loudness(caller, 5, 8) > 1000
    assert is_silent(agent, 4, 5) and is_silent(caller, 8, 11)
    assert 490 < sum(a < 0 <= b for a, b in itertools.pairwise(agent[2 * RATE : 3 * RATE])) < 510


def test_placeholders_are_filled_in_word_by_word_and_no_shell_reads_them(program, runs, set_speech, add_call, listen):
    set_speech(f"command: {program()} 3 8000 x{{role}} {{language}} {{text}} '; $(exit 1)'")
    listen(add_call())
    for text, _, _, role, language, argument, odd in runs():
        assert argument == text and language == "en" and odd == "; $(exit 1)"
        assert role == ("xcaller" if text.startswith("I would") else "xagent")


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
        ("import time; time.sleep(600)", "took longer than"),
    ],
)
def test_a_program_that_fails_leaves_beeps_and_the_log_has_the_reason(
    program, set_speech, add_call, listen, caplog, monkeypatch, source, reason
):
    if "took" in reason:
        monkeypatch.setattr(speech, "TURN_S", 0.2)
    set_speech(f"command: {program(source)} 3 8000")
    with caplog.at_level(logging.WARNING):
        recording = listen(add_call())
    (message,) = [record.getMessage() for record in caplog.records]
    assert "tones instead of speech" in message and reason in message
    set_speech("tones")
    assert listen(add_call()) == recording


def test_a_server_that_stops_waits_for_no_program(app, program, set_speech, add_call, fetch, tmp_path):
    begun = tmp_path / "begun"
    os.mkfifo(begun)
    source = f"open({str(begun)!r}, 'w').close(); import time; time.sleep(600)"
    set_speech(f"command: {program(source)}")
    url, statuses = add_call()["recordingUrl"], []
    listener = threading.Thread(target=lambda: statuses.append(fetch(url).status_code))
    listener.start()
    begun.read_text()
    app.world.ending.set()
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


# Lists some languages, or appends the voice that it is to speak with to a log.
FAKE_ESPEAK = """#!/bin/sh
if [ "$1" = --voices ]; then
    for code in de en-us pt-br; do echo " 5  $code  --/M  Some_Name  some/$code"; done
else
    while [ "$1" != -v ]; do shift; done
    echo "$2" >> LOG
fi
"""


@pytest.mark.parametrize(
    ("language", "espeaks"),
    [("", "en-us"), ("en-GB", "en-us"), ("de_CH", "some/de"), ("pt-BR", "some/pt-br")],
)
def test_espeak_speaks_the_language_with_two_voices(tmp_path, monkeypatch, language, espeaks):
    (tmp_path / "espeak-ng").write_text(FAKE_ESPEAK.replace("LOG", f"'{tmp_path}/voices'"))
    (tmp_path / "espeak-ng").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for speaker in speakers("voice", "+14155550101", language):
        with pytest.raises(SpeechFailed):
            voice_of("auto").say("Hello", 3, speaker)
    voices = (tmp_path / "voices").read_text().split()
    assert len(set(voices)) == 2 and {voice.partition("+")[0] for voice in voices} == {espeaks}


INSTALLED = [voice_of("auto")] if shutil.which("espeak-ng") else []


@pytest.mark.parametrize("speaker", [AGENT, CALLER], ids=["agent", "caller"])
@pytest.mark.parametrize("voice", [*INSTALLED, Beeps()], ids=lambda voice: voice.mark)
def test_a_voice_fills_its_time_and_always_speaks_alike(voice, speaker):
    for text, seconds in (("How can I help you today?", 2), ("You are booked for Friday at 9:45 AM.", 4)):
        samples = voice.say(text, seconds, speaker)
        assert 0.8 < len(samples) / RATE / seconds <= 1.2
        assert 8_000 < max(map(abs, samples)) < 32_000
        assert voice.say(text, seconds, speaker) == samples
        assert voice.say("Another text altogether.", seconds, speaker) != samples


def test_espeak_is_installed_if_it_is_to_be_tested():
    """`.ci/run` installs it and sets the variable: the test above runs it then."""
    if os.environ.get("DRYLINE_TEST_ESPEAK"):
        assert INSTALLED


ODD_TEXTS = ["...", "🎉", "--help", "<script>", "中文", "x" * 600]


@pytest.mark.parametrize("text", ODD_TEXTS)
@pytest.mark.parametrize("voice", INSTALLED, ids=lambda voice: voice.mark)
def test_espeak_does_not_fail_at_any_text(voice, text):
    voice.say(text, 1, AGENT)


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_tones_are_heard_for_any_text(text):
    assert max(map(abs, Beeps().say(text, 1, AGENT))) > 1_000
