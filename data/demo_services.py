"""The back ends of the shipped scenarios, on hosts below `.example`, which reach nothing (RFC 2606)."""

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zlib import crc32

import orjson

Params = dict[str, Any]
Response = tuple[int, Params]
Routes = dict[str, Callable[[str, Params], Response]]

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PRODUCTS = (
    *("desk lamp", "rain jacket", "suitcase", "coffee grinder", "reading chair", "pair of hiking boots"),
    *("backpack", "tea kettle", "wool blanket", "camping stove", "toaster", "picnic basket"),
)
_DELIVERIES = (
    *(("on its way", "tomorrow between 2 and 6 PM"), ("packed and ready", "in two days")),
    *(("on its way", "today before 8 PM"), ("delayed at the depot", "within three days")),
    ("on its way", "tomorrow morning"),
)
_REASONS = (
    *("the meter replacement in October", "a colder month, you used a quarter more than last year"),
    "that the last two bills were estimates, and this one is measured",
    *("that this bill is for 35 days, and the last one was for 28", "the new rate, which began last month"),
)
_NAMES = (
    *("Grace Tanaka", "Omar Haddad", "Linda Brooks", "Peter Novak", "Ruth Alvarez", "Sean Murphy", "Carol Jensen"),
    *("Andre Silva", "Monica Reyes", "Thomas Becker", "Diane Foster", "Kevin Liu", "Rosa Martinez", "Walter Simmons"),
    *("Priya Nair", "Jack Donovan", "Helen Kowalski", "Marcus Webb", "Yvonne Dupree", "Samuel Ortiz", "Joyce Palmer"),
)


def answer(method: str, url: str, body: bytes | None) -> Response | None:
    """Return status and document of a request; None if no scenario has its host."""
    parts = urlsplit(url)
    if (routes := _SERVICES.get((parts.hostname or "").lower())) is None:
        return None
    params: Params = dict(parse_qsl(parts.query))
    with suppress(orjson.JSONDecodeError, TypeError, ValueError):
        params |= orjson.loads(body or b"{}")
    request = f"{method.upper()} {unquote(parts.path)}"
    for pattern, respond in routes.items():
        if match := re.fullmatch(pattern, request):
            return respond(match[1] if match.groups() else "", params)
    return 404, {"error": f"There is no {request}."}


def _pick(options: tuple[Any, ...], *keys: object) -> Any:
    return options[crc32(repr(keys).encode()) % len(options)]


def _number(prefix: str, params: Params) -> str:
    return f"{prefix}{crc32(orjson.dumps(params, option=orjson.OPT_SORT_KEYS)) % 9000 + 1000}"


class _Calendar:
    """The appointments of a business, every half hour. `hours` are the first and the last full hour of open weekdays.

    Today is always full; no other day is.
    """

    def __init__(self, hours: dict[str, tuple[int, int]]) -> None:
        self._hours = hours
        self.routes: Routes = {
            "GET /free": self._free,
            "GET /open": self._open,
            r"(?:POST|PUT|DELETE) /\w+": _noted,
        }

    def _free(self, _: str, params: Params) -> Response:
        """Give a day with two free times, or with the time that was wished for.

        `day` (else the first open one), `time` and `part` of the day are what is wished; `why` says what was not to be
        had of it. Each `offer` has other times.
        """
        today = _date(params.get("today")) or date(2026, 1, 1)
        day, why = self._open_day(_date(params.get("day")), today)
        moments = self._moments(day)
        wished = _clock(params.get("time"))
        if wished is not None and why is None:
            if wished in moments:
                return 200, {"day": f"{day}", "why": None, "times": [_written(wished)]}
            why = "taken"

        part = [moment for moment in moments if _part_of_day(moment) == params.get("part")]
        if params.get("part") and not part:
            why = why or "taken"
        chance = crc32(f"{day:%A}{params.get('caller')}".encode()) + 3 * int(params.get("offer") or 0)
        times = [_written(moment) for moment in _two_of(part or moments, chance)]
        return 200, {"day": f"{day}", "why": why, "times": times}

    def _open_day(self, wished: date | None, today: date) -> tuple[date, str | None]:
        """Return the wished day or, if that cannot be had, the next open one and the reason."""
        if wished is None:
            start, why = today, None
        elif wished < today:
            start, why = today, "past"
        elif wished == today:
            start, why = today, "full"
        elif f"{wished:%A}".lower() in self._hours:
            return wished, None
        else:
            start, why = wished, "closed"
        upcoming = (start + timedelta(days=days) for days in range(1, 8))
        return next(day for day in upcoming if f"{day:%A}".lower() in self._hours), why

    def _moments(self, day: date) -> list[time]:
        first, last = self._hours[f"{day:%A}".lower()]
        return [time(hour, minute) for hour in range(first, last + 1) for minute in (0, 30)]

    def _open(self, _: str, params: Params) -> Response:
        first, last = self._hours.get(str(params.get("day")).lower(), (0, 0))
        return 200, {"open": f"{first:02}:00" <= str(params.get("time")) < f"{last:02}:30"}


