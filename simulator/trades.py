"""The lines of business that calls are about. A worker's name, description and flow tell which one is its own."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

from dryline.simulator import scripts
from dryline.simulator.people import Person
from dryline.simulator.scripts import Script

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
TIMES = ("8:30 AM", "9:00 AM", "9:45 AM", "10:15 AM", "11:00 AM", "1:30 PM", "2:00 PM", "3:15 PM", "4:00 PM", "4:45 PM")


@dataclass(frozen=True)
class Trade:
    """A line of business. `extracted` maps what an analysis finds by default to the fact it is."""

    name: str
    words: str  # those that give a worker of this trade away
    inbound: tuple[Script, ...]
    outbound: tuple[Script, ...]
    desk: str
    reference: str
    subjects: tuple[str, ...]
    complaints: tuple[str, ...]
    extracted: tuple[str, ...]
    choices: tuple[tuple[str, tuple[str, ...]], ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Finds a word of the trade."""
        return re.compile(rf"\b({self.words})", re.IGNORECASE)

    def facts(self, rng: Random, person: Person) -> dict[str, Any]:
        """What is true in one conversation: the slots of the scripts."""
        random = rng.random
        amount = 40 + int(random() * 21000) / 100
        fee = round(amount * 0.3, 2)
        day = int(random() * len(DAYS))
        time = int(random() * len(TIMES))
        found = {
            "name": person.name,
            "first": person.first,
            "phone": person.number,
            "email": person.email,
            "city": person.city,
            "street": person.street,
            "day": DAYS[day],
            "other_day": DAYS[day - 1 - int(random() * 3)],
            "time": TIMES[time],
            "other_time": TIMES[time - 1 - int(random() * 4)],
            "closing": ("five", "six", "eight")[int(random() * 3)],
            "order": f"{'ABCDEFGHKMNPRSTVX'[int(random() * 17)]}{10000 + int(random() * 90000)}",
            "account": str(10_000_000 + int(random() * 90_000_000)),
            "card": f"{int(random() * 10000):04d}",
            "amount": f"{amount:.2f}",
            "fee": f"{fee:.2f}",
            "usual": f"{amount - fee:.2f}",
            "rating": 10 - int(random() * random() * 10),
            "desk": self.desk,
            "reference": self.reference,
            "subject": self.subjects[int(random() * len(self.subjects))],
            "complaint": self.complaints[int(random() * len(self.complaints))],
        }
        for name, texts in self.choices:
            found[name] = texts[int(random() * len(texts))]
        return found


_SERVICES = ("a check-up", "a cleaning", "a consultation", "a follow-up visit")
_PRODUCTS = ("pair of running shoes", "coffee grinder", "rain jacket", "desk lamp", "wireless headset", "bookshelf")
_CHARGES = ("the meter replacement", "a final reading", "the late payment in spring", "the reconnection")
_PROBLEMS = (
    "my internet keeps dropping every few minutes",
    "the app closes as soon as I open it",
    "I don't get any e-mails since yesterday",
    "the printer is not found on the network any more",
)
_FIXES = ("restarting the router", "signing out and in again", "installing the latest update", "clearing the cache")
# A trade knows every slot, so that a worker of no particular trade can have any conversation.
_CHOICES = (
    ("service", _SERVICES),
    ("product", _PRODUCTS),
    ("charge", _CHARGES),
    ("problem", _PROBLEMS),
    ("fix", _FIXES),
)

CLINIC = Trade(
    "clinic",
    "dent|clinic|doctor|medic|health|patient|appointment|booking|salon|spa\\b|therap|vet",
    (scripts.BOOKING, scripts.BOOKING, scripts.RESCHEDULE, scripts.HOURS),
    (scripts.REMINDER,),
    "our front desk",
    "date of birth or patient number",
    ("your appointment", "a free slot this week", "your treatment plan"),
    ("I was told that somebody would call me back about my results", "I have had pain since my last visit"),
    ("customer_name", "intent", "appointment_day", "appointment_time", "service"),
    _CHOICES,
)
SHOP = Trade(
    "shop",
    "shop|store|order|deliver|parcel|retail|commerce|return|wares|goods",
    (scripts.ORDER_STATUS, scripts.ORDER_STATUS, scripts.RETURN, scripts.HOURS),
    (scripts.DELIVERY,),
    "our customer care team",
    "order number",
    ("your order", "your delivery", "your return"),
    ("My parcel says delivered but it is not here", "You charged me twice for one order"),
    ("customer_name", "intent", "order_number", "product", "email"),
    _CHOICES,
)
UTILITY = Trade(
    "utility",
    "bill|energy|power|utilit|water|electric|gas\\b|payment|insur|bank|account",
    (scripts.BILLING, scripts.BILLING, scripts.PAYMENT, scripts.HOURS),
    (scripts.DUNNING,),
    "our billing department",
    "account number",
    ("your last bill", "your account", "your open balance"),
    ("You have billed me for a flat I moved out of", "My power was cut although I paid"),
    ("customer_name", "intent", "account_number", "amount", "payment_promised"),
    _CHOICES,
)
SUPPORT = Trade(
    "support",
    "support|tech|help ?desk|software|internet|router|it desk|device|network",
    (scripts.SUPPORT, scripts.SUPPORT, scripts.PASSWORD, scripts.HOURS),
    (scripts.SURVEY,),
    "a technician",
    "case number",
    ("your support case", "your last request", "the technician's visit"),
    ("The fix from last week did not help at all", "The whole office is offline and nobody answers my ticket"),
    ("customer_name", "intent", "problem", "case_number", "resolved"),
    _CHOICES,
)
TRADES = (CLINIC, SHOP, UTILITY, SUPPORT)


def trades_of(*texts: str | None) -> tuple[Trade, ...]:
    """The trade that `texts`, the most telling first, speak of; all of them when none does."""
    for text in texts:
        counts = {trade: len(trade.pattern.findall(text or "")) for trade in TRADES}
        best = max(TRADES, key=lambda trade: counts[trade])
        if counts[best]:
            return (best,)
    return TRADES
