"""The industries of workers, recognized by name, description and flow."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from dryline.simulator.analysis import Sought, sought
from dryline.simulator.scripts import Script, load_script

_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


@dataclass(frozen=True)
class Industry:
    """An industry with its scripts. `extracted` are the extractions of deployments that define none.

    A complaint has two forms: as people say it, and as a summary says it.
    """

    name: str
    words: str  # keywords by which a worker's industry is recognized
    inbound_scripts: tuple[str, ...]  # a script that is named twice is twice as usual
    outbound_scripts: tuple[str, ...]
    number: tuple[str, str]  # the number by which customers are found: as the agent says it, and its slot
    desk: str
    subjects: tuple[str, ...]
    complaints: tuple[tuple[str, str], ...]
    extracted: tuple[str, ...]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds the keywords."""
        return re.compile(rf"\b({self.words})", re.IGNORECASE)

    @cached_property
    def inbound(self) -> tuple[Script, ...]:
        """The scripts of inbound calls and chats."""
        return tuple(map(load_script, self.inbound_scripts))

    @cached_property
    def outbound(self) -> tuple[Script, ...]:
        """The scripts of outbound calls."""
        return tuple(map(load_script, self.outbound_scripts))

    @cached_property
    def transfer(self) -> Script:
        """The script of a caller who wants a person."""
        return load_script("support_with_transfer", *self.number)

    @cached_property
    def sought(self) -> tuple[Sought, ...]:
        """The default extractions."""
        return sought({key: {"type": _DEFAULT_TYPES.get(key, "string")} for key in self.extracted})


CLINIC = Industry(
    name="clinic",
    words="dent|clinic|doctor|medic|health|patient|appointment|booking|salon|spa\\b|therap|vet",
    inbound_scripts=("booking", "booking", "reschedule", "hours"),
    outbound_scripts=("reminder",),
    number=("your patient number", "patient"),
    desk="our front desk",
    subjects=("appointment", "next appointment", "next visit"),
    complaints=(
        ("I was told that somebody would call me back about my results", "nobody called back about the results"),
        ("I have had pain since my last visit", "pain since the last visit"),
        ("You cancelled my appointment and nobody told me", "an appointment was cancelled without notice"),
        ("I was charged for a visit that I never had", "charged for a visit that did not take place"),
        ("I sat in your waiting room for an hour yesterday", "an hour in the waiting room"),
    ),
    extracted=("customer_name", "intent", "appointment_day", "appointment_time", "service"),
)
SHOP = Industry(
    name="shop",
    words="shop|store|order|deliver|parcel|retail|commerce|return|wares|goods",
    inbound_scripts=("order_status", "order_status", "return", "hours"),
    outbound_scripts=("delivery",),
    number=("your order number", "order"),
    desk="our customer care team",
    subjects=("order", "delivery", "return"),
    complaints=(
        ("My parcel says delivered but it is not here", "a parcel marked as delivered did not arrive"),
        ("You charged me twice for one order", "charged twice for one order"),
        ("I sent my return back three weeks ago and have no refund", "no refund three weeks after a return"),
        ("The second replacement is broken as well", "a second replacement arrived broken"),
        ("The driver left my parcel in the rain", "a parcel was left in the rain"),
    ),
    extracted=("customer_name", "intent", "order_number", "product", "email"),
)
UTILITY = Industry(
    name="utility",
    words="bill|energy|power|utilit|water|electric|gas\\b|payment|insur|bank|account",
    inbound_scripts=("billing", "billing", "payment", "hours"),
    outbound_scripts=("payment_reminder",),
    number=("your account number", "account"),
    desk="our billing department",
    subjects=("account", "last payment", "open balance"),
    complaints=(
        ("You have billed me for a flat I moved out of", "billed for a flat after moving out"),
        ("My power was cut although I paid", "power was cut although the bill was paid"),
        ("Your technician did not come, twice", "a technician did not come, twice"),
        ("I get reminders for a bill that I paid in March", "reminders for a bill that is paid"),
        ("My instalments were cancelled and nobody says why", "instalments were cancelled without a reason"),
    ),
    extracted=("customer_name", "intent", "account_number", "amount", "payment_promised"),
)
SUPPORT = Industry(
    name="support",
    words="support|tech|help ?desk|software|internet|router|it desk|device|network",
    inbound_scripts=("support", "support", "password", "hours"),
    outbound_scripts=("survey",),
    number=("your case number", "case"),
    desk="a technician",
    subjects=("support case", "last request", "support ticket"),
    complaints=(
        ("The fix from last week did not help at all", "last week's fix did not help"),
        ("The whole office is offline and nobody answers my ticket", "a whole office is offline, ticket unanswered"),
        ("Your technician cancelled on me for the second time", "a visit was cancelled twice"),
        ("I pay for a fast line and get half of it", "half of the speed that is paid for"),
        ("Since your update nothing works here", "nothing works since an update"),
    ),
    extracted=("customer_name", "intent", "problem", "case_number", "resolved"),
)
GENERAL = Industry(
    name="general",
    words="",
    inbound_scripts=("callback_request", "first_talk", "first_talk", "hours"),
    outbound_scripts=("follow_up",),
    number=("your phone number", "phone_said"),
    desk="a colleague",
    subjects=("request", "question", "e-mail"),
    complaints=(
        ("I left two messages and nobody called me back", "two messages stayed without an answer"),
        ("Nobody has answered my e-mail for two weeks", "an e-mail was not answered for two weeks"),
        ("I was promised an answer by last Friday", "a promised answer did not come"),
        ("I get sent from one person to the next", "sent from one person to the next"),
        ("Your website says one thing and your colleague another", "the website and a colleague contradict each other"),
    ),
    extracted=("customer_name", "intent", "phone_number"),
)
INDUSTRIES = (CLINIC, SHOP, UTILITY, SUPPORT)


def industry_of(*texts: str | None) -> Industry:
    """Return the industry that the texts, the most telling first, are about."""
    for text in texts:
        counts = [len(industry.pattern.findall(text or "")) for industry in INDUSTRIES]
        if max(counts):
            return INDUSTRIES[counts.index(max(counts))]
    return GENERAL
