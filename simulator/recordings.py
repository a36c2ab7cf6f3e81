"""The recording of a call: two channels, agent and caller, as long as the call, each turn where `messages` has it.

It is made from the log alone and from the language and voice of its deployment, a second at a time: a long call takes
no more memory than a short one, and the same call gives the same bytes.
"""

from __future__ import annotations

import wave
from array import array
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import IO, Any, NamedTuple

from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import CHANNELS
from dryline.models.voice_logs import VoiceLog
from dryline.simulator import sounds
from dryline.simulator.sounds import RATE
from dryline.simulator.voices import Speaker, Voice, speakers
from dryline.world.clock import parse

AGENT, CALLER = 0, 1  # the channels: left and right
SIDE_BY_SIDE = 4  # turns that are spoken at the same time
# What is longer, of a call or a turn, is cut there; only a state document made by hand has such.
LONGEST_S, LONGEST_TURN_S = 2 * 3600, 300
_FORM = 1  # of the sound that is made: another number has all files made anew
_ROLES = {"assistant": AGENT, "agent": AGENT, "user": CALLER, "caller": CALLER}
_AHEAD = 2 * SIDE_BY_SIDE  # turns that are spoken before their time, and held in memory
_RING_S, _RING_PAUSE_S, _BUSY_S, _BEEP_S = 2.0, 4.0, 0.5, 0.25


class Part(NamedTuple):
    """Sound on one channel from sample `start` up to `end`."""

    channel: int
    start: int
    end: int
    text: str | None  # that is said, or
    signal: tuple[int, ...] = ()  # the hertz of a signal


@dataclass(frozen=True)
class Call:
    """What of a call is heard: `frames` samples a channel, the parts in order of their start."""

    frames: int
    parts: tuple[Part, ...]
    speakers: tuple[Speaker, Speaker]

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return 44 + 4 * self.frames

    def mark(self, voice: Voice) -> str:
        """A short text that is another one where the file is another one."""
        return sha256(repr((_FORM, self, voice.mark)).encode(errors="replace")).hexdigest()[:16]


def call_of(log: VoiceLog) -> Call:
    """The call behind a log, also where a document made by hand left its log in some disorder."""
    frames = round(_seconds(log) * RATE)
    turns = list(_turns(log, frames))
    parts = sorted([*turns, *_signals(log, turns, frames)], key=lambda part: (part.start, part.channel))
    deployment = Deployment.find(id=log.deployment_id, team_id=log.team_id) if log.deployment_id else None
    voice, language = _voice(deployment)
    caller = log.to_number if log.direction == "outbound" else log.from_number
    return Call(frames, tuple(parts), speakers(voice or log.deployment_id or "", caller or "", language))


def write(call: Call, file: IO[bytes], voice: Voice, go_on: Callable[[], object]) -> None:
    """Write the call as a WAV file, spoken by `voice`. `go_on` is called every second of it; it may raise.

    Raises SpeechFailed, and OSError.
    """
    with wave.open(file, "wb") as out:
        out.setnchannels(2)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.setnframes(call.frames)
        for frames in _frames(call, voice, go_on):
            out.writeframesraw(frames)


# What there is to hear


def _seconds(log: VoiceLog) -> float:
    """How long the call is: its duration, else from its start to its end."""
    seconds: Any = log.duration
    if seconds is None and log.start_time and log.end_time:
        seconds = (parse(log.end_time) - parse(log.start_time)).total_seconds()
    return min(max(seconds or 0, 0), LONGEST_S)


def _turns(log: VoiceLog, frames: int) -> Iterator[Part]:
    """The turns of `messages`. On one channel a turn ends where the next one begins.

    Without times, as where a document made by hand has none, they share the call by their length.
    """
    messages = log.messages.get("messages") if isinstance(log.messages, dict) else None
    said = [each for each in messages if _is_said(each)] if isinstance(messages, list) else []
    if not all(_is_time(each.get("start")) and _is_time(each.get("end")) for each in said):
        said = _spread(said, frames / RATE)
    borders = [(_ROLES[each["role"]], _at(each["start"], frames), _at(each["end"], frames)) for each in said]
    starts = {
        channel: sorted({start for which, start, _ in borders if which == channel}) for channel in (AGENT, CALLER)
    }
    for (channel, start, end), each in zip(borders, said, strict=True):
        behind = bisect_left(starts[channel], start) + 1
        if behind < len(starts[channel]):
            end = min(end, starts[channel][behind])
        end = min(end, start + LONGEST_TURN_S * RATE)
        if end > start:
            yield Part(channel, start, end, each["content"])


def _is_said(message: Any) -> bool:
    if not isinstance(message, dict):
        return False
    role, content = message.get("role"), message.get("content")
    return isinstance(role, str) and role in _ROLES and isinstance(content, str)


