"""The request log as text, for the report of a failing test and the message of a failed check."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from dryline.testing.plane import DrylineError
from dryline.world.origins import UNSEARCHED
from dryline.world.wording import count

if TYPE_CHECKING:
    from dryline.testing.rows import Delivery, FaultRule, LoggedRequest
    from dryline.testing.stand_in import Driver

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How many characters of a body a line shows.
BODY_CHARACTERS = 200


def report_sections(world: Driver, newest: int) -> list[tuple[str, str]]:
    """Return the sections of a failing test's report: the newest requests, and webhooks that did not arrive."""
    name, requests = str(world)[1:-1], world.journal(newest)
    whole = getattr(world, "stand_in", world)  # of a team
    time = whole.plane("GET", "/clock")
    frozen = f", its clock frozen at {time['now']}" if time["frozen"] else ""
    deliveries: list[Delivery] = whole.plane("GET", "/webhooks", query={"limit": newest})
    shown = [row for row in reversed(deliveries) if row["status"] != "DELIVERED" or row["unknownFields"]]
    lines = [_delivery_line(row) for row in shown]
    webhooks = [(f"Webhooks of {str(whole)[1:-1]}", "\n".join(lines))] if lines else []
    return [(f"Requests to {name}{frozen}", requests), *webhooks]


def _delivery_line(row: Delivery) -> str:
    line = f"{row['event']} {row['request']['method']} {row['request']['url']} {row['status']}"
    if row["attempts"]:
        line += f" after {count(row['attempts'], 'attempt')}"
    if row["status"] == "PENDING":
        line += f", due at {row['dueAt']}"
    if row["error"]:
        line += f": {row['error']}"
    if row["unknownFields"]:
        line += f"  no such fields: {', '.join(row['unknownFields'])}"
    return line


def format_unused_fault(world: Driver, rule: FaultRule) -> str:
    """Return why a test fails whose rule was not applied, with the requests that came nearest."""
    route = {name: value for name, value in (("method", rule["method"]), ("path", rule["path"])) if value != "*"}
    content = {"json": rule["json"], "query": rule["query"], "headers": rule["requestHeaders"]}
    content |= {"bodyContains": rule["bodyContains"]}
    content = {name: value for name, value in content.items() if value is not None}
    target = " ".join(route.values()) or "every request"
    applied = f"applied {rule['hits']} of {rule['times']} times" if rule["times"] else "never applied"
    lines = [f"The fault on {target} was {applied}. If that is meant, pass unused_ok=True to fault()."]
    if content:
        lines.append(_criteria_line(route | content))
    if spared := rule["matches"] - rule["hits"]:
        lines.append(
            f"{count(spared, 'request')} matched, and skip, probability, rate_limit or another fault spared it."
        )
    # The server names the nearest requests when a check fails, and so many requests there never are.
    failing_check = route | content | {"times": {"min": 1_000_000}}
    try:
        world.plane("POST", "/requests/verify", failing_check, query={"team": rule["teamId"]})
    except DrylineError as error:
        lines += _nearest_requests(error.answer)
    return "\n  ".join(lines)


def format_ignored(ignored: list[list[str]]) -> str:
    """Return the line of a session about requests with names that the API does not have."""
    names = ", ".join(sorted({name for names in ignored for name in names}))
    return (
        f"dryline: {count(len(ignored), 'request')} had members or parameters that the API does not have: {names}. "
        "dryline_strict refuses them."
    )


def format_requests(entries: list[LoggedRequest], newest: int) -> str:
    """Return entries of the request log, which come newest first, as lines with the oldest first."""
    if not entries:
        return "No request came in."
    lines = [format_request(entry) for entry in reversed(entries)]
    if len(entries) == newest:
        lines.insert(0, f"(the newest {newest})")
    return "\n".join(lines)


def format_request(entry: LoggedRequest) -> str:
    """Return an entry of the request log as a line."""
    time_of_day = (entry["answeredAt"] or entry["time"])[11:23]
    parts = [time_of_day, entry["method"], _path_with_query(entry), _status_text(entry)]
    if not entry["inProgress"]:
        parts.append(f"{entry['durationMs']:.0f} ms")
    answer = entry["answer"]
    if isinstance(answer, dict) and "error" in answer and (entry["status"] or 0) >= 400:
        parts.append(f" {answer['error']}")
    if entry["query"] and (answer == [] or (isinstance(answer, dict) and answer.get("data") == [])):
        parts.append(" no row matches")
    if entry["faultId"]:
        parts.append(f" [{entry['faultId']}]")
    if entry["ignored"]:
        parts.append(f" ignored: {', '.join(entry['ignored'])}")
    return " ".join(parts)


def format_failed_check(error: str, criteria: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return the message of a failed `verify`: the criteria, the nearest requests, the requests beyond the limit."""
    surplus = [_request_line(entry, _body_text(entry)) for entry in answer.get("surplus", ())]
    return "\n  ".join(_failed_check(error, criteria, _nearest_requests(answer), surplus))


def format_failed_webhook_check(error: str, criteria: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return the message of a failed `verify_webhook`: the criteria, the nearest deliveries, those beyond the limit."""
    nearest = []
    for near in answer.get("nearest", ()):
        line = _delivery_line_with_body(near["delivery"])
        nearest.append(_nearest_line(line, near["misses"]))
    surplus = [_delivery_line_with_body(row) for row in answer.get("surplus", ())]
    lines = _failed_check(error, criteria, nearest, surplus)
    if "nearest" in answer and not nearest and not surplus:
        lines.append("No call of a line that has a webhook has begun.")
    return "\n  ".join(lines)


def _failed_check(error: str, criteria: dict[str, Any], nearest: list[str], surplus: list[str]) -> list[str]:
    criteria_lines = [_criteria_line(criteria)] if criteria else []
    return [error, *criteria_lines, *nearest, *(f"too many: {line}" for line in surplus)]


def _criteria_line(criteria: dict[str, Any]) -> str:
    return "wanted: " + ", ".join(f"{name} {value!r}" for name, value in criteria.items())


def _nearest_requests(answer: dict[str, Any]) -> list[str]:
    lines = []
    for near in answer.get("nearest", ()):
        line = _request_line(near["request"], near["bodyText"])
        lines.append(_nearest_line(line, near["misses"]))
    return lines


def _nearest_line(line: str, misses: list[str]) -> str:
    return f"nearest: {line}  (missed: {', '.join(misses)})"


def _body_text(entry: LoggedRequest) -> str:
    return "" if entry["body"] is None else json.dumps(entry["body"])


def _delivery_line_with_body(row: Delivery) -> str:
    """Return a delivery as a line, with the beginning of its body."""
    return f"{_delivery_line(row)}  {json.dumps(row['request']['body'])[:BODY_CHARACTERS]}"


def _request_line(entry: LoggedRequest, body: str) -> str:
    by = f" ({entry['origin']})" if entry.get("origin") in UNSEARCHED else ""
    line = f"{entry['method']} {_path_with_query(entry)} {_status_text(entry)}{by}"
    if body:
        line += f"  {body[:BODY_CHARACTERS]}"
    return line


def _path_with_query(entry: LoggedRequest) -> str:
    query = urlencode(entry["query"], doseq=True, safe="*")  # a masked value is ***
    return f"{entry['path']}?{query}" if query else str(entry["path"])


def _status_text(entry: LoggedRequest) -> str:
    return "in progress" if entry["inProgress"] else str(entry["status"] or "cut")
