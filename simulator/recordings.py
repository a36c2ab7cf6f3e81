"""The recording of a call as a WAV file: two channels, agent and caller, with each turn at its time in `messages`.

Each voice is heard softly in the other ear too, and a line's faint noise all the time, as on a telephone. The file
depends on nothing but the log and its deployment's language and voice, so that the same call has the same bytes. It is
as long as the call. It is written second by second, so that a long call takes no more memory than a short one.
"""

from __future__ import annotations

import wave
from array import array
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple

from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import CHANNELS
from dryline.models.voice_logs import VoiceLog
from dryline.simulator import tones
from dryline.simulator.speech import Speaker, Speech, SpeechFailed, Voice, natural_s, printable, speakers
from dryline.world.clock import parse

AGENT, CALLER = 0, 1  # the channels: left and right
AT_ONCE = 4  # turns that are spoken at the same time
# A longer call or turn, which only a state document written by hand can have, is cut off.
LONGEST_S, LONGEST_TURN_S = 2 * 3600, 300
_VERSION = 4  # of the sound: a new number has all files made again
_ROLES = {"assistant": AGENT, "agent": AGENT, "user": CALLER, "caller": CALLER}
_AHEAD = 2 * AT_ONCE  # turns that are spoken before their time, and held in memory
_RING_S, _RING_PAUSE_S, _BUSY_S, _BEEP_S = 2.0, 4.0, 0.5, 0.25
_HEADER_BYTES, _FRAME_BYTES = 44, 4


class Part(NamedTuple):
    """A turn or a signal on one channel, from second `start` to second `end` of the call."""

    channel: int
    start: float
    end: float
    text: str = ""  # of a turn
    signal: tuple[int, ...] = ()  # the frequencies of a signal, in hertz


@dataclass(frozen=True)
class AudibleCall:
    """The audible parts of a call, in the order of their start."""

    seconds: float
    parts: tuple[Part, ...]
    speakers: tuple[Speaker, Speaker]

    def mark(self, voice: Voice) -> str:
        """Return a short hash of all that the file depends on."""
        return sha256(repr((_VERSION, self, voice.mark)).encode(errors="replace")).hexdigest()[:16]


def call_of(log: VoiceLog) -> AudibleCall:
    """Return the call of a log. Of an inconsistent log, which a state document can have, it takes what it can."""
    seconds = _seconds(log)
    turns = list(_turns(log, seconds))
    parts = sorted([*turns, *_signals(log, turns, seconds)], key=lambda part: (part.start, part.channel))
    deployment = Deployment.find(id=log.deployment_id, team_id=log.team_id) if log.deployment_id else None
    caller = log.to_number if log.direction == "outbound" else log.from_number
    return AudibleCall(seconds, tuple(parts), speakers_of(deployment, caller or "", log.deployment_id or ""))


def speakers_of(deployment: Deployment | None, caller: str, otherwise: str) -> tuple[Speaker, Speaker]:
    """Return agent and caller of a deployment's calls. `otherwise` stands for the voice of one that names none."""
    voice, language = _voice(deployment)
    return speakers(voice or otherwise, caller, language)


def write(call: AudibleCall, file: IO[bytes], voice: Voice, go_on: Callable[[], object]) -> None:
    """Write the call as a WAV file, at the sample rate of the voice's first turn.

    `go_on` is called for every second of the call; it may raise. Raises SpeechFailed, and OSError.
    """
    turns = _speak_ahead(call, voice)
    try:
        first = next(turns, None)
        rate = first.result().rate if first else tones.RATE
        with wave.open(file, "wb") as out:
            out.setnchannels(2)
            out.setsampwidth(2)
            out.setframerate(rate)
            out.setnframes(round(call.seconds * rate))
            for frames in _frames(call, rate, chain([first] if first else [], turns), go_on):
                out.writeframesraw(frames)
    finally:
        turns.close()


def write_line(text: str, speaker: Speaker, file: IO[bytes], voice: Voice) -> None:
    """Write one line as a WAV file with one channel. Raises SpeechFailed."""
    speech = voice.say(text, natural_s(text), speaker)
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(speech.rate)
        out.writeframes(speech.samples.tobytes())


