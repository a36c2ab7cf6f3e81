"""Slot values of one conversation, invented when they are first used."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TYPE_CHECKING, Any

from dryline.simulator import names
from dryline.simulator.people import CITIES, fictional_number, said_number

if TYPE_CHECKING:
    from dryline.simulator.deployment_context import DeploymentContext

_LETTERS = "ABCDEFGHKMNPRSTVX"
_SERVICES = ("check-up", "cleaning", "consultation", "follow-up visit", "whitening", "second opinion")
# Products, each with its possible faults.
_PRODUCTS = {
    "pair of running shoes": (
        "They're a size too small",
        "One of the soles came off",
        "They're not as in the pictures",
    ),
    "coffee grinder": ("It arrived broken", "It's much too loud", "It doesn't fit my jars"),
    "rain jacket": ("It's the wrong size", "A seam is open", "The colour is not what I ordered"),
    "desk lamp": ("It flickers", "The base is cracked", "It's not as bright as you say"),
    "wireless headset": ("One side is silent", "It won't charge", "It hurts after an hour"),
    "bookshelf": ("One board is scratched", "The screws are missing", "It's too wide for the wall"),
    "garden chair": ("One leg is bent", "It's not the colour in the pictures", "It wobbles"),
    "suitcase": ("A wheel is missing", "The lock doesn't close", "It's bigger than the airline allows"),
}
_CHARGES = ("the meter replacement", "a final reading", "the late payment in spring", "the reconnection")
# Problems: as people say it, as a summary says it, since when, and the remedies.
_PROBLEMS = (
    (
        "my internet keeps dropping every few minutes",
        "internet drops every few minutes",
        ("Since this morning", "Since yesterday", "Since the storm on the weekend"),
        ("restarting the router", "moving the router off the floor"),
    ),
    (
        "the app closes as soon as I open it",
        "the app closes as soon as it is opened",
        ("Ever since the last update", "Since this morning"),
        ("installing the latest update", "clearing the app's cache"),
    ),
    (
        "I don't get any e-mails",
        "no e-mails come in",
        ("Since yesterday", "Since I changed my password", "For three days"),
        ("signing out and in again", "emptying the full mailbox"),
    ),
    (
        "my printer is not found on the network any more",
        "the printer is not found on the network",
        ("Since I got the new router", "Since last week"),
        ("switching the printer off and on", "connecting the printer to the network again"),
    ),
    (
        "video calls freeze all the time",
        "video calls freeze",
        ("Since Monday", "For about a week"),
        ("using the faster of the two wireless networks", "restarting the router"),
    ),
)
_VERDICTS = (
    (8, ("It was all fine, really", "He had it working in five minutes", "Somebody who listened")),
    (5, ("It took a while to get through", "Longer opening hours would help", "I had to call twice")),
    (1, ("I had to explain it three times", "It broke again the next day", "Nobody called me back")),
)


class Slots(dict[str, Any]):
    """The facts of one conversation by name, for `str.format_map`. `known` are those that are not invented.

    Raises KeyError for an unknown name.
    """

    __slots__ = ("line", "random")

    def __init__(self, line: DeploymentContext, rng: Random, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self.line = line
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
    days = facts.line.week.days
    index = days.index(facts["day"]) if facts["day"] in days else 0
    return days[index - 1 - int(facts.random() * min(3, len(days) - 1))]


def _other_time(facts: Slots) -> str:
    """Return a time of the other day, not the one that was proposed first, if there is another."""
    times = facts.line.week.times[facts["other_day"]]
    index = times.index(facts["time"]) if facts["time"] in times else 0
    return times[index - 1 - int(facts.random() * min(4, len(times) - 1))]


def _verdict(facts: Slots) -> str:
    return facts.pick(next(texts for least, texts in _VERDICTS if facts["rating"] >= least))


def _with_article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


_MADE: dict[str, Callable[[Slots], Any]] = {
    "first": lambda facts: facts.pick(names.FIRST),
    "last": lambda facts: facts.pick(names.LAST),
    "name": lambda facts: f"{facts['first']} {facts['last']}".strip(),
    "home": lambda facts: facts.pick(CITIES),
    "city": lambda facts: facts["home"].name,
    "warehouse": lambda facts: facts.pick(CITIES).name,
    "phone": lambda facts: fictional_number(facts.random, facts["home"].area_code),
    "phone_said": lambda facts: said_number(facts["phone"]),
    "line_said": lambda facts: said_number(facts.line.number),
    "email": lambda facts: f"{facts['first']}.{facts['last']}@example.com".lower().replace(" ", "."),
    "business": lambda facts: facts.line.business,
    "agent": lambda facts: facts.line.agent,
    "opening": lambda facts: facts.line.opening,
    "premises": lambda facts: facts.line.address,
    "desk": lambda facts: facts.line.industry.desk,
    "day": lambda facts: facts.pick(facts.line.week.days),
    "time": lambda facts: facts.pick(facts.line.week.times.get(facts["day"]) or ("10:15 AM",)),
    "other_day": _other_day,
    "other_time": _other_time,
    "asked_day": lambda facts: facts.pick(tuple(facts.line.week.said)),
    "hours_said": lambda facts: facts.line.week.said[facts["asked_day"]],
    "order": lambda facts: facts.pick(_LETTERS) + facts.number(5),
    "confirmation": lambda facts: facts.pick(_LETTERS) + facts.number(6),
    "case": lambda facts: facts.number(6),
    "patient": lambda facts: facts.number(5),
    "account": lambda facts: facts.number(8),
    "card": lambda facts: facts.number(4),
    "amount": lambda facts: f"{40 + int(facts.random() * 21000) / 100:.2f}",
    "fee": lambda facts: f"{float(facts['amount']) * 0.3:.2f}",
    "usual": lambda facts: f"{float(facts['amount']) - float(facts['fee']):.2f}",
    "charge": lambda facts: facts.pick(_CHARGES),
    "rating": lambda facts: 10 - int(facts.random() * facts.random() * 10),
    "verdict": _verdict,
    "service": lambda facts: facts.pick(_SERVICES),
    "service_said": lambda facts: _with_article(facts["service"]),
    "product": lambda facts: facts.pick(tuple(_PRODUCTS)),
    "flaw": lambda facts: facts.pick(_PRODUCTS.get(facts["product"]) or ("It's not what I expected",)),
    "trouble": lambda facts: facts.pick(_PROBLEMS),
    "problem_said": lambda facts: facts["trouble"][0],
    "problem": lambda facts: facts["trouble"][1],
    "since": lambda facts: facts.pick(facts["trouble"][2]),
    "fix": lambda facts: facts.pick(facts["trouble"][3]),
    "subject": lambda facts: facts.pick(facts.line.industry.subjects),
    "grievance": lambda facts: facts.pick(facts.line.industry.complaints),
    "complaint_said": lambda facts: facts["grievance"][0],
    "complaint": lambda facts: facts["grievance"][1],
}
