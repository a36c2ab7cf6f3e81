"""Sums over the voice logs of a period: calls, minutes, transfers."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, tzinfo
from functools import partial
from typing import Any, NamedTuple

import orjson
from peewee import fn

from dryline.models.business_hours import find_time_zone
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.json_values import json_list, json_members
from dryline.storage.record import Record, constant, execute_unconverted
from dryline.world.clock import parse, wire

# A call without a start counts by when its log was made.
moment_of = fn.COALESCE(VoiceLog.start_time, VoiceLog.created_at)
# The indexes `voice_log_team` and `voice_log_transfers` have these columns.
ABOUT = (VoiceLog.id, moment_of, VoiceLog.worker_id, VoiceLog.deployment_id)
METRICS = fn.JSON_EXTRACT(VoiceLog.transfer_data, constant("$.metrics"))
DETAILS = ("start_time", "end_time", "direction", "from_number", "to_number", "status")
ISO_LENGTHS = {"daily": 10, "monthly": 7, "yearly": 4}


class CellKey(NamedTuple):
    """The calls of one cell: those of a period, a worker and a deployment."""

    period: str
    worker_id: str
    deployment_id: str | None


@dataclass(slots=True)
class CallSums:
    """Sums over some calls."""

    calls: int = 0
    seconds: int = 0
    transfers: int = 0
    transfer_minutes: float = 0.0


Cells = dict[CellKey, CallSums]


class Figures(dict[str, Any]):
    """Values by the names of their attributes."""

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form; `names` maps wire names to attributes."""
        return {wire_name: self[name] for wire_name, name in names.items() if name in self}


def analyze(
    team: Record,
    *,
    start_date: str | None = None,
    end_date: str | None = None,
    granularity: str = "monthly",
    include_transfers: bool = True,
    include_call_details: bool = False,
    timezone: str = "UTC",
    **only: Any,
) -> Figures:
    """Return sums over the team's ended calls that started between the dates, inclusive. Contract: analyzeVoice.

    Dates are wire times or days, `2026-11-21`, which are those of the time zone. A period without calls has no entry.
    `only` are `worker_id` and `deployment_ids`. Raises Invalid for an unknown time zone and for dates in the wrong
    order.
    """
    zone = find_time_zone(timezone)
    start = None if start_date is None else _boundary(start_date, time.min, zone)
    end = None if end_date is None else _boundary(end_date, time.max, zone)
    if start is not None and end is None:
        end = current().stamp()
    elif start is not None and end is not None and end < start:  # a start after now has no calls
        raise Invalid("The period ends before it starts.", "end_date")
    conditions = _conditions(team, start, end, **only)
    period = partial(_period_of, granularity=granularity, zone=zone)

    cells: Cells = defaultdict(CallSums)
    _add_calls(cells, conditions, period)
    transfers = _add_transfers(cells, conditions, period) if include_transfers else {}

    summary = _sum_cells(cells.values())
    summary["average_call_duration"] = summary["total_minutes"] / (summary["total_calls"] or 1)
    analysis = Figures(summary=summary, breakdown=_breakdown(cells))
    if include_call_details:
        analysis["call_details"] = list(_call_details(conditions, transfers, period))
    return analysis


def _add_calls(cells: Cells, conditions: list[Any], period: Callable[[str], str]) -> None:
    """Add the calls and their seconds to the cells."""
    for _, moment, worker, deployment, seconds in _read_calls(conditions, *ABOUT, VoiceLog.duration):
        cell = cells[CellKey(period(moment), worker, deployment)]
        cell.calls += 1
        cell.seconds += seconds or 0


def _add_transfers(cells: Cells, conditions: list[Any], period: Callable[[str], str]) -> dict[str, tuple[int, float]]:
    """Add the transfers and their minutes to the cells, and return both by the id of the call."""
    transfers: dict[str, tuple[int, float]] = {}
    transferred = [*conditions, VoiceLog.transfer_data.is_null(False)]
    for id, moment, worker, deployment, text in _read_calls(transferred, *ABOUT, METRICS):
        metrics = orjson.loads(text) if text else {}  # without metrics it is one transfer
        number, minutes = metrics.get("transfers", 1), metrics.get("transferMinutes", 0)
        transfers[id] = number, minutes
        cell = cells[CellKey(period(moment), worker, deployment)]
        cell.transfers += number
        cell.transfer_minutes += minutes
    return transfers


