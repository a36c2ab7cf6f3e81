"""Template filters, which format values for a person."""

import json
import re
from datetime import timedelta
from typing import Any

from markupsafe import Markup

from dryline.blueprints.console.highlighting import highlight
from dryline.storage.current_world import current
from dryline.web.links import base_url
from dryline.world.clock import parse
from dryline.world.masking import mask_addresses
from dryline.world.outgoing import OWN_INBOX
from dryline.world.wording import count


def duration(seconds: float | None) -> str:
    """Format 125 as `2:05`."""
    if seconds is None:
        return "-"
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02}"


def day(stamp: str | None) -> str:
    """Format `2026-11-21T…` as `Sat 21 Nov`."""
    return parse(stamp).strftime("%a %-d %b") if stamp else "-"


def clock(stamp: str | None) -> str:
    """Return the time of day in UTC."""
    return stamp[11:19] if stamp else "-"


def remaining(stamp: str | None) -> str:
    """Format the time until a moment, as `23:59:59`."""
    if not stamp:
        return "-"
    seconds = max(0, int((parse(stamp) - current().now()).total_seconds()))
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def offset(ahead: timedelta) -> str:
    """Format a difference from real time in its two largest units, as `+1 d 2 h`; empty below two seconds."""
    seconds = round(abs(ahead.total_seconds()))
    if seconds < 2:
        return ""
    units = {"d": seconds // 86_400, "h": seconds // 3600 % 24, "min": seconds // 60 % 60, "s": seconds % 60}
    parts = [f"{number} {unit}" for unit, number in units.items() if number]
    sign = "+" if ahead > timedelta(0) else "-"
    return sign + " ".join(parts[:2])


def phone(text: Any) -> str:
    """Format `+12165550198` as `+1 216 555 0198`, also within a text. Numbers of other countries stay as they are."""
    return re.sub(r"(?<!\w)\+1(\d{3})(\d{3})(\d{4})(?!\d)", r"+1 \1 \2 \3", str(text or "-"))


# The colour of each status: an outcome's class in the style sheet. Others are grey.
_STATUS_COLOURS = {
    "completed": "completed delivered active passed ended ready available",
    "transferred": "transferred",
    "failed": "failed error cancelled",
    "voicemail": "voicemail",
    "running": "ringing in-progress processing running",
    "waiting": "pending queued waiting warning",
}
_COLOUR_OF = {word: colour for colour, words in _STATUS_COLOURS.items() for word in words.split()}


def in_words(status: Any) -> str:
    """Return a status as the pages write it: `IN_PROGRESS` and `in-progress` as `in progress`."""
    return str(status or "-").lower().replace("_", " ").replace("-", " ").strip() or "-"


def status_colour(status: str | None) -> str:
    """Return the class of a status in the style sheet."""
    return _COLOUR_OF.get(in_words(status).replace(" ", "-"), "")


def label(name: str) -> str:
    """Return the name of a member as a label: `maxCallDurationMs` as `Max call duration`."""
    return re.sub(r"(?<=[a-z])([A-Z])|_", r" \1", name.removesuffix("Ms")).lower().capitalize()


def in_text(value: Any, name: str = "") -> str:
    """Return a setting as a person writes it."""
    if value in (None, "", [], {}):
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if name.endswith("Ms") and isinstance(value, int | float):
        return f"{value / 60_000:g} min" if value >= 60_000 else f"{value / 1000:g} s"
    if isinstance(value, list):
        return ", ".join(in_text(one) for one in value)
    if isinstance(value, dict):
        if isinstance(value.get("url"), str):  # a webhook
            return address(value["url"])
        return "; ".join(f"{label(key)}: {in_text(one, key)}" for key, one in value.items())
    return phone(value) if isinstance(value, str) else str(value)


def in_cell(value: Any) -> str:
    """Return a value of a table: a text as it is, anything else as JSON."""
    if value is None:
        return "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def address(url: str) -> str:
    """Return an address without credentials; that of the inbox, which holds wherever the server is, as it is here."""
    inbox = f"http://{OWN_INBOX}/"
    if url.startswith(inbox):
        url = f"{base_url()}/{url.removeprefix(inbox)}"
    return mask_addresses(url)


def pretty(value: Any) -> str:
    """Format a value as indented JSON."""
    return json.dumps(value, indent=2, ensure_ascii=False)


def shortened(path: str) -> str:
    """Return a path with the middle of its ids left out, as `worker_1000…eb3a`."""
    return "/".join(map(_shortened_segment, path.split("/")))


def _shortened_segment(segment: str) -> str:
    prefix, underscore, rest = segment.rpartition("_")
    return f"{prefix}_{rest[:4]}…{rest[-4:]}" if underscore and len(rest) >= 24 else segment


def coloured(text: str) -> Markup:
    """Return JSON as HTML with colours."""
    return Markup("\n").join(highlight(text))


FILTERS = {
    function.__name__: function
    for function in (
        *(duration, day, clock, remaining, phone, in_words, label, in_text, in_cell, status_colour, shortened),
        *(pretty, coloured, count, address),
    )
}
