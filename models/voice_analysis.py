"""Sums over the voice logs of a period: calls, minutes, transfers."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import partial
from math import fsum
from types import SimpleNamespace
from typing import Any

import orjson
from peewee import SQL, Select, fn

from dryline.models.business_hours import zone_of
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import Record, connection
from dryline.world.clock import parse, wire

# A call without a start counts by when its log was made.
moment = fn.COALESCE(VoiceLog.start_time, VoiceLog.created_at)
SUMMED = (VoiceLog.id, moment, VoiceLog.worker_id, VoiceLog.deployment_id, VoiceLog.duration)
DETAILS = (
    VoiceLog.start_time,
    VoiceLog.end_time,
    VoiceLog.direction,
    VoiceLog.from_number,
    VoiceLog.to_number,
    VoiceLog.status,
)
DETAIL_COLUMNS = ("id", "worker_id", "deployment_id", *[column.name for column in DETAILS])
NOT_TRANSFERRED = (0, 0.0)


class Figures(SimpleNamespace):
    """Named values that are answered as they are."""

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form; `names` maps the wire's name to the attribute."""
        return {
            wire_name: self.__dict__[attribute] for wire_name, attribute in names.items() if attribute in self.__dict__
        }


def analyze(
    team: Record,
    *,
    start_date: str | None = None,
    end_date: str | None = None,
    granularity: str = "monthly",
    deployment_ids: list[str] | None = None,
    worker_id: str | None = None,
    include_transfers: bool = True,
    include_call_details: bool = False,
    timezone: str = "UTC",
) -> Figures:
    """Return sums over the team's ended calls that started between the dates, inclusive. Contract: analyzeVoice.

    Dates are wire times or days, `2026-11-21`, which are those of the time zone. A period without calls has no entry.
    Raises Invalid for an unknown time zone and for dates in the wrong order.
    """
    zone = zone_of(timezone)
    start = None if start_date is None else _first_of(start_date, zone)
    end = None if end_date is None else _last_of(end_date, zone)
    if start is not None and end is None:
        end = current().clock.stamp()
    elif start is not None and end is not None and end < start:
        raise Invalid("The period ends before it starts.", "end_date")
    calls = _Calls(team, start, end, worker_id, deployment_ids)
    period = partial(period_of, granularity=granularity, zone=zone)
    cells: dict[tuple[str, str, str | None], Cell] = {}
    for _, started, worker, deployment, seconds in calls.rows(SUMMED):
        _cell(cells, (period(started), worker, deployment)).add(1, seconds or 0)
    transferred = {}
    if include_transfers:
        for id, started, worker, deployment, transfers, minutes in calls.transfers():
            _cell(cells, (period(started), worker, deployment)).add(0, 0, transfers, minutes)
            if include_call_details:
                transferred[id] = transfers, minutes
    details = []
    if include_call_details:
        for id, started, worker, deployment, seconds, *rest in calls.rows(SUMMED + DETAILS):
            row = (id, worker, deployment, *rest)
            details.append(_call_figures(row, period(started), seconds, *transferred.get(id, NOT_TRANSFERRED)))
    analysis = Figures(summary=_sums(cells.values()), breakdown=_breakdown(cells))
    analysis.summary.average_call_duration = analysis.summary.total_minutes / (analysis.summary.total_calls or 1)
    if include_call_details:
        analysis.call_details = details
    return analysis


def _first_of(day_or_time: str, zone: tzinfo) -> str:
    """Return the wire time that a period begins with."""
    if "T" in day_or_time:
        return day_or_time
    try:
        return wire(_midnight(date.fromisoformat(day_or_time), zone))
    except OverflowError:  # at either end of the calendar a day has no midnight everywhere
        return f"{day_or_time}T00:00:00.000Z"


def _last_of(day_or_time: str, zone: tzinfo) -> str:
    """Return the wire time that a period ends with: of a day its last millisecond."""
    if "T" in day_or_time:
        return day_or_time
    try:
        return wire(_midnight(date.fromisoformat(day_or_time) + timedelta(days=1), zone) - timedelta(milliseconds=1))
    except OverflowError:
        return f"{day_or_time}T23:59:59.999Z"


