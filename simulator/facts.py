"""The facts of one conversation: what is known, what was said, and what is made up when it is first read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, Self

from dryline.simulator.people import City, cities, fictional_number, said_number
from dryline.simulator.scripts import load_facts
from dryline.simulator.tables import table

if TYPE_CHECKING:
    from dryline.simulator.deployment_context import DeploymentContext

_LETTERS = "ABCDEFGHKMNPRSTVX"


class Facts:
    """The facts of one conversation by name, as in `facts["day"]` and `text.format_map(facts)`.

    The properties are what can be made up. What is `known` from the start, or set later, takes the place of a property;
    it may have any name, such as "policy number". Raises KeyError for a fact that is not known and cannot be made up.
    """

    # Kept apart from the facts, which are all that `vars(self)` holds. For the same reason there are no methods: a flow
    # may name a fact as it likes.
    __slots__ = ("__dict__", "deployment", "random")

    def __init__(self, deployment: DeploymentContext, rng: Random, known: Mapping[str, Any]) -> None:
        self.deployment = deployment
        self.random = rng.random
        vars(self).update(known)

    def __getitem__(self, name: str) -> Any:
        if name in vars(self):
            return vars(self)[name]
        if not isinstance(getattr(type(self), name, None), cached_property):
            raise KeyError(name)
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        vars(self)[name] = value

    def __ior__(self, facts: Mapping[str, Any]) -> Self:
        vars(self).update(facts)
        return self

    # The person.

    @cached_property
    def first(self) -> str:
        return pick(self.random, table("first names"))

    @cached_property
    def last(self) -> str:
        return pick(self.random, table("last names"))

    @cached_property
    def name(self) -> str:
        return f"{self.first} {self.last}".strip()

    @cached_property
    def home(self) -> City:
        return pick(self.random, cities())

    @cached_property
    def city(self) -> str:
        return self.home.name

    @cached_property
    def phone(self) -> str:
        return fictional_number(self.random, self.home.area_code)

    @cached_property
    def phone_said(self) -> str:
        return said_number(self.phone)

    @cached_property
    def email(self) -> str:
        return f"{self.first}.{self.last}@example.com".lower().replace(" ", ".")

    # The business.

    @cached_property
    def business(self) -> str:
        return self.deployment.business

    @cached_property
    def agent(self) -> str:
        return self.deployment.agent

    @cached_property
    def opening(self) -> str | None:
        return self.deployment.profile.opening

    @cached_property
    def premises(self) -> str:
        return self.deployment.address

    @cached_property
    def desk(self) -> str:
        return self.deployment.industry.desk

    @cached_property
    def line_said(self) -> str:
        return said_number(self.deployment.number)

    @cached_property
    def warehouse(self) -> str:
        return pick(self.random, cities()).name

    # An appointment.

    @cached_property
    def day(self) -> str:
        return pick(self.random, self.deployment.week.days)

    @cached_property
    def time(self) -> str:
        return pick(self.random, self.deployment.week.times.get(self.day) or ("10:15 AM",))

    @cached_property
    def other_day(self) -> str:
        """Another day on which the business is open, if there is one."""
        return _another(self.random, self.deployment.week.days, self.day, most_before=3)

    @cached_property
    def other_time(self) -> str:
        """A time of the other day, not the one that was proposed first, if there is another."""
        return _another(self.random, self.deployment.week.times[self.other_day], self.time, most_before=4)

    @cached_property
    def asked_day(self) -> str:
        return pick(self.random, tuple(self.deployment.week.said))

    @cached_property
    def hours_said(self) -> str:
        return self.deployment.week.said[self.asked_day]

    @cached_property
    def service(self) -> str:
        return pick(self.random, load_facts()["services"])

    @cached_property
    def service_said(self) -> str:
        article = "an" if self.service[0] in "aeiou" else "a"
        return f"{article} {self.service}"

    # Numbers and money.

    @cached_property
    def order(self) -> str:
        return pick(self.random, _LETTERS) + _digits(self.random, 5)

    @cached_property
    def confirmation(self) -> str:
        return pick(self.random, _LETTERS) + _digits(self.random, 6)

    @cached_property
    def case(self) -> str:
        return _digits(self.random, 6)

    @cached_property
    def patient(self) -> str:
        return _digits(self.random, 5)

    @cached_property
    def account(self) -> str:
        return _digits(self.random, 8)

    @cached_property
    def card(self) -> str:
        return _digits(self.random, 4)

    @cached_property
    def amount(self) -> str:
        return f"{40 + int(self.random() * 21000) / 100:.2f}"

    @cached_property
    def fee(self) -> str:
        return f"{float(self.amount) * 0.3:.2f}"

    @cached_property
    def usual(self) -> str:
        return f"{float(self.amount) - float(self.fee):.2f}"

    @cached_property
    def charge(self) -> str:
        return pick(self.random, load_facts()["charges"])

    # The thoughts and wishes of the caller.

    @cached_property
    def rating(self) -> int:
        return 10 - int(self.random() * self.random() * 10)

    @cached_property
    def verdict(self) -> str:
        verdicts = load_facts()["verdicts"]
        return pick(self.random, next(each["said"] for each in verdicts if self.rating >= each["least rating"]))

    @cached_property
    def product(self) -> str:
        return pick(self.random, tuple(load_facts()["products"]))

    @cached_property
    def flaw(self) -> str:
        return pick(self.random, load_facts()["products"].get(self.product) or ("It's not what I expected",))

    @cached_property
    def trouble(self) -> Mapping[str, Any]:
        return pick(self.random, load_facts()["problems"])

    @cached_property
    def problem_said(self) -> str:
        return self.trouble["said"]

    @cached_property
    def problem(self) -> str:
        return self.trouble["named"]

    @cached_property
    def since(self) -> str:
        return pick(self.random, self.trouble["since"])

    @cached_property
    def fix(self) -> str:
        return pick(self.random, self.trouble["remedies"])

    @cached_property
    def subject(self) -> str:
        return pick(self.random, self.deployment.industry.subjects)

    @cached_property
    def grievance(self) -> Mapping[str, Any]:
        return pick(self.random, load_facts()["complaints"][self.deployment.industry.name])

    @cached_property
    def complaint_said(self) -> str:
        return self.grievance["said"]

    @cached_property
    def complaint(self) -> str:
        return self.grievance["named"]


def pick(random: Callable[[], float], options: Sequence[Any]) -> Any:
    """Return one of the options."""
    return options[int(random() * len(options))]


def _another(random: Callable[[], float], options: Sequence[str], first: str, *, most_before: int) -> str:
    """Return one of those before the first choice in a circle, up to so many; the same one where there is no other."""
    index = options.index(first) if first in options else 0
    return options[index - 1 - int(random() * min(most_before, len(options) - 1))]


def _digits(random: Callable[[], float], count: int) -> str:
    """Return a number as text; its first digit is not 0."""
    least = 10 ** (count - 1)
    return str(least + int(random() * 9 * least))