def is_whole(path: Path) -> bool:
    """Return whether a file is there, and as long as its header says. A power cut can have shortened it."""
    try:
        with wave.open(str(path)) as file:
            return path.stat().st_size == _HEADER_BYTES + _FRAME_BYTES * file.getnframes()
    except (OSError, EOFError, wave.Error):
        return False


# The audible parts of a log


def _seconds(log: VoiceLog) -> float:
    """Return the call's duration, or else the time from its start to its end."""
    seconds: Any = log.duration
    if seconds is None and log.start_time and log.end_time:
        seconds = (parse(log.end_time) - parse(log.start_time)).total_seconds()
    return min(max(seconds or 0, 0), LONGEST_S)


def _turns(log: VoiceLog, seconds: float) -> Iterator[Part]:
    """Yield the turns of `messages`. A turn ends where the next one on its channel begins.

    When turns lack times, which a state document allows, they share the call by their length.
    """
    messages = log.messages.get("messages") if isinstance(log.messages, dict) else None
    turns = [message for message in messages if _is_turn(message)] if isinstance(messages, list) else []
    if not all(_is_number(turn.get("start")) and _is_number(turn.get("end")) for turn in turns):
        turns = _spread(turns, seconds)
    times = [(_within(turn["start"], seconds), _within(turn["end"], seconds)) for turn in turns]
    channels = [_ROLES[turn["role"]] for turn in turns]
    starts: dict[int, list[float]] = {AGENT: [], CALLER: []}
    for channel, (start, _) in sorted(zip(channels, times, strict=True)):
        starts[channel].append(start)
    for turn, channel, (start, end) in zip(turns, channels, times, strict=True):
        following = bisect_right(starts[channel], start)
        if following < len(starts[channel]):
            end = min(end, starts[channel][following])
        end = min(end, start + LONGEST_TURN_S)
        text = printable(turn["content"])
        if text and end > start:
            yield Part(channel, start, end, text)