def _boundary(day_or_time: str, time_of_day: time, zone: tzinfo) -> str:
    """Return the wire time of a day's beginning or end in the zone; a time stays as it is."""
    if "T" in day_or_time:
        return day_or_time
    local = datetime.combine(date.fromisoformat(day_or_time), time_of_day, zone)
    if time_of_day == time.max:
        local = local.replace(fold=1)  # the later one, where the clocks go back at midnight
    try:
        return wire(local.astimezone(UTC))
    except OverflowError:  # at either end of the calendar a day has no midnight everywhere
        return wire(local.replace(tzinfo=UTC))


def _period_of(stamp: str, granularity: str, zone: tzinfo) -> str:
    """Return the period of a wire time in a zone: `2026-11-21`, `2026-W47` (from Monday), `2026-11` or `2026`."""
    moment = parse(stamp)
    try:
        day = moment.astimezone(zone).date()
    except OverflowError:  # at either end of the calendar
        day = moment.date()
    if granularity == "weekly":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[: ISO_LENGTHS[granularity]]


def _conditions(
    team: Record,
    start: str | None,
    end: str | None,
    worker_id: str | None = None,
    deployment_ids: list[str] | None = None,
) -> list[Any]:
    conditions = [VoiceLog.team_id == team.team_id, *CallInProgress.ended_call_conditions(VoiceLog, team)]
    if start is not None:
        conditions.append(moment_of >= start)
    if end is not None:
        conditions.append(moment_of <= end)
    if worker_id is not None:
        conditions.append(VoiceLog.worker_id == worker_id)
    if deployment_ids:
        conditions.append(VoiceLog.deployment_id.in_(json_members(json_list(deployment_ids))))
    return conditions


def _read_calls(conditions: list[Any], *columns: Any) -> Iterator[tuple[Any, ...]]:
    """Return these columns of the calls, the earliest start first."""
    query = VoiceLog.select(*columns).where(*conditions).order_by(VoiceLog.start_time, VoiceLog.id)
    return execute_unconverted(query)


def _call_details(
    conditions: list[Any], transfers: dict[str, tuple[int, float]], period: Callable[[str], str]
) -> Iterator[Figures]:
    columns = [VoiceLog._meta.fields[name] for name in DETAILS]
    for id, moment, worker, deployment, seconds, *details in _read_calls(
        conditions, *ABOUT, VoiceLog.duration, *columns
    ):
        number, minutes = transfers.get(id, (0, 0.0))
        yield Figures(
            zip(DETAILS, details, strict=True),
            id=id,
            worker_id=worker,
            deployment_id=deployment,
            period=period(moment),
            minutes=(seconds or 0) / 60,
            transfers=number,
            transfer_minutes=minutes,
        )


def _breakdown(cells: Cells) -> list[Figures]:
    """Return an entry for each period, oldest first."""
    entries = []
    for period, part in _group(cells, "period"):
        workers = [Figures(_sum_cells(group.values()), worker_id=id) for id, group in _group(part, "worker_id")]
        deployments = [
            Figures(_sum_cells(group.values()), deployment_id=id) for id, group in _group(part, "deployment_id")
        ]
        sums = _sum_cells(part.values())
        entries.append(Figures(sums, period=period, per_worker=workers, per_deployment=deployments))
    return entries


def _group(cells: Cells, part: str) -> list[tuple[Any, Cells]]:
    """Return groups of the cells whose keys have the same value of a part, sorted by it; None comes first."""
    groups: dict[str | None, Cells] = defaultdict(dict)
    for key, cell in cells.items():
        groups[getattr(key, part)][key] = cell
    return sorted(groups.items(), key=lambda group: group[0] or "")


def _sum_cells(cells: Iterable[CallSums]) -> Figures:
    total = CallSums()
    for cell in cells:
        total.calls += cell.calls
        total.seconds += cell.seconds
        total.transfers += cell.transfers
        total.transfer_minutes += cell.transfer_minutes
    return Figures(
        total_calls=total.calls,
        total_minutes=total.seconds / 60,
        total_transfers=total.transfers,
        total_transfer_minutes=total.transfer_minutes,
    )
