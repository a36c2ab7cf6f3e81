"""Takes what is personal out of a state document: numbers become others, words become blanks, the shape stays."""

from __future__ import annotations

import hashlib
import re
from typing import Any

PHONE = re.compile(r"\+[1-9]\d{6,14}")
REDACTED = "[redacted]"

# Members of logs whose texts are somebody's words, names or recordings.
WORDS = {"transcription", "userName", "userEmail", "userId", "feedback", "recordingUrl", "callerName"}
# Members of logs in which every text is masked; keys, numbers and flags stay.
DEEP = {"messages", "extractionsData", "sessionLogData", "metadata", "data", "successResults", "toolCalls"}
# Texts that tell a form, not a person.
KEEP = {"role", "type", "name", "status", "speaker", "timestamp", "id", "callId", "startTime", "endTime"}
LOGS = ("voiceLogs", "chatLogs", "chatEmbedLogs", "smsLogs", "whatsappLogs")


def redact(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every phone number replaced by one that stands for it throughout, and with the words of its
    conversations masked.
    """
    for name in LOGS:
        document[name] = [_log(row) for row in document.get(name, [])]
    return _numbers(document)


def _log(row: dict[str, Any]) -> dict[str, Any]:
    masked = dict(row)
    for name, value in row.items():
        if name in WORDS and value is not None:
            masked[name] = REDACTED
        elif name in DEEP:
            masked[name] = _texts(value)
    return masked


def _texts(value: Any, key: str = "") -> Any:
    if isinstance(value, dict):
        return {name: _texts(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [_texts(inner, key) for inner in value]
    return REDACTED if isinstance(value, str) and key not in KEEP else value


def _numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _numbers(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_numbers(inner) for inner in value]
    return PHONE.sub(lambda match: stand_in(match[0]), value) if isinstance(value, str) else value


def stand_in(number: str) -> str:
    """A number that stands for this one: always the same, in the range kept for fiction where it can be (+1 555)."""
    digits = int(hashlib.sha256(number.encode()).hexdigest(), 16) % 10_000_000
    return f"+1555{digits:07d}"