def _is_time(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _spread(said: Sequence[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    lengths = [len(each["content"]) + 8 for each in said]
    scale = seconds / sum(lengths) if said else 0.0
    spread, at = [], 0
    for each, length in zip(said, lengths, strict=True):
        spread.append({**each, "start": (at + 5) * scale, "end": (at + length) * scale})
        at += length
    return spread


def _at(seconds: float, frames: int) -> int:
    """The sample at which these seconds are over, within the call."""
    return round(min(max(seconds * RATE, 0), frames))


def _signals(log: VoiceLog, turns: Sequence[Part], frames: int) -> Iterator[Part]:
    """The telephone's own sounds: until somebody answers, a voicemail's beep, a person being called to take over."""
    first = min(turns, key=lambda turn: turn.start, default=None)
    if first is None:
        if log.status == "busy":
            yield from _bursts(CALLER, 0, frames, sounds.BUSY, _BUSY_S, _BUSY_S)
        else:
            yield from _bursts(CALLER, 0, frames, sounds.RINGING, _RING_S, _RING_PAUSE_S)
        return
    # The end of the ringing, on the channel of whoever picks up.
    yield Part(first.channel, 0, first.start * 3 // 5, None, sounds.RINGING)
    if log.status == "voicemail":
        yield from _beep(first, turns)
    yield from _handover(log, max(turn.end for turn in turns), frames)


def _beep(greeting: Part, turns: Sequence[Part]) -> Iterator[Part]:
    """Behind the greeting of a voicemail, if it leaves room."""
    start = greeting.end + RATE // 20
    end = min([start + int(_BEEP_S * RATE), *(turn.start for turn in turns if turn.start >= greeting.end)])
    if end > start:
        yield Part(greeting.channel, start, end, None, sounds.BEEP)


def _handover(log: VoiceLog, after: int, frames: int) -> Iterator[Part]:
    """Ringing until a person takes over, and the busy tone where nobody can. What the two say is not known."""
    events = log.transfer_data.get("transferEvents") if isinstance(log.transfer_data, dict) else None
    begin = _moment(log.start_time)
    if not isinstance(events, list) or begin is None:
        return
    moments = {
        str(event.get("type")): _at((moment - begin).total_seconds(), frames)
        for event in events
        if isinstance(event, dict) and (moment := _moment(event.get("timestamp"))) is not None
    }
    rings = moments.get("ringing")
    if rings is None:
        return
    start = max(rings, after)
    ends = [at for kind, at in moments.items() if kind not in ("initiated", "ringing") and at >= start]
    end = min(ends, default=frames)
    yield from _bursts(AGENT, start, end, sounds.RINGING, _RING_S, _RING_PAUSE_S)
    if "busy" in moments:
        yield from _bursts(AGENT, end, frames, sounds.BUSY, _BUSY_S, _BUSY_S)


def _moment(text: Any) -> datetime | None:
    try:
        return parse(text)
    except (TypeError, ValueError):
        return None


def _bursts(
    channel: int, start: int, end: int, hertz: tuple[int, ...], sound_s: float, pause_s: float
) -> Iterator[Part]:
    for at in range(start, end, int((sound_s + pause_s) * RATE)):
        yield Part(channel, at, min(at + int(sound_s * RATE), end), None, hertz)


def _voice(deployment: Deployment | None) -> tuple[str | None, str]:
    """The voice's id and the language of a deployment, of whichever kind."""
    if deployment is None or deployment.type not in CHANNELS:
        return None, ""
    line = CHANNELS[deployment.type].find(id=deployment.id)
    config = getattr(line, "external_config", None) or {}
    language = config.get("language") or getattr(line, "language", None)
    voice = config.get("voiceId") or getattr(line, "voice_id", None)
    return voice, language if isinstance(language, str) else ""


# How it is made to sound


def _frames(call: Call, voice: Voice, go_on: Callable[[], object]) -> Iterator[bytes]:
    """The samples of both channels in turn, a second at a time."""
    coming = _made(call, voice)
    try:
        following = next(coming, None)
        sounding: list[tuple[Part, array[int]]] = []
        for first in range(0, call.frames, RATE):
            go_on()
            count = min(RATE, call.frames - first)
            while following is not None and following[0].start < first + count:
                sounding.append((following[0], following[1].result()))
                following = next(coming, None)
            channels = (sounds.silence(count), sounds.silence(count))
            for part, samples in sounding:
                start, end = max(part.start, first), min(part.end, first + count)
                channels[part.channel][start - first : end - first] = samples[start - part.start : end - part.start]
            sounding = [(part, samples) for part, samples in sounding if part.end > first + count]
            frames = sounds.silence(2 * count)
            frames[0::2], frames[1::2] = channels
            yield frames.tobytes()
    finally:
        coming.close()


def _made(call: Call, voice: Voice) -> Generator[tuple[Part, Future[array[int]]], None, None]:
    """The parts in their order, a few of them made at the same time, ahead of what is asked for."""

    def sound(part: Part) -> array[int]:
        count = part.end - part.start
        if part.text is None:
            return sounds.tone(part.signal, count)
        return voice.say(part.text, count, call.speakers[part.channel])

    with ThreadPoolExecutor(SIDE_BY_SIDE, "dryline-speech") as threads:
        ahead: deque[tuple[Part, Future[array[int]]]] = deque()
        try:
            for part in call.parts:
                ahead.append((part, threads.submit(sound, part)))
                if len(ahead) > _AHEAD:
                    yield ahead.popleft()
            yield from ahead
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
