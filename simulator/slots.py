"""Slot values of one conversation, invented when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.simulator.people import cities, fictional_number, said_number
from dryline.simulator.scripts import load_facts
from dryline.simulator.tables import table

if TYPE_CHECKING:
    from dryline.simulator.deployment_context import DeploymentContext

_LETTERS = "ABCDEFGHKMNPRSTVX"


class Slots(dict[str, Any]):
    """The facts of one conversation by name, for `str.format_map`. `known` are those that are not invented.

    Raises KeyError for an unknown name.
    """

    __slots__ = ("deployment", "random")

    def __init__(self, deployment: DeploymentContext, rng: Random, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self.deployment = deployment
        self.random = rng.random

    def __missing__(self, name: str) -> Any:
        self[name] = value = _MADE[name](self)
        return value

    def pick(self, options: Sequence[Any]) -> Any:
        return options[int(self.random() * len(options))]

    def number(self, digits: int) -> str:
        """Return a number as text; its first digit is not 0."""
        least = 10 ** (digits - 1)
        return str(least + int(self.random() * 9 * least))


def _other_day(facts: Slots) -> str:
    """Return another day on which the business is open, if there is one."""
    days = facts.deployment.week.days
    index = days.index(facts["day"]) if facts["day"] in days else 0
    return days[index - 1 - int(facts.random() * min(3, len(days) - 1))]


def _other_time(facts: Slots) -> str:
    """Return a time of the other day, not the one that was proposed first, if there is another."""
    times = facts.deployment.week.times[facts["other_day"]]
    index = times.index(facts["time"]) if facts["time"] in times else 0
    return times[index - 1 - int(facts.random() * min(4, len(times) - 1))]


def _verdict(facts: Slots) -> str:
    verdicts = load_facts()["verdicts"]
    return facts.pick(next(each["said"] for each in verdicts if facts["rating"] >= each["least rating"]))


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


_MADE: dict[str, Callable[[Slots], Any]] = {
    "first": lambda facts: facts.pick(table("first names")),
    "last": lambda facts: facts.pick(table("last names")),
    "name": lambda facts: f"{facts['first']} {facts['last']}".strip(),
    "home": lambda facts: facts.pick(cities()),
    "city": lambda facts: facts["home"].name,
    "warehouse": lambda facts: facts.pick(cities()).name,
    "phone": lambda facts: fictional_number(facts.random, facts["home"].area_code),
    "phone_said": lambda facts: said_number(facts["phone"]),
    "line_said": lambda facts: said_number(facts.deployment.number),
    "email": lambda facts: f"{facts['first']}.{facts['last']}@example.com".lower().replace(" ", "."),
    "business": lambda facts: facts.deployment.business,
    "agent": lambda facts: facts.deployment.agent,
    "opening": lambda facts: facts.deployment.profile.opening,
    "premises": lambda facts: facts.deployment.address,
    "desk": lambda facts: facts.deployment.industry.desk,
    "day": lambda facts: facts.pick(facts.deployment.week.days),
    "time": lambda facts: facts.pick(facts.deployment.week.times.get(facts["day"]) or ("10:15 AM",)),
    "other_day": _other_day,
    "other_time": _other_time,
    "asked_day": lambda facts: facts.pick(tuple(facts.deployment.week.said)),
    "hours_said": lambda facts: facts.deployment.week.said[facts["asked_day"]],
    "order": lambda facts: facts.pick(_LETTERS) + facts.number(5),
    "confirmation": lambda facts: facts.pick(_LETTERS) + facts.number(6),
    "case": lambda facts: facts.number(6),
    "patient": lambda facts: facts.number(5),
    "account": lambda facts: facts.number(8),
    "card": lambda facts: facts.number(4),
    "amount": lambda facts: f"{40 + int(facts.random() * 21000) / 100:.2f}",
    "fee": lambda facts: f"{float(facts['amount']) * 0.3:.2f}",
    "usual": lambda facts: f"{float(facts['amount']) - float(facts['fee']):.2f}",
    "charge": lambda facts: facts.pick(load_facts()["charges"]),
    "rating": lambda facts: 10 - int(facts.random() * facts.random() * 10),
    "verdict": _verdict,
    "service": lambda facts: facts.pick(load_facts()["services"]),
    "service_said": lambda facts: _with_article(facts["service"]),
    "product": lambda facts: facts.pick(tuple(load_facts()["products"])),
    "flaw": lambda facts: facts.pick(load_facts()["products"].get(facts["product"]) or ("It's not what I expected",)),
    "trouble": lambda facts: facts.pick(load_facts()["problems"]),
    "problem_said": lambda facts: facts["trouble"]["said"],
    "problem": lambda facts: facts["trouble"]["named"],
    "since": lambda facts: facts.pick(facts["trouble"]["since"]),
    "fix": lambda facts: facts.pick(facts["trouble"]["remedies"]),
    "subject": lambda facts: facts.pick(facts.deployment.industry.subjects),
    "grievance": lambda facts: facts.pick(load_facts()["complaints"][facts.deployment.industry.name]),
    "complaint_said": lambda facts: facts["grievance"]["said"],
    "complaint": lambda facts: facts["grievance"]["named"],
}
