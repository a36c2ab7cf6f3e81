"""The people who call, and the places they live in. faker fills the pools once; a call only picks from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

# Area codes of the United States and a city in each, so that a number fits its owner's town.
CITIES = (
    ("New York", "NY", "212"),
    ("Los Angeles", "CA", "213"),
    ("Chicago", "IL", "312"),
    ("Houston", "TX", "713"),
    ("Phoenix", "AZ", "602"),
    ("Philadelphia", "PA", "215"),
    ("San Antonio", "TX", "210"),
    ("San Diego", "CA", "619"),
    ("Dallas", "TX", "214"),
    ("San Francisco", "CA", "415"),
    ("Austin", "TX", "512"),
    ("Seattle", "WA", "206"),
    ("Denver", "CO", "303"),
    ("Boston", "MA", "617"),
    ("Nashville", "TN", "615"),
    ("Portland", "OR", "503"),
    ("Detroit", "MI", "313"),
    ("Memphis", "TN", "901"),
    ("Baltimore", "MD", "410"),
    ("Milwaukee", "WI", "414"),
    ("Albuquerque", "NM", "505"),
    ("Tucson", "AZ", "520"),
    ("Sacramento", "CA", "916"),
    ("Kansas City", "MO", "816"),
    ("Atlanta", "GA", "404"),
    ("Miami", "FL", "305"),
    ("Oakland", "CA", "510"),
    ("Minneapolis", "MN", "612"),
    ("Tampa", "FL", "813"),
    ("New Orleans", "LA", "504"),
    ("Cleveland", "OH", "216"),
    ("Pittsburgh", "PA", "412"),
    ("St. Louis", "MO", "314"),
    ("Cincinnati", "OH", "513"),
    ("Orlando", "FL", "407"),
    ("Salt Lake City", "UT", "801"),
)

# Members of a campaign's contact row that hold its person's name.
_FIRST = ("first_name", "firstName", "firstname")
_LAST = ("last_name", "lastName", "lastname")
_WHOLE = ("name", "customer_name", "customerName", "full_name", "fullName")


@dataclass(frozen=True, slots=True)
class Pools:
    """What to pick from."""

    first: tuple[str, ...]
    last: tuple[str, ...]
    streets: tuple[str, ...]
    agents: tuple[str, ...]


@cache
def pools() -> Pools:
    """The pools, the same in every process."""
    from faker import Faker  # imported late: it takes longer than the rest of the start

    faker = Faker("en_US")
    faker.seed_instance(4010)

    def some(make: Any, count: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys(make() for _ in range(count)))

    return Pools(
        first=some(faker.first_name, 250),
        last=some(faker.last_name, 400),
        streets=some(faker.street_name, 200),
        agents=some(faker.first_name_female, 20) + some(faker.first_name_male, 20),
    )


@dataclass(frozen=True, slots=True)
class Person:
    """One caller. The number is of the range that is kept for fiction (555-01xx), in E.164."""

    first: str
    last: str
    number: str
    city: str
    state: str
    street: str
    email: str

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first} {self.last}".strip()


def fictional_number(rng: Random, area_code: str) -> str:
    """A number that belongs to nobody."""
    return f"+1{area_code}55501{rng.randrange(100):02d}"


def anybody(rng: Random) -> Person:
    """A person out of the pools."""
    pool = pools()
    first, last = rng.choice(pool.first), rng.choice(pool.last)
    city, state, area_code = rng.choice(CITIES)
    return Person(
        first=first,
        last=last,
        number=fictional_number(rng, area_code),
        city=city,
        state=state,
        street=f"{rng.randrange(1, 9999)} {rng.choice(pool.streets)}",
        email=f"{first}.{last}@example.com".lower(),
    )


def person_of(rng: Random, row: Mapping[str, Any] | None, number: str | None) -> Person:
    """The person of a contact row: its name and e-mail where it tells them, the rest made up."""
    made_up = anybody(rng)
    row = row or {}
    whole = _text(row, _WHOLE).split()
    first = _text(row, _FIRST) or (whole[0] if whole else made_up.first)
    last = _text(row, _LAST) or (" ".join(whole[1:]) if whole else made_up.last)
    return Person(
        first=first,
        last=last,
        number=number or made_up.number,
        city=_text(row, ("city",)) or made_up.city,
        state=_text(row, ("state",)) or made_up.state,
        street=made_up.street,
        email=_text(row, ("email", "emailAddress")) or made_up.email,
    )


def _text(row: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((row[name] for name in names if isinstance(row.get(name), str) and row[name].strip()), "")
