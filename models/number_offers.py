"""Numbers that could be bought. Nobody sells them: they follow from what is asked for, so that an answer repeats."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from dryline.models.assets import PhoneNumber
from dryline.models.teams import Team

PAGE = 20  # numbers an answer
TRIES = 400  # numbers looked at for a page


class Block(NamedTuple):
    """Numbers that begin alike: `prefix` follows the calling code, `free` digits follow it."""

    prefix: str
    free: int
    locality: str | None = None
    region: str | None = None


class Plan(NamedTuple):
    """A country's calling code and its blocks by kind."""

    code: str
    blocks: dict[str, list[Block]]


def _plan(
    code: str, free: int, local: str, mobile: str, toll_free: str, *, free_mobile: int = 0, free_toll: int = 0
) -> Plan:
    """Local blocks as `prefix locality/region; …`, the others as prefixes. `free` digits follow each, or as named."""
    places = (entry.strip().split(" ", 1) for entry in local.split(";"))
    return Plan(
        code,
        {
            "Local": [Block(prefix, free, *place.split("/")) for prefix, place in places],
            "Mobile": [Block(prefix, free_mobile or free) for prefix in mobile.split()],
            "TollFree": [Block(prefix, free_toll or free) for prefix in toll_free.split()],
        },
    )


_US = "415 San Francisco/CA; 212 New York/NY; 305 Miami/FL; 312 Chicago/IL; 512 Austin/TX; 617 Boston/MA"
_CA = "416 Toronto/ON; 604 Vancouver/BC; 514 Montreal/QC; 403 Calgary/AB; 613 Ottawa/ON"
_AMERICAN_TOLL_FREE = "800 833 844 855 866 877 888"
# In North America mobile numbers look like local ones.
PLANS = {
    "US": _plan("1", 7, _US, "415 212 305 312 512 617", _AMERICAN_TOLL_FREE),
    "CA": _plan("1", 7, _CA, "416 604 514 403 613", _AMERICAN_TOLL_FREE),
    "GB": _plan(
        "44", 8, "20 London/England; 29 Cardiff/Wales", "7400 7500 7700 7900", "800", free_mobile=6, free_toll=7
    ),
    "IE": _plan("353", 7, "1 Dublin/Leinster; 21 Cork/Munster", "83 85 87", "1800", free_toll=6),
    "AU": _plan("61", 8, "2 Sydney/NSW; 3 Melbourne/VIC; 7 Brisbane/QLD", "4", "1800", free_toll=6),
    "NZ": _plan("64", 7, "9 Auckland/Auckland; 4 Wellington/Wellington", "21 27", "800", free_toll=6),
    "DE": _plan("49", 8, "30 Berlin/Berlin; 89 Munich/Bavaria; 40 Hamburg/Hamburg", "151 160 171", "800", free_toll=7),
    "AT": _plan("43", 7, "1 Vienna/Vienna; 662 Salzburg/Salzburg", "660 664", "800", free_toll=6),
    "CH": _plan("41", 7, "44 Zurich/Zurich; 22 Geneva/Geneva; 31 Bern/Bern", "76 78 79", "800", free_toll=6),
    "FR": _plan("33", 8, "1 Paris/Ile-de-France; 4 Lyon/Auvergne-Rhone-Alpes", "6 7", "800", free_toll=6),
    "ES": _plan("34", 7, "91 Madrid/Madrid; 93 Barcelona/Catalonia", "61 65", "900", free_toll=6),
    "IT": _plan("39", 8, "06 Rome/Lazio; 02 Milan/Lombardy", "320 347", "800", free_mobile=7, free_toll=6),
    "NL": _plan(
        "31", 7, "20 Amsterdam/North Holland; 10 Rotterdam/South Holland", "6", "800", free_mobile=8, free_toll=7
    ),
    "BE": _plan("32", 7, "2 Brussels/Brussels; 3 Antwerp/Flanders", "47 49", "800", free_toll=5),
    "SE": _plan("46", 7, "8 Stockholm/Stockholm; 31 Gothenburg/Vastra Gotaland", "70 73", "20", free_toll=6),
    "PL": _plan("48", 7, "22 Warsaw/Mazovia; 12 Krakow/Lesser Poland", "50 60", "800", free_toll=6),
    "BR": _plan("55", 8, "11 Sao Paulo/SP; 21 Rio de Janeiro/RJ", "119 219", "800", free_toll=7),
    "MX": _plan("52", 8, "55 Mexico City/CDMX; 33 Guadalajara/Jalisco", "55 33", "800", free_toll=7),
    "JP": _plan("81", 8, "3 Tokyo/Tokyo; 6 Osaka/Osaka", "80 90", "120", free_toll=6),
    "IN": _plan("91", 8, "11 Delhi/Delhi; 22 Mumbai/Maharashtra", "98 99", "1800", free_toll=6),
}


