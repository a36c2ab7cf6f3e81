"""Business hours: weekly opening hours of the team, the numbers they hold for, and whether a number can be called."""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import UTC, datetime, tzinfo
from typing import Any, NamedTuple, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from peewee import TextField

from dryline.models.collection import StateCollection
from dryline.models.numbering import e164
from dryline.models.teams import Team
from dryline.storage.errors import Invalid, NotFound
from dryline.storage.record import JsonField, Record

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
DAY = 24 * 60  # minutes
_LONGEST_ZONE = 100  # characters of a time zone's name: a much longer path raises what `zoneinfo` does not name
_RANGE = re.compile(r"(\d{1,2}):(\d\d)\s*-\s*(\d{1,2}):(\d\d)", re.ASCII)


class Opening(NamedTuple):
    """An opening of one day, in minutes from its midnight on the wall clock; `end` lies beyond DAY over midnight."""

    start: int
    end: int


class BusinessHours(Record):
    """A week's opening hours. Deleting them deletes their assignments to numbers.

    `hours` maps a weekday to `closed` or to ranges, `09:00-12:00,13:00-17:00`; one that ends before it starts goes
    over midnight. A day that is left out is closed. (Assumed: the contract does not show the layout.)
    """

    id_prefix = "hours"

    updated_at = TextField()
    hours = JsonField()
    timezone = TextField(default="UTC")
    primary_tag = TextField(null=True)
    secondary_tag = TextField(null=True)
    team_phone_hours: list[Any]

    @classmethod
    def define(cls, team: Team, **values: Any) -> Self:
        """Create hours. Raises Invalid for impossible hours or an unknown time zone."""
        check_hours(values)
        return cls.add(team, **values)

    def revise(self, **values: Any) -> Self:
        """Change the values. Raises Invalid as `define` does."""
        check_hours(values)
        return self.change(**values)

    def openings(self, weekday: int) -> list[Opening]:
        """Return the openings of a weekday (0 is Monday)."""
        return parse_openings(self._text_of_day(weekday))

    def _text_of_day(self, weekday: int) -> str:
        return next((text for day, text in self.hours.items() if day.lower() == WEEKDAYS[weekday]), "closed")

    def is_open_and_why(self, moment: datetime) -> tuple[bool, str]:
        """Return whether the hours are open at `moment`, and why.

        Hours are read on the wall clock of their zone, so that a shop that opens at nine does so in summer and winter.
        The opening minute is open, the closing minute closed. Contract: checkCallable.
        """
        local = moment.astimezone(find_time_zone(self.timezone))
        minute, today = local.hour * 60 + local.minute, local.weekday()
        local_time = f"{WEEKDAYS[today]} {local:%H:%M} in {local.tzinfo}"
        for day, shift in ((today, 0), ((today - 1) % 7, DAY)):  # yesterday's hours may reach into today
            if any(opening.start <= minute + shift < opening.end for opening in self.openings(day)):
                return True, f"{local_time}: open {self._text_of_day(day)} of {WEEKDAYS[day]}."
        if not self.openings(today):
            return False, f"{local_time}: closed on {WEEKDAYS[today]}."
        return False, f"{local_time}: outside {self._text_of_day(today)}."


def check_hours(values: dict[str, Any]) -> None:
    """Check hours. Raises Invalid, naming `timezone` or the weekday."""
    if "timezone" in values:
        find_time_zone(values["timezone"])
    weekdays: set[str] = set()
    for day, text in values.get("hours", {}).items():
        if day.lower() not in WEEKDAYS:
            raise Invalid(f"{day!r} is no weekday. They are {', '.join(WEEKDAYS)}.", f"hours.{day}")
        if day.lower() in weekdays:
            raise Invalid(f"{day.lower()} is given twice.", f"hours.{day}")
        weekdays.add(day.lower())
        try:
            parse_openings(text)
        except ValueError as error:
            raise Invalid(str(error), f"hours.{day}") from None


def find_time_zone(name: str) -> tzinfo:
    """Return the time zone with this name. Raises Invalid, naming `timezone`, for an unknown one."""
    if 0 < len(name) <= _LONGEST_ZONE:
        with suppress(ZoneInfoNotFoundError, ValueError, OSError):
            return ZoneInfo(name)
    raise Invalid("Not a time zone of the IANA database, such as Europe/London.", "timezone")