def _date(value: object) -> date | None:
    """Return the date of a text such as `2026-12-18`; None for any other."""
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        return None


def _clock(value: object) -> time | None:
    """Return the time of a text such as `9:30 AM` or `9 AM`; None for any other."""
    for pattern in ("%I:%M %p", "%I %p"):
        with suppress(ValueError):
            return datetime.strptime(str(value), pattern).time()
    return None


def _written(moment: time) -> str:
    """Return a time as `9:30 AM` or `9 AM`."""
    return f"{moment:%I:%M %p}".lstrip("0").replace(":00", "")


def _part_of_day(moment: time) -> str:
    if moment.hour < 12:
        return "morning"
    return "afternoon" if moment.hour < 17 else "evening"


def _two_of(moments: list[time], chance: int) -> list[time]:
    """Return an early and a late one of the moments."""
    middle = len(moments) // 2
    return [moments[chance % middle], moments[middle + chance // 5 % (len(moments) - middle)]]


def _noted(_: str, params: Params) -> Response:
    return 200, {"ok": True, "number": _number("B-", params)}


def _order(number: str, params: Params) -> Response:
    """Return an order. Its product is the one that the caller named, if they named one."""
    status, arrives = _pick(_DELIVERIES, number)
    product = params.get("product") or _pick(_PRODUCTS, number)
    return 200, {"number": number, "product": product, "status": status, "arrives": arrives}


def _cancel_order(number: str, params: Params) -> Response:
    if _order(number, params)[1]["status"] == "packed and ready":
        return 200, {"number": number, "status": "cancelled"}
    return 409, {"error": "It is on its way."}


def _return(_: str, params: Params) -> Response:
    amounts = (24.9, 39.9, 52.0, 64.5, 89.0, 120.0)
    return 200, {"number": _number("R-", params), "amount": _pick(amounts, params.get("order"))}


def _account(number: str, _: Params) -> Response:
    """Return an account whose bill is from 70 to 250 dollars, in steps of five cents."""
    steps = crc32(number.encode()) % 3600
    amount = 70 + steps * 0.05
    first_name, last_name = _pick(_NAMES, number).split()[0], _pick(_NAMES, number, "last").split()[1]
    return 200, {
        "number": number,
        "name": f"{first_name} {last_name}",
        "amount": round(amount, 2),
        "difference": round(amount / 4, 2),
        "reason": _pick(_REASONS, number),
        "card": _pick(("4417", "0932", "7761", "2085", "6314"), number),
    }


def _diagnostics(_: str, params: Params) -> Response:
    if crc32(str(params.get("name")).encode()) % 6 == 0:
        return 200, {"outage": True, "until": _pick(("6 PM", "8 PM tonight"), params)}
    return 200, {"outage": False, "speed": _pick((94, 128, 212, 247), params)}


def _parcel(number: str, _: Params) -> Response:
    if crc32(number.encode()) % 3:  # out of order for two of three parcels
        return 503, {"error": "The tracking database is being moved."}
    order = _order(number, {})[1]
    del order["product"]
    return 200, order


def _find_order(_: str, params: Params) -> Response:
    return 200, {"number": _number("K4", params)}


def _find_account(_: str, params: Params) -> Response:
    return 200, {"number": _number("4011", params)}


_SERVICES: dict[str, Routes] = {
    "calendar.bayside-dental.example": _Calendar({**dict.fromkeys(_WEEKDAYS[:4], (8, 17)), "friday": (8, 14)}).routes,
    "diary.elm-street.example": _Calendar({**dict.fromkeys(_WEEKDAYS[:5], (8, 17)), "saturday": (9, 12)}).routes,
    "workshop.northgate-motors.example": _Calendar(dict.fromkeys(_WEEKDAYS[:5], (7, 16))).routes,
    "api.larkspur-goods.example": {
        r"GET /v2/orders/(\w+)": _order,
        "GET /v2/orders": _find_order,
        r"DELETE /v2/orders/(\w+)": _cancel_order,
        r"POST /v2/orders/\w+/note": _noted,
        "POST /v2/returns": _return,
    },
    "billing.cedar-valley.example": {
        r"GET /accounts/(\w+)": _account,
        "GET /accounts": _find_account,
        r"POST /\w+": _noted,
    },
    "noc.tidewater.example": {"POST /diagnostics": _diagnostics, r"POST /\w+": _noted},
    "tickets.quayside.example": {"POST /tickets": _noted},
    "track.harborline.example": {r"GET /parcels/(\w+)": _parcel},
}