def offers(
    team: Team,
    *,
    country_code: str,
    number_type: str,
    area_code: str | None = None,
    contains: str = "",
    **wanted: bool,
) -> list[dict[str, Any]]:
    """Up to a page of numbers that the team does not have. Contract: listAvailablePhoneNumbers.

    `wanted` holds `sms_enabled`, `mms_enabled` and `voice_enabled`. A country that is not in PLANS has none.
    """
    country = country_code.upper()
    plan = PLANS.get(country)
    if plan is None:
        return []
    taken = {number.phone_number for number in PhoneNumber.listing(team)}
    chance = Random(f"{country}/{number_type}/{area_code}/{contains}")
    found: dict[str, dict[str, Any]] = {}
    for block in _drawn(plan, number_type, area_code, chance):
        number = _number(plan.code, block, "".join(c for c in contains if c in "0123456789*"), chance)
        if number is None or number in taken or number in found:
            continue
        capabilities = _capabilities(country, number_type, number)
        if all(capabilities[name.removesuffix("_enabled")] == value for name, value in wanted.items()):
            found[number] = _offer(number, country, number_type, block, capabilities)
        if len(found) == PAGE:
            break
    return [found[number] for number in sorted(found)]


def _drawn(plan: Plan, number_type: str, area_code: str | None, chance: Random) -> Iterator[Block]:
    """Blocks by chance: those of the area code, or one of that code in a place not known here."""
    blocks = plan.blocks[number_type]
    if area_code is not None:
        area = area_code.lstrip("0") or area_code
        fitting = [block for block in blocks if block.prefix.lstrip("0").startswith(area)]
        if not fitting and plan.code == "1" and number_type != "TollFree" and len(area) == 3 and area[0] not in "01":
            fitting = [Block(area, 7)]
        blocks = fitting
    for _ in range(TRIES if blocks else 0):
        yield chance.choice(blocks)


def _number(code: str, block: Block, contains: str, chance: Random) -> str | None:
    """A number of the block that holds `contains`, in which `*` is any digit; None when there is none."""
    fixed = code + block.prefix
    pattern = list(fixed + "*" * block.free)
    places = [
        start
        for start in range(len(pattern) - len(contains) + 1)
        if all("*" in (want, have) or want == have for want, have in zip(contains, pattern[start:], strict=False))
    ]
    if not places:
        return None
    start = chance.choice(places)
    for index, digit in enumerate(contains, start):
        pattern[index] = digit if pattern[index] == "*" else pattern[index]
    # No subscriber's number begins with 0 or 1 in North America, with 0 elsewhere.
    low = 2 if code == "1" else 1
    digits = [
        str(chance.randint(low if index == len(fixed) else 0, 9)) if digit == "*" else digit
        for index, digit in enumerate(pattern)
    ]
    return "+" + "".join(digits) if block.free and int(digits[len(fixed)]) >= low else None


def _capabilities(country: str, number_type: str, number: str) -> dict[str, bool]:
    """What a number can do: all of them voice; messages as is usual for its kind, a few local numbers excepted."""
    american = country in ("US", "CA")
    sms = {"Local": american and int(number[-2:]) % 10 != 0, "Mobile": True, "TollFree": american}[number_type]
    return {"voice": True, "sms": sms, "mms": sms and american and int(number[-1]) % 4 != 3}


def _offer(number: str, country: str, number_type: str, block: Block, capabilities: dict[str, bool]) -> dict[str, Any]:
    return {
        "phone_number": number,
        "friendly_name": f"({number[2:5]}) {number[5:8]}-{number[8:]}" if number.startswith("+1") else number,
        "country_code": country,
        "number_type": number_type,
        "locality": block.locality,
        "region": block.region,
        "capabilities": capabilities,
    }
