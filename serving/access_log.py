"""What a running server says: a line a request and for each thing that moves by itself, as text or as JSON.

A thread makes the lines from the request log, five times a second, so that no request waits for them.
"""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from functools import partial
from io import BytesIO, RawIOBase
from typing import Any, Self

import orjson

from dryline.serving.log_setup import json_line
from dryline.traffic.request_log import Entry
from dryline.world.events import Happening
from dryline.world.world import World

# How often a look is taken, in seconds.
LOOK_EVERY_S = 0.2
# Lines of text that one look shows: nobody reads a thousand a second, and each costs what a request could have.
MOST_LINES = 100
_LONGEST_TEXT = 120

_RESET, _DIM, _RED, _GREEN, _YELLOW, _MAGENTA = (f"\033[{code}m" for code in (0, 2, 31, 32, 33, 35))


class Reporter:
    """Writes the lines of one world to a stream, for a block."""

    # How long an end waits for a stream that takes nothing, such as a pipe that nobody reads, in seconds.
    PATIENCE_S = 0.5

    def __init__(self, world: World, form: str, stream: RawIOBase | BytesIO) -> None:
        self._world, self._stream = world, stream
        self._queue, self._seen = world.requests.subscribe(), world.requests.count
        self._write: Callable[[list[Entry | Happening], int], Iterable[str]] = (
            self._objects if form == "json" else self._lines
        )
        self._coloured = _may_colour(self._stream)
        node = world.settings.node
        self._where, self._node = (f" {node}", {"node": node}) if node else ("", {})
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._loop, name="dryline-log", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._ending.set()
        self._thread.join(self.PATIENCE_S)

    def _loop(self) -> None:
        # A stream that takes no more (a closed pipe) ends this, and nothing else.
        with suppress(OSError), self._stream:
            while not self._ending.wait(LOOK_EVERY_S):
                self.look()
            self.look()

    def look(self) -> None:
        """Say what happened since the last look."""
        news = self._world.news.take()
        entries = [self._queue.popleft() for _ in range(len(self._queue))]
        if not entries and not news:
            return
        unseen = entries[-1].number - self._seen - len(entries) if entries else 0
        self._seen += unseen + len(entries)
        both: list[Entry | Happening] = [*entries, *news]
        both.sort(key=_when)
        self._stream.write("".join(f"{line}\n" for line in self._write(both, unseen)).encode(errors="replace"))

    # Text

    def _lines(self, both: list[Entry | Happening], unseen: int) -> Iterable[str]:
        shown = both
        if len(both) > MOST_LINES:  # then what went wrong goes before
            chosen = sorted(both, key=_is_well)[:MOST_LINES]
            shown = sorted(chosen, key=_when)
        for one in shown:
            yield self._request(one) if isinstance(one, Entry) else self._happening(one)
        if more := unseen + len(both) - len(shown):
            yield self._colour(_DIM, f"         … and {more:,} more: GET /_dryline/requests")

    def _request(self, entry: Entry) -> str:
        query = f"?{entry.query}" if entry.query else ""
        note = printable(first_error(entry))
        if entry.fault_id is not None:
            note = self._colour(_MAGENTA, f"[fault: {printable(self._fault(entry.fault_id))}]")
        colour = _GREEN if _is_well(entry) else _YELLOW if (entry.status or 999) < 500 else _RED
        path, paint = entry.path + query, partial(self._colour, colour)
        when = self._clock(entry.answered_at)
        return request_line(when, entry.method, path, entry.status, entry.duration_ms, note, paint)

    def _happening(self, news: Happening) -> str:
        text = printable(news.text)
        return f"{self._clock(news.at)} {self._colour(_RED, text) if news.bad else text}"

    def _clock(self, at: float) -> str:
        return self._colour(_DIM, f"{datetime.fromtimestamp(at):%H:%M:%S}{self._where}")

    def _colour(self, code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if self._coloured else text

    def _fault(self, id: str) -> str:
        """What it does, while its rule stands."""
        rule = self._world.faults.by_id(id)
        return rule.in_words() if rule else id

    # JSON

    def _objects(self, both: list[Entry | Happening], unseen: int) -> Iterable[str]:
        for one in both:
            facts = self._request_facts(one) if isinstance(one, Entry) else _happening_facts(one)
            yield json_line(**facts | self._node)
        if unseen:
            told = f"{unseen} requests came too fast to be told."
            yield json_line(time.time(), "WARNING", told, **self._node)

    def _request_facts(self, entry: Entry) -> dict[str, Any]:
        facts: dict[str, Any] = {
            "at": entry.answered_at,
            "level": "INFO" if _is_well(entry) else "WARNING",
            "message": f"{entry.method} {entry.path} {entry.status or 'cut'}",
            "method": entry.method,
            "path": entry.path,
            "query": entry.query,
            "status": entry.status,
            "durationMs": entry.duration_ms,
            "teamId": entry.team_id,
        }
        if error := first_error(entry):
            facts["error"] = error
        if entry.fault_id is not None:
            facts |= {"faultId": entry.fault_id, "fault": self._fault(entry.fault_id)}
        return facts


def request_line(
    when: str,
    method: str,
    path: str,
    status: int | None,
    duration_ms: float,
    note: str,
    paint: Callable[[str], str] = str,
) -> str:
    """A request in a line for a person; `paint` colours its status."""
    shown = paint("cut" if status is None else str(status))
    line = f"{when} {printable(method):<6} {printable(path)} {shown} {duration_ms:.0f} ms"
    return f"{line}  {note}" if note else line


def first_error(entry: Entry) -> str:
    """What an answer of 400 or above says went wrong; empty where it says nothing."""
    if (entry.status or 0) < 400 or not entry.answer:
        return ""
    try:
        return str(orjson.loads(entry.answer)["error"])
    except (ValueError, TypeError, KeyError):
        return ""


def _is_well(one: Entry | Happening) -> bool:
    if isinstance(one, Happening):
        return not one.bad
    return one.status is not None and one.status < 400 and one.fault_id is None


def _when(one: Entry | Happening) -> float:
    return one.at if isinstance(one, Happening) else one.answered_at


def _happening_facts(news: Happening) -> dict[str, Any]:
    return {
        "at": news.at,
        "level": "WARNING" if news.bad else "INFO",
        "message": " ".join(news.text.split()),
        **news.facts,
    }


def printable(text: str) -> str:
    """Text as a terminal may have it: what is sent could otherwise steer it."""
    if not text.isprintable():
        text = re.sub(r"\s+", " ", text)
        text = "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def _may_colour(stream: RawIOBase | BytesIO) -> bool:
    """On a terminal that has colours, unless its user wants none (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
