"""What is wrong with a flow's code, and where: in the words and lines of whoever wrote it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a flow's code. `line` and `column` count from 1, as editors do."""

    file: str
    line: int
    column: int
    sentence: str
    severity: Literal["error", "warning"] = "error"

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.severity}: {self.sentence}"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class CodeRefused(ValueError):
    """The code cannot run. `findings` say why; the message is the first of them."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(str(findings[0]))
        self.findings = findings


class Misplaced(Exception):
    """A fault met while the code is read, at an offset into it. The message is a sentence."""

    def __init__(self, offset: int, sentence: str) -> None:
        super().__init__(sentence)
        self.offset = offset
        self.sentence = sentence