def _is_turn(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    role, content = message.get("role"), message.get("content")
    return isinstance(role, str) and role in _ROLES and isinstance(content, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spread(turns: Sequence[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    lengths = [len(turn["content"]) + 8 for turn in turns]
    scale = seconds / sum(lengths) if turns else 0.0
    timed, at = [], 0
    for turn, length in zip(turns, lengths, strict=True):
        timed.append({**turn, "start": (at + 5) * scale, "end": (at + length) * scale})
        at += length
    return timed


def _within(at: float, seconds: float) -> float:
    """Return a time moved into the call."""
    return min(max(at, 0), seconds)


def _signals(log: VoiceLog, turns: Sequence[Part], seconds: float) -> Iterator[Part]:
    """Yield the telephone's own sounds: ringing and busy tones, the beep of a voicemail, ringing in a transfer."""
    first = min(turns, key=lambda turn: turn.start, default=None)
    if first is None:
        if log.status == "busy":
            yield from _bursts(CALLER, 0, seconds, tones.BUSY, _BUSY_S, _BUSY_S)
        else:
            yield from _bursts(CALLER, 0, seconds, tones.RINGING, _RING_S, _RING_PAUSE_S)
        return
    # The end of the ringing, on the channel of the side that picks up.
    yield Part(first.channel, 0, first.start * 3 / 5, signal=tones.RINGING)
    if log.status == "voicemail":
        yield from _beep(first, turns)
    yield from _transfer(log, max(turn.end for turn in turns), seconds)


def _beep(greeting: Part, turns: Sequence[Part]) -> Iterator[Part]:
    """Yield the beep after a voicemail's greeting, if there is time for it."""
    start = greeting.end + 0.05
    end = min([start + _BEEP_S, *(turn.start for turn in turns if turn.start >= greeting.end)])
    if end > start:
        yield Part(greeting.channel, start, end, signal=tones.BEEP)


def _transfer(log: VoiceLog, after: float, seconds: float) -> Iterator[Part]:
    """Yield the ringing until a person answers, or the busy tone. The log has no words of what follows."""
    events = log.transfer_data.get("transferEvents") if isinstance(log.transfer_data, dict) else None
    begin = _moment_or_none(log.start_time)
    if not isinstance(events, list) or begin is None:
        return
    times = {
        str(event.get("type")): _within((moment - begin).total_seconds(), seconds)
        for event in events
        if isinstance(event, dict) and (moment := _moment_or_none(event.get("timestamp"))) is not None
    }
    if "ringing" not in times:
        return
    start = max(times["ringing"], after)
    ends = (at for kind, at in times.items() if kind not in ("initiated", "ringing") and at >= start)
    end = min(ends, default=seconds)
    yield from _bursts(AGENT, start, end, tones.RINGING, _RING_S, _RING_PAUSE_S)
    if "busy" in times:
        yield from _bursts(AGENT, end, seconds, tones.BUSY, _BUSY_S, _BUSY_S)


def _moment_or_none(text: Any) -> datetime | None:
    try:
        return parse(text)
    except (TypeError, ValueError):
        return None


def _bursts(
    channel: int, start: float, end: float, hertz: tuple[int, ...], sound_s: float, pause_s: float
) -> Iterator[Part]:
    while start < end:
        yield Part(channel, start, min(start + sound_s, end), signal=hertz)
        start += sound_s + pause_s


def _voice(deployment: Deployment | None) -> tuple[str | None, str]:
    """Return the voice's id and the language of a deployment."""
    if deployment is None or deployment.type not in CHANNELS:
        return None, ""
    line = CHANNELS[deployment.type].find(id=deployment.id)
    config = getattr(line, "external_config", None) or {}
    language = config.get("language") or getattr(line, "language", None)
    voice = config.get("voiceId") or getattr(line, "voice_id", None)
    return voice, language if isinstance(language, str) else ""


# The sound


def _frames(
    call: AudibleCall, rate: int, turns: Iterator[Future[Speech]], go_on: Callable[[], object]
) -> Iterator[bytes]:
    """Yield the samples of both channels, interleaved, a second at a time."""
    total = round(call.seconds * rate)
    waiting = deque(call.parts)
    sounding: list[tuple[int, int, array[int]]] = []  # channel, first sample, samples
    for first in range(0, total, rate):
        go_on()
        end = min(first + rate, total)
        while waiting and round(waiting[0].start * rate) < end:
            part = waiting.popleft()
            start, samples = round(part.start * rate), _samples(part, rate, turns)
            sounding.append((part.channel, start, samples))
            sounding.append((1 - part.channel, start, tones.scale(samples, tones.OTHER_EAR)))
        channels = [tones.line_noise(first, end - first, channel) for channel in (AGENT, CALLER)]
        for channel, start, samples in sounding:
            begin, stop = max(start, first), min(start + len(samples), end)
            tones.mix(channels[channel], begin - first, samples[begin - start : stop - start])
        sounding = [each for each in sounding if each[1] + len(each[2]) > end]
        frames = tones.silence(2 * (end - first))
        frames[0::2], frames[1::2] = channels
        yield frames.tobytes()


def _samples(part: Part, rate: int, turns: Iterator[Future[Speech]]) -> array[int]:
    """Return the samples of a part. If it is a turn, `turns` yields its speech next."""
    count = round(part.end * rate) - round(part.start * rate)
    if not part.text:
        return tones.tone(part.signal, count, rate)
    speech = next(turns).result()
    if speech.rate != rate:
        raise SpeechFailed(f"its sample rate changed from {rate} to {speech.rate} Hz within the call")
    return tones.cut(speech.samples, count, rate)


def _speak_ahead(call: AudibleCall, voice: Voice) -> Generator[Future[Speech], None, None]:
    """Yield the speech of each turn, in order. A few turns are spoken at the same time, before they are needed."""
    with ThreadPoolExecutor(AT_ONCE, "dryline-speech") as threads:
        ahead: deque[Future[Speech]] = deque()
        try:
            for part in call.parts:
                if part.text:
                    speaker = call.speakers[part.channel]
                    ahead.append(threads.submit(voice.say, part.text, part.end - part.start, speaker))
                if len(ahead) > _AHEAD:
                    yield ahead.popleft()
            yield from ahead
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