def _midnight(day: date, zone: tzinfo) -> datetime:
    """Return the beginning of a day in the zone. Raises OverflowError beyond the calendar."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


class Cell:
    """The sums over the calls of one deployment in one period."""

    __slots__ = ("calls", "seconds", "transfer_minutes", "transfers")

    def __init__(self) -> None:
        self.calls = self.seconds = self.transfers = 0
        self.transfer_minutes = 0.0

    def add(self, calls: int, seconds: int, transfers: int = 0, transfer_minutes: float = 0.0) -> None:
        """Count some more calls."""
        self.calls += calls
        self.seconds += seconds
        self.transfers += transfers
        self.transfer_minutes += transfer_minutes


def period_of(stamp: str, granularity: str, zone: tzinfo) -> str:
    """Return the period of a wire time in a zone: `2026-11-21`, `2026-W47` (from Monday), `2026-11` or `2026`."""
    moment = parse(stamp)
    try:
        day = moment.astimezone(zone).date()
    except OverflowError:  # at either end of the calendar
        day = moment.date()
    if granularity == "weekly":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[: {"daily": 10, "monthly": 7, "yearly": 4}[granularity]]


class _Calls:
    """The team's calls that count. What is summed is read from the index `voice_log_team` alone."""

    def __init__(
        self, team: Record, start: str | None, end: str | None, worker_id: str | None, deployment_ids: list[str] | None
    ) -> None:
        conditions = [VoiceLog.team_id == team.team_id, *CallInProgress.ended_only(VoiceLog, team)]
        if start is not None:
            conditions.append(moment >= start)
        if end is not None:
            conditions.append(moment <= end)
        if worker_id is not None:
            conditions.append(VoiceLog.worker_id == worker_id)
        if deployment_ids:
            ids = fn.json_each(orjson.dumps(deployment_ids).decode())
            conditions.append(VoiceLog.deployment_id.in_(Select([ids], [SQL("value")])))
        self.conditions = conditions

    def rows(self, columns: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Return these columns of each call, the earliest start first."""
        query = VoiceLog.select(*columns).where(*self.conditions).order_by(VoiceLog.start_time, VoiceLog.id)
        return connection().execute(*query.sql())

    def transfers(self) -> Iterator[tuple[str, str, str, str | None, int, float]]:
        """Yield log id, moment, worker, deployment, transfers and their minutes of each transferred call.

        The figures are those of its metrics; without metrics it is one transfer. All is read from the index
        `voice_log_transfers` alone, where the metrics stand as this expression.
        """
        metrics_text = fn.JSON_EXTRACT(VoiceLog.transfer_data, SQL("'$.metrics'"))
        columns = (VoiceLog.id, moment, VoiceLog.worker_id, VoiceLog.deployment_id, metrics_text)
        query = VoiceLog.select(*columns).where(*self.conditions, VoiceLog.transfer_data.is_null(False))
        for *about, text in connection().execute(*query.order_by(VoiceLog.start_time).sql()):
            metrics = orjson.loads(text) if text else {}
            yield *about, metrics.get("transfers", 1), metrics.get("transferMinutes", 0)


def _cell(cells: dict[tuple[str, str, str | None], Cell], key: tuple[str, str, str | None]) -> Cell:
    return cells.get(key) or cells.setdefault(key, Cell())


def _call_figures(
    row: tuple[Any, ...], period: str, seconds: int | None, transfers: int, transfer_minutes: float
) -> Figures:
    """Return the figures of one call. `row` are the log's columns in the order of `DETAIL_COLUMNS`."""
    return Figures(
        **dict(zip(DETAIL_COLUMNS, row, strict=True)),
        period=period,
        minutes=(seconds or 0) / 60,
        transfers=transfers,
        transfer_minutes=transfer_minutes,
    )


def _breakdown(cells: Mapping[tuple[str, str, str | None], Cell]) -> list[Figures]:
    """Return an entry for each period, oldest first."""
    entries = []
    for period, part_of_period in _grouped(cells.items(), lambda key: key[0]):
        entry = _sums([cell for _, cell in part_of_period], period=period)
        entry.per_worker = [
            _sums([cell for _, cell in part], worker_id=worker)
            for worker, part in _grouped(part_of_period, lambda key: key[1])
        ]
        entry.per_deployment = [
            _sums([cell for _, cell in part], deployment_id=deployment)
            for deployment, part in _grouped(part_of_period, lambda key: key[2])
        ]
        entries.append(entry)
    return entries


def _grouped(cells: Iterable[tuple[Any, Cell]], by: Callable[[Any], str | None]) -> list[tuple[Any, list[Any]]]:
    """Return the cells by a part of their keys, in its order; None comes first."""
    groups: dict[str | None, list[Any]] = {}
    for key, cell in cells:
        groups.setdefault(by(key), []).append((key, cell))
    return sorted(groups.items(), key=lambda group: group[0] or "")


def _sums(cells: Collection[Cell], **key: Any) -> Figures:
    return Figures(
        **key,
        total_calls=sum([cell.calls for cell in cells]),
        total_minutes=sum([cell.seconds for cell in cells]) / 60,
        total_transfers=sum([cell.transfers for cell in cells]),
        total_transfer_minutes=fsum([cell.transfer_minutes for cell in cells]),
    )
