"""The types of a scenario's content: flows with their history, and businesses with their lines.

The programs are the files in `tools/flows/`, one a version.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FLOWS = Path(__file__).parent / "flows"


@dataclass(frozen=True)
class Checkpoint:
    """A checkpoint of a test: `condition` is the one of the flow that its callers want to meet."""

    name: str
    condition: str
    runs: int
    tolerance: int


@dataclass(frozen=True)
class Version:
    """A version of a flow: when it was committed, in days before now, with which message, and its file.

    `mistake` are a part of the program and what somebody wrote in its place. `usual` is the condition that most of its
    callers meet, if there is one. `checkpoints` are those of the line's test from this version on.
    """

    days: float
    message: str
    file: str
    mistake: tuple[str, str] = ("", "")
    usual: str = ""
    checkpoints: tuple[Checkpoint, ...] = ()

    @property
    def sound_code(self) -> str:
        """The program without the mistake."""
        return (_FLOWS / f"{self.file}.based").read_text()

    @property
    def code(self) -> str:
        """The program."""
        return self.sound_code.replace(*self.mistake)


@dataclass(frozen=True)
class Program:
    """A flow and its history, oldest first."""

    name: str
    label: str
    variables: dict[str, Any]
    versions: tuple[Version, ...]


@dataclass(frozen=True)
class Business:
    """A worker with its opening hours, its flow and phone line, and how many calls come in on a day."""

    name: str
    description: str
    tags: tuple[str, ...]
    zone: str
    hours: dict[str, str]
    program: Program
    line: dict[str, Any]
    calls_a_day: float
    parameters: dict[str, tuple[Any, str]] = field(default_factory=dict)


def criteria(*checks: tuple[str, str, str, float]) -> list[dict[str, Any]]:
    """Return one group of success criteria from (title, description, type, threshold)."""
    items = [dict(zip(("title", "description", "type", "threshold"), check, strict=True)) for check in checks]
    return [{"title": "Call quality", "description": "Judged after each call", "items": items}]


def extractions(**asked: tuple[str, str]) -> dict[str, Any]:
    """Return extraction definitions from (type, description)."""
    return {
        key: {"type": kind, "description": description, "required": kind == "boolean"}
        for key, (kind, description) in asked.items()
    }


def voice(id: str, model: str, **more: Any) -> dict[str, Any]:
    """Return the engine's settings of a line with these words."""
    return {"voiceId": id, "voiceModel": model, "language": "en-US", **more}


def week(days: str, friday: str | None = None, saturday: str = "closed") -> dict[str, str]:
    """Return opening hours, closed on Sundays."""
    hours = dict.fromkeys(("monday", "tuesday", "wednesday", "thursday"), days)
    return hours | {"friday": friday or days, "saturday": saturday, "sunday": "closed"}
