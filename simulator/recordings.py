"""The recording of a call as a WAV file: two channels, agent and caller, with each turn at its time in `messages`.

The file depends on nothing but the log and its deployment's language and voice, so that the same call has the same
bytes. It is as long as the call.
"""

import wave
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import IO, Any, NamedTuple

from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import CHANNELS
from dryline.models.voice_logs import VoiceLog
from dryline.simulator.speech import RATE, Speaker, Voice, printable, speakers
from dryline.world.clock import parse

AGENT, CALLER = 0, 1  # the channels: left and right
# A longer call or turn, which only a state document written by hand can have, is cut off.
LONGEST_S, LONGEST_TURN_S = 2 * 3600, 300
_VERSION = 5  # of the sound: a new number has all files made again
_ROLES = {"assistant": AGENT, "agent": AGENT, "user": CALLER, "caller": CALLER}
_FRAME_BYTES = 4
_PAUSE = 5  # before a turn without times, in characters


class AudibleTurn(NamedTuple):
    """An utterance on one channel, from second `start` to second `end` of the call."""

    start: float
    channel: int
    end: float
    text: str


@dataclass(frozen=True)
class AudibleCall:
    """The turns of a call, in the order of their start."""

    seconds: float
    turns: tuple[AudibleTurn, ...]
    speakers: tuple[Speaker, Speaker]

    def mark(self, voice: Voice) -> str:
        """Return a short hash of all that the file depends on."""
        return sha256(repr((_VERSION, self, voice.mark)).encode(errors="replace")).hexdigest()[:16]


def call_of(log: VoiceLog) -> AudibleCall:
    """Return the call of a log. Of an inconsistent log, which a state document can have, it takes what it can."""
    seconds = _seconds(log)
    deployment = Deployment.find(id=log.deployment_id, team_id=log.team_id) if log.deployment_id else None
    caller = log.to_number if log.direction == "outbound" else log.from_number
    both = speakers_of(deployment, caller or "", log.deployment_id or "")
    return AudibleCall(seconds, tuple(sorted(_turns(log, seconds))), both)


def speakers_of(deployment: Deployment | None, caller: str, otherwise: str) -> tuple[Speaker, Speaker]:
    """Return agent and caller of a deployment's calls. `otherwise` stands for the voice of one that names none."""
    model = CHANNELS.get(deployment.type) if deployment else None
    line = model.find(id=deployment.id) if deployment and model else None
    config = getattr(line, "external_config", None) or {}
    voice = config.get("voiceId") or getattr(line, "voice_id", None)
    language = config.get("language") or getattr(line, "language", None)
    return speakers(voice or otherwise, caller, language if isinstance(language, str) else "")


def write(call: AudibleCall, file: IO[bytes], voice: Voice, check: Callable[[], object]) -> None:
    """Write the call as a WAV file. Raises SpeechFailed, OSError, and what `check` raises before a turn.

    Each turn replaces a part of the silence. One that takes longer than its time ends where the next turn begins.
    """
    total = round(call.seconds * RATE)
    with wave.open(file, "wb") as out:
        out.setparams((2, 2, RATE, 0, "NONE", ""))
        for first in range(0, total, RATE):
            out.writeframesraw(bytes(_FRAME_BYTES * min(RATE, total - first)))
    header = file.tell() - _FRAME_BYTES * total
    following, of_speaker = total, [total, total]  # the first sample of the next turn, of both and by channel
    for turn in reversed(call.turns):
        check()
        first = round(turn.start * RATE)
        last = min(max(round(turn.end * RATE), following), of_speaker[turn.channel])
        samples = voice.say(turn.text, turn.end - turn.start, call.speakers[turn.channel])[: last - first]
        file.seek(header + _FRAME_BYTES * first)
        frames = array("h", file.read(_FRAME_BYTES * len(samples)))
        frames[turn.channel :: 2] = samples
        file.seek(header + _FRAME_BYTES * first)
        file.write(frames.tobytes())
        following = of_speaker[turn.channel] = first


def _seconds(log: VoiceLog) -> float:
    """Return the call's duration, or else the time from its start to its end."""
    seconds: Any = log.duration
    if seconds is None and log.start_time and log.end_time:
        seconds = (parse(log.end_time) - parse(log.start_time)).total_seconds()
    return min(max(seconds or 0, 0), LONGEST_S)


def _turns(log: VoiceLog, seconds: float) -> Iterator[AudibleTurn]:
    """Yield the turns of `messages`. When turns lack times, they share the call by their length."""
    turns = [message for message in log.said if message["role"] in _ROLES and isinstance(message.get("content"), str)]
    if any(turn.get("start") is None or turn.get("end") is None for turn in turns):
        turns = _spread(turns, seconds)
    for turn in turns:
        start, end = (min(max(turn[name], 0), seconds) for name in ("start", "end"))
        text = printable(turn["content"])
        if text and end > start:
            yield AudibleTurn(start, _ROLES[turn["role"]], min(end, start + LONGEST_TURN_S), text)


def _spread(turns: Sequence[dict[str, Any]], seconds: float) -> list[dict[str, Any]]:
    """Return the turns with times: each has a share of the call by its characters, after a pause of some."""
    ends = [*accumulate((len(turn["content"]) + _PAUSE for turn in turns), initial=0)]
    scale = seconds / max(ends[-1], 1)
    times = zip(turns, pairwise(ends), strict=True)
    return [turn | {"start": (start + _PAUSE) * scale, "end": end * scale} for turn, (start, end) in times]
