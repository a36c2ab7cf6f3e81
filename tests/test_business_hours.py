"""Business hours, the numbers tied to them, and the callable check."""

from datetime import UTC, datetime

import pytest

from dryline.tests.conftest import created

NUMBER = "+14155550100"
HOURS = {"monday": "09:00-17:00", "sunday": "closed"}


@pytest.fixture
def make_hours(api):
    def make(api=api, **body):
        return created(api.post("/workers/business-hours", {"hours": HOURS} | body))

    return make


@pytest.fixture
def tie(api):
    def tie(hours, number=NUMBER, api=api, **body):
        body = {"hoursId": hours["id"], "phoneNumber": number, "teamId": api.get("/team").json["id"]} | body
        return api.post("/workers/team-phone-hours", body)

    return tie


@pytest.fixture
def is_callable(api, make_hours, tie):
    """Whether a number with these hours can be called at a moment of UTC."""

    def ask(moment, hours, timezone="UTC"):
        record = make_hours(hours=hours, timezone=timezone)
        assert tie(record).status_code == 201
        answer = check(api, moment)
        api.delete(f"/workers/business-hours/{record['id']}")
        assert answer.status_code == 200, answer.text
        return answer.json["callable"]

    return ask


def check(api, moment, number=NUMBER):
    """Ask for a moment given as UTC text or as a number."""
    if isinstance(moment, str):
        moment = datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()
    return api.post("/workers/check-callable", {"phoneNumber": number, "timestamp": moment})


# Hours


def test_hours_are_answered_whole_with_utc_by_default(api, make_hours):
    hours = make_hours()
    assert hours == {
        **{"id": hours["id"], "createdAt": hours["createdAt"], "updatedAt": hours["updatedAt"]},
        **{"hours": HOURS, "timezone": "UTC", "primaryTag": None, "secondaryTag": None},
    }
    assert api.get("/workers/business-hours").json == [hours]
    assert api.get(f"/workers/business-hours/{hours['id']}").json == hours


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "hours"),
        ({"hours": []}, "hours"),
        ({"hours": {"monday": 9}}, "hours.monday"),
        ({"hours": {"monday": "nine to five"}}, "hours.monday"),
        ({"hours": {"monday": "09:00-24:01"}}, "hours.monday"),
        ({"hours": {"monday": "09:00-09:00"}}, "hours.monday"),
        ({"hours": {"noday": "closed"}}, "hours.noday"),
        ({"hours": {"Monday": "09:00-17:00", "monday": "closed"}}, "hours.monday"),
        ({"hours": {}, "timezone": "Mars/Olympus"}, "timezone"),
        ({"hours": {}, "timezone": "../../etc/passwd"}, "timezone"),
        ({"hours": {}, "timezone": "UTC\u0000"}, "timezone"),
    ],
)
def test_hours_that_cannot_be_are_refused_and_named(api, make_hours, body, path):
    answer = api.post("/workers/business-hours", body)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [path])
    assert api.get("/workers/business-hours").json == []
    if body:
        hours = make_hours()
        assert api.put(f"/workers/business-hours/{hours['id']}", body).status_code == 400
        assert api.get("/workers/business-hours").json == [hours]


def test_the_numbers_of_hours_come_only_when_asked_for(api, make_hours, tie):
    other, hours = make_hours(), make_hours()
    tied = tie(hours).json
    path = "/workers/business-hours"
    assert api.get(path).json == [hours, other]
    shown = [hours | {"teamPhoneHours": [tied]}, other | {"teamPhoneHours": []}]
    assert api.get(f"{path}?includeTeamPhoneHours=true").json == shown
    assert api.get(f"{path}/{hours['id']}?includeTeamPhoneHours=true").json == shown[0]


# Numbers


def test_the_list_can_be_of_one_number_or_one_team(api, make_hours, tie):
    hours = make_hours()
    first, second = tie(hours).json, tie(hours, "+14155550101").json
    path = "/workers/team-phone-hours"
    assert api.get(path).json == [second, first]
    assert api.get(path, query_string={"phoneNumber": NUMBER}).json == [first]
    assert api.get(path, query_string={"phoneNumber": "415 555 0100"}).json == [first]
    assert api.get(path, query_string={"teamId": first["teamId"]}).json == [second, first]
    assert api.get(path, query_string={"teamId": "team_other"}).json == []


def test_a_number_moves_to_other_hours(api, make_hours, tie):
    tied, other = tie(make_hours()).json, make_hours()
    path = f"/workers/team-phone-hours/{tied['id']}"
    changed = api.put(path, {"hoursId": other["id"]}).json
    assert changed == tied | {"hoursId": other["id"], "updatedAt": changed["updatedAt"]}
    for member in ("hoursId", "teamId"):
        answer = api.put(path, {member: "gone"})
        assert answer.status_code == 404
        assert member in answer.json["error"]
    assert api.get(path).json == changed


# Callable. 2026-03-02 is a Monday.

