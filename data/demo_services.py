"""The back ends of the shipped scenarios, on hosts below `.example`, which reach nothing (RFC 2606)."""

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from zlib import crc32

import orjson

Params = dict[str, Any]
Response = tuple[int, Params]
Routes = dict[str, Callable[[str, Params], Response]]

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_PRODUCTS = (
    "desk lamp",
    "rain jacket",
    "suitcase",
    "coffee grinder",
    "reading chair",
    "pair of hiking boots",
    "backpack",
    "tea kettle",
    "wool blanket",
    "camping stove",
    "toaster",
    "picnic basket",
)
# The status of an order, and when it arrives.
_DELIVERIES = (
    ("on its way", "tomorrow between 2 and 6 PM"),
    ("packed and ready", "in two days"),
    ("on its way", "today before 8 PM"),
    ("delayed at the depot", "within three days"),
    ("on its way", "tomorrow morning"),
)
_REASONS = (
    "the meter replacement in October",
    "a colder month, you used a quarter more than last year",
    "that the last two bills were estimates, and this one is measured",
    "that this bill is for 35 days, and the last one was for 28",
    "the new rate, which began last month",
)
_NAMES = (
    "Grace Tanaka",
    "Omar Haddad",
    "Linda Brooks",
    "Peter Novak",
    "Ruth Alvarez",
    "Sean Murphy",
    "Carol Jensen",
    "Andre Silva",
    "Monica Reyes",
    "Thomas Becker",
    "Diane Foster",
    "Kevin Liu",
    "Rosa Martinez",
    "Walter Simmons",
    "Priya Nair",
    "Jack Donovan",
    "Helen Kowalski",
    "Marcus Webb",
    "Yvonne Dupree",
    "Samuel Ortiz",
    "Joyce Palmer",
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


def _calendar(hours: dict[str, tuple[int, int]]) -> Routes:
    """Return the routes of a calendar: `hours` are the first and the last full hour of an appointment on open days."""

    def free(_: str, params: Params) -> Response:
        """Give two free times on a day. Today is full; closed and unknown days lead to the next open day.

        `offer` is the number of offers before this one: each has other times.
        """
        day = str(params.get("day") or "")
        today = str(params.get("today") or "").lower()
        weekday = next((name for name in _WEEKDAYS if name in day.lower()), None)
        why = None
        if weekday is not None and weekday == today:
            why = "full"
        elif weekday is not None and weekday not in hours:
            why = "closed"
        if weekday is None or why:
            weekday = next_open_day(weekday or today, today)
            day = weekday.capitalize()

        first, last = hours[weekday]
        middle = (first + last) // 2
        offer = int(params.get("offer") or 0)
        # No clock and no random number: the same caller is offered the same times.
        chance = crc32(f"{weekday}{params.get('caller')}".encode())
        minute = (chance + offer) % 2 * 30
        earlier_hour = first + (chance + offer) % (middle - first)
        later_hour = middle + (chance // 8 + 2 * offer) % (last - middle)
        times = [_spoken_time(earlier_hour, minute), _spoken_time(later_hour, 30 - minute)]
        return 200, {"day": day, "why": why, "times": times}

    def next_open_day(weekday: str, today: str) -> str:
        """Return the first open day after a weekday, but not today; after Monday if it is no weekday."""
        start = _WEEKDAYS.index(weekday) if weekday in _WEEKDAYS else 0
        upcoming = (*_WEEKDAYS, *_WEEKDAYS)[start + 1 : start + 8]
        return next(name for name in upcoming if name in hours and name != today)

    def is_open(_: str, params: Params) -> Response:
        first, last = hours.get(str(params.get("day")).lower(), (0, 0))
        return 200, {"open": f"{first:02}:00" <= str(params.get("time")) < f"{last:02}:30"}

    return {"GET /free": free, "GET /open": is_open, r"(?:POST|PUT|DELETE) /\w+": _noted}


def _spoken_time(hour: int, minute: int) -> str:
    """Return a time such as `9:30 AM` or `2 PM`."""
    minutes = f":{minute}" if minute else ""
    return f"{(hour - 1) % 12 + 1}{minutes} {'PM' if hour >= 12 else 'AM'}"


def _noted(_: str, params: Params) -> Response:
    return 200, {"ok": True, "number": _number("B-", params)}


def _order(number: str, _: Params) -> Response:
    status, arrives = _pick(_DELIVERIES, number)
    return 200, {"number": number, "product": _pick(_PRODUCTS, number), "status": status, "arrives": arrives}


def _cancel_order(number: str, params: Params) -> Response:
    if _order(number, params)[1]["status"] == "packed and ready":
        return 200, {"number": number, "status": "cancelled"}
    return 409, {"error": "It is on its way."}


def _return(_: str, params: Params) -> Response:
    amounts = (24.9, 39.9, 52.0, 64.5, 89.0, 120.0)
    return 200, {"number": _number("R-", params), "amount": _pick(amounts, params.get("order"))}


def _account(number: str, _: Params) -> Response:
    # Made up from the number, so that an account always has the same bill: 70 to 250, in steps of 5 cents.
    amount = 70 + crc32(number.encode()) % 3600 / 20
    first_name = _pick(_NAMES, number).split()[0]
    last_name = _pick(_NAMES, number, "last").split()[1]
    return 200, {
        "number": number,
        "name": f"{first_name} {last_name}",
        "amount": amount,
        "reason": _pick(_REASONS, number),
        "difference": round(amount / 4, 2),
        "card": _pick(("4417", "0932", "7761", "2085", "6314"), number),
    }


def _diagnostics(_: str, params: Params) -> Response:
    if crc32(str(params.get("name")).encode()) % 6 == 0:
        return 200, {"outage": True, "until": _pick(("6 PM", "8 PM tonight"), params)}
    return 200, {"outage": False, "speed": _pick((94, 128, 212, 247), params)}


def _parcel(number: str, _: Params) -> Response:
    if crc32(number.encode()) % 3:  # out of order for two of three parcels
        return 503, {"error": "The tracking database is being moved."}
    return 200, {name: value for name, value in _order(number, {})[1].items() if name != "product"}


_SERVICES: dict[str, Routes] = {
    "calendar.bayside-dental.example": _calendar({**dict.fromkeys(_WEEKDAYS[:4], (8, 17)), "friday": (8, 14)}),
    "diary.elm-street.example": _calendar({**dict.fromkeys(_WEEKDAYS[:5], (8, 17)), "saturday": (9, 12)}),
    "workshop.northgate-motors.example": _calendar(dict.fromkeys(_WEEKDAYS[:5], (7, 16))),
    "api.larkspur-goods.example": {
        r"GET /v2/orders/(\w+)": _order,
        "GET /v2/orders": lambda _, params: (200, {"number": _number("K4", params)}),
        r"DELETE /v2/orders/(\w+)": _cancel_order,
        r"POST /v2/orders/\w+/note": _noted,
        "POST /v2/returns": _return,
    },
    "billing.cedar-valley.example": {
        r"GET /accounts/(\w+)": _account,
        "GET /accounts": lambda _, params: (200, {"number": _number("4011", params)}),
        r"POST /\w+": _noted,
    },
    "noc.tidewater.example": {"POST /diagnostics": _diagnostics, r"POST /\w+": _noted},
    "tickets.quayside.example": {"POST /tickets": _noted},
    "track.harborline.example": {r"GET /parcels/(\w+)": _parcel},
}
