"""Removal of personal data from rows of a state document. The structure and the links stay.

In conversations a value is judged by its form, whatever its name: it stays only if it identifies nobody. All other rows
are a team's own configuration: telephone numbers, e-mail addresses and social security numbers are replaced in their
texts.
"""

import hashlib
import hmac
import re
from functools import cache
from typing import Any

from dryline.models.channels import CHANNELS
from dryline.models.numbering import e164
from dryline.state.collections import COLLECTIONS
from dryline.state.parsing import row_schemas

Row = dict[str, Any]

REDACTED = "[redacted]"
# Replacements of telephone numbers: the area code 555 is not assigned.
PREFIX, REPLACEMENTS = "+1555", 10_000_000

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
# The ids of the API (worker_<uuid>) and of the carrier (CA and 32 hex digits).
_ID = rf"(?:(?:[a-z]{{1,20}}_)?{_UUID}|[A-Z]{{2}}[0-9a-f]{{32}})"
_TIME = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
ID = re.compile(_ID)
TIME = re.compile(_TIME)
# Digits that are no telephone number, although they may look like one.
OPAQUE = re.compile(rf"(?<![\w-])({_ID}|{_TIME})(?![\w-])")
# Bounded, so that a megabyte without an @ is read but once.
EMAIL = re.compile(r"[\w.%+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
SOCIAL_SECURITY = re.compile(r"(?<![\w-])\d{3}[- ]\d{2}[- ]\d{4}(?![\w-])")
# Nine to fifteen digits in any notation. Fewer can be anything.
NUMBER = re.compile(r"(?<![\w.,])(?:00|[+(]{1,2})?\d(?:[ ().\-/]{0,3}\d){8,14}(?!\w|[.,]\d)")
WORD = re.compile(r"[A-Za-z][\w-]{0,29}")
MEASUREMENT = re.compile(r"-?\d{1,4}(?:\.\d{1,6})?")
SMALL = 10_000

# Words of conversations that name a kind, never a person.
_kinds = """
user assistant agent caller human bot system tool function message text audio completed transferred voicemail no-answer
busy failed in-progress ringing queued initiated answered canceled inbound outbound success error ok true false positive
negative neutral binary score
"""
KINDS = frozenset(_kinds.split())

LOGS = frozenset(channel.collection for channel in CHANNELS)
# Members of a log, by what the API says they are:
TIMES = frozenset({"createdAt", "updatedAt", "startTime", "endTime"})
COUNTS = frozenset({"duration", "messageCount", "rating"})
STATES = frozenset({"type", "status", "direction", "Telephony_source"})
FOREIGN_IDS = frozenset({"externalCallId", "call_sid", "bbEngineSessionId", "sessionId", "userId"})
# JSON that the service itself writes: its times and small numbers are measurements. In all other JSON they are answers.
MEASURED = frozenset({"messages", "data", "latency", "sessionLogData", "transferData", "successResults"})
# Members of any row:
NUMBERS = frozenset({"fromNumber", "toNumber", "phoneNumber", "backupPhoneNumber"})
SECRETS = frozenset({"callerName", "twilioSubaccountAuthToken"})


@cache
def link_members(collection: str) -> frozenset[str]:
    """Return the members that identify a row or link it to others, as the state document knows them."""
    schema, about = row_schemas()[collection], COLLECTIONS[collection]
    columns = {"id", "team_id", *about.required_links, *about.optional_links}
    return frozenset({"teamId", *(name for name, column in schema.names.items() if column in columns)})


class Redactor:
    """Replaces equal values by equal replacements, which only the owner of `secret` can compute."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self._numbers: dict[str, str] = {}  # replacements, by the number in one notation

    def redacted_row(self, collection: str, row: Row) -> Row:
        """Return the row without personal data."""
        redact = self._redact_log_member if collection in LOGS else self._redact_configuration_member
        link_names = link_members(collection)
        redacted: Row = {}
        for name, value in row.items():
            is_link = name in link_names and isinstance(value, str)
            redacted[name] = value if value is None or is_link else redact(name, value)
        return redacted

    def _redact_log_member(self, name: str, value: Any) -> Any:
        if isinstance(value, str):
            if name in NUMBERS:
                return self._replace_phone_number(value)
            if name in FOREIGN_IDS:
                return value if ID.fullmatch(value) else f"id_{self._digest(value)[:16]}"
            if (name in STATES and WORD.fullmatch(value)) or (name in TIMES and TIME.fullmatch(value)):
                return value
            if name == "flowSnapshot":  # the flow's code
                return self._redact_text(value)
        elif name in COUNTS and isinstance(value, int):
            return value
        return self._redact_conversation_value(value, name in MEASURED)

    def _redact_configuration_member(self, name: str, value: Any) -> Any:
        if name in SECRETS:
            return REDACTED
        if name in NUMBERS and isinstance(value, str):
            return self._replace_phone_number(value)
        return self._redact_configuration_value(value)

    def _redact_conversation_value(self, value: Any, is_measured: bool) -> Any:
        """Return a value of a conversation, or of what was known about its caller, without personal data."""
        if isinstance(value, list):
            return [self._redact_conversation_value(inner, is_measured) for inner in value]
        if isinstance(value, dict):
            return {
                self._redact_text(name): self._redact_conversation_value(inner, is_measured)
                for name, inner in value.items()
            }
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            replaced = self._replace_json_number(value)
            if replaced != value:
                return replaced
            return value if is_measured and abs(value) < SMALL else 0
        is_measurement = is_measured and (TIME.fullmatch(value) or MEASUREMENT.fullmatch(value))
        if value == "" or value.lower() in KINDS or ID.fullmatch(value) or is_measurement:
            return value
        if EMAIL.fullmatch(value):
            return self._replace_email(value)
        return self._replace_phone_number(value) if NUMBER.fullmatch(value.removeprefix("tel:")) else REDACTED

    def _redact_configuration_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._redact_configuration_value(inner) for inner in value]
        if isinstance(value, dict):
            return {self._redact_text(name): self._redact_configuration_value(inner) for name, inner in value.items()}
        return self._redact_text(value) if isinstance(value, str) else self._replace_json_number(value)

    def _redact_text(self, text: str) -> str:
        """Return the text without telephone numbers, addresses and social security numbers."""
        pieces = OPAQUE.split(text)
        for index in range(0, len(pieces), 2):  # the pieces between are ids and times
            piece = pieces[index]
            if "@" in piece:
                piece = EMAIL.sub(lambda match: self._replace_email(match[0]), piece)
            piece = SOCIAL_SECURITY.sub(REDACTED, piece)
            pieces[index] = NUMBER.sub(lambda match: self._replace_phone_number(match[0]), piece)
        return "".join(pieces)

    def _replace_json_number(self, value: Any) -> Any:
        """Return the replacement of a JSON number that can be a telephone number, and other values as they are."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool) and 10**9 <= value < 10**15
        return int(self._replace_phone_number(f"{value:.0f}")) if is_number else value

    def _replace_phone_number(self, number: str) -> str:
        """Return the replacement of a telephone number: the same in every notation, another one for each number."""
        digits = "".join(filter(str.isdigit, number))
        in_one_notation = e164(number) or e164(f"+{digits}") or number
        digest = self._digest(in_one_notation)
        if digest not in self._numbers:
            suffix = int(digest, 16) % REPLACEMENTS
            taken = set(self._numbers.values())
            while f"{PREFIX}{suffix:07}" in taken:
                suffix = (suffix + 1) % REPLACEMENTS
            self._numbers[digest] = f"{PREFIX}{suffix:07}"
        return self._numbers[digest]

    def _replace_email(self, email: str) -> str:
        return f"{self._digest(email.lower())[:12]}@example.invalid"

    def _digest(self, text: str) -> str:
        return hmac.new(self._secret, text.encode(), hashlib.sha256).hexdigest()