SPLIT, NIGHT, WHOLE_DAY = {"monday": "09:00-12:00, 13:00 - 17:00"}, {"Monday": "22:00-02:00"}, {"monday": "00:00-24:00"}
LATE = {"sunday": "22:00-02:00", "monday": "closed"}


@pytest.mark.parametrize(
    ("hours", "moment", "expected"),
    [
        # The opening minute is open, and the closing minute closed.
        (HOURS, "2026-03-02T08:59:59", False),
        (HOURS, "2026-03-02T09:00:00", True),
        (HOURS, "2026-03-02T17:00:00", False),
        (HOURS, "2026-03-01T12:00:00", False),
        # A day may have several openings.
        (SPLIT, "2026-03-02T11:59:00", True),
        (SPLIT, "2026-03-02T12:30:00", False),
        (SPLIT, "2026-03-02T13:00:00", True),
        # Hours over midnight belong to the day on which they begin.
        (NIGHT, "2026-03-02T21:59:00", False),
        (NIGHT, "2026-03-02T22:00:00", True),
        (NIGHT, "2026-03-03T01:59:59", True),
        (NIGHT, "2026-03-03T02:00:00", False),
        (NIGHT, "2026-03-02T01:00:00", False),
        (LATE, "2026-03-02T01:00:00", True),
        # A whole day ends at midnight.
        (WHOLE_DAY, "2026-03-02T23:59:59", True),
        (WHOLE_DAY, "2026-03-03T00:00:00", False),
    ],
)
def test_a_number_can_be_called_within_its_hours(is_callable, hours, moment, expected):
    assert is_callable(moment, hours) is expected


TWO = {"sunday": "02:00-03:00"}


@pytest.mark.parametrize(
    ("hours", "timezone", "moment", "expected"),
    [
        (HOURS, "America/New_York", "2026-03-02T15:00:00", True),  # 10:00
        (HOURS, "America/New_York", "2026-03-02T13:30:00", False),  # 08:30, in winter
        (HOURS, "America/New_York", "2026-03-09T13:30:00", True),  # 09:30, a week later in summer
        (HOURS, "Asia/Tokyo", "2026-03-01T23:30:00", False),  # Monday, 08:30
        (HOURS, "Pacific/Honolulu", "2026-03-03T01:30:00", True),  # still Monday, 15:30
        # An hour that comes twice counts twice, and one that is left out not at all.
        (TWO, "Europe/Berlin", "2026-10-25T00:30:00", True),  # 02:30 in summer
        (TWO, "Europe/Berlin", "2026-10-25T01:30:00", True),  # 02:30 again, in winter
        (TWO, "Europe/Berlin", "2026-03-29T00:59:00", False),  # 01:59
        (TWO, "Europe/Berlin", "2026-03-29T01:00:00", False),  # 03:00
    ],
)
def test_hours_are_those_of_the_wall_clock_in_their_zone(is_callable, hours, timezone, moment, expected):
    assert is_callable(moment, hours, timezone) is expected


def test_the_answer_says_why(api, make_hours, tie):
    tie(make_hours(timezone="Europe/Berlin"))
    assert check(api, "2026-03-02T08:30:00").json == {
        "callable": True,
        "reason": "monday 09:30 in Europe/Berlin: open 09:00-17:00 of monday.",
    }
    assert check(api, "2026-03-02T20:30:00").json["reason"] == "monday 21:30 in Europe/Berlin: outside 09:00-17:00."
    assert check(api, "2026-03-01T20:30:00").json["reason"] == "sunday 21:30 in Europe/Berlin: closed on sunday."


def test_one_of_several_open_hours_is_enough(api, make_hours, tie):
    tie(make_hours(hours={"monday": "closed"}))
    tie(make_hours())
    tie(make_hours(hours={}))
    assert check(api, "2026-03-02T10:00:00").json["callable"] is True
    assert check(api, "2026-03-02T20:00:00").json["callable"] is False


def test_a_number_without_hours_is_not_found(api, other_api, make_hours, tie):
    tie(make_hours())
    assert check(api, "2026-03-02T10:00:00", "+14155550199").status_code == 404
    assert check(api, "2026-03-02T10:00:00", "").status_code == 404
    assert check(other_api, "2026-03-02T10:00:00").status_code == 404


@pytest.mark.parametrize("timestamp", [1e300, 253402300799000, -1e15, 253402300799, "now", None, True])
def test_a_time_beyond_the_calendar_or_none_at_all_is_refused(api, make_hours, tie, timestamp):
    tie(make_hours(timezone="Asia/Tokyo"))
    answer = api.post("/workers/check-callable", {"phoneNumber": NUMBER, "timestamp": timestamp})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "timestamp")


@pytest.mark.parametrize("day", [["09:00-12:00"], 9, None, {"from": "09:00"}, True])
def test_a_day_of_imported_hours_is_a_text(control, day):
    rows = [{"id": "h", "hours": {"monday": day}}]
    answer = control.put("/state", {"version": 1, "businessHours": rows})
    assert answer.status_code == 422
    assert answer.json["details"][0]["path"] == "businessHours[0].hours.monday"