def parse_openings(text: str) -> list[Opening]:
    """Return the openings in a day's text. Raises ValueError for anything but `closed` and ranges."""
    if text.strip().lower() == "closed":
        return []
    ranges = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError("Must be closed, or ranges such as 09:00-12:00,13:00-17:00.")
        hour, minute, end_hour, end_minute = map(int, match.groups())
        start, end = hour * 60 + minute, end_hour * 60 + end_minute
        if max(minute, end_minute) > 59 or start >= DAY or end > DAY:
            raise ValueError(f"{part.strip()} is beyond the day: times are 00:00 to 23:59, or 24:00 at the end.")
        if start == end:
            raise ValueError(f"{part.strip()} is no range. The whole day is 00:00-24:00.")
        ranges.append(Opening(start, end if end > start else end + DAY))
    return ranges


class TeamPhoneHours(Record):
    """An assignment of business hours to a number, which is stored as sent and matched in any notation."""

    id_prefix = "tph"

    updated_at = TextField()
    hours_id = TextField()
    phone_number = TextField()
    hours: BusinessHours
    team: Team

    @classmethod
    def define(cls, team: Team, *, team_id: str, **values: Any) -> Self:
        """Tie a number to hours. Raises NotFound when the team is not that of the key, or has no such hours."""
        cls._check_links(team, {"team_id": team_id, **values})
        return cls.add(team, **values)

    def revise(self, **values: Any) -> Self:
        """Change the values. Raises NotFound as `define` does."""
        self._check_links(self, values)
        return self.change(**values)

    @staticmethod
    def _check_links(team: Record, values: dict[str, Any]) -> None:
        if values.get("team_id", team.team_id) != team.team_id:
            raise NotFound(f"Team {values['team_id']} not found.", "team_id")
        if "hours_id" in values:
            BusinessHours.fetch(team, values["hours_id"], field="hours_id")

    @classmethod
    def search(cls, team: Team, *, phone_number: str | None = None, team_id: str | None = None) -> list[Self]:
        """Return the team's assignments of hours to numbers, newest first; of one number if one is passed."""
        if team_id not in (None, team.id):
            return []
        number = None if phone_number is None else _without_notation(phone_number)
        return [tie for tie in cls.listing(team) if number is None or _without_notation(tie.phone_number) == number]

    @classmethod
    def check_callable(cls, team: Team, *, phone_number: str, timestamp: float) -> dict[str, Any]:
        """Return whether the number can be called at a Unix time in seconds, and why. Contract: checkCallable.

        A number with several hours can be called when one of them is open (assumed). Raises NotFound for a number
        without hours, Invalid for a time beyond the calendar.
        """
        ties = cls.search(team, phone_number=phone_number)
        if not ties:
            raise NotFound(f"The number {phone_number[:40]} has no business hours.")
        try:
            moment = datetime.fromtimestamp(timestamp, UTC)
            answers = [BusinessHours.fetch(team, tie.hours_id).is_open_and_why(moment) for tie in ties]
        except (OverflowError, ValueError, OSError):
            raise Invalid("Not a Unix time in seconds.", "timestamp") from None
        for is_open, reason in answers:
            if is_open:
                return {"callable": True, "reason": reason}
        _, reason = answers[0]
        return {"callable": False, "reason": reason}


def with_phone_hours(team: Team, tables: Iterable[BusinessHours]) -> list[BusinessHours]:
    """Return the hours, each with its assignments to numbers. Contract: includeTeamPhoneHours."""
    ties = list(TeamPhoneHours.listing(team))
    result = list(tables)
    for table in result:
        table.team_phone_hours = [tie for tie in ties if tie.hours_id == table.id]
    return result


def with_relations(team: Team, ties: Iterable[TeamPhoneHours]) -> list[TeamPhoneHours]:
    """Return the assignments, each with its hours and the team. Contract: includeRelations."""
    tables = {table.id: table for table in BusinessHours.listing(team)}
    rows = list(ties)
    for tie in rows:
        tie.hours, tie.team = tables[tie.hours_id], team
    return rows


def _without_notation(text: str) -> str:
    """Return a form that two notations of one number share."""
    return e164(text) or text


STATE = {
    "businessHours": StateCollection(BusinessHours, complete=lambda row, rows: check_hours(row)),
    "teamPhoneHours": StateCollection(TeamPhoneHours, required_links={"hours_id": ("businessHours",)}),
}
