"""The industries of workers, recognized by name, description and flow."""

import re
from dataclasses import dataclass
from functools import cached_property

from dryline.simulator.analysis import ExtractionRule, read_extractions
from dryline.simulator.scripts import Script, load_script

_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


@dataclass(frozen=True)
class Industry:
    """An industry with its scripts. `extracted` are the extractions of deployments that define none."""

    name: str
    words: str  # keywords by which a worker's industry is recognized
    inbound_scripts: tuple[str, ...]  # a script that is named twice is twice as usual
    outbound_scripts: tuple[str, ...]
    number: tuple[str, str]  # the number by which customers are found: as the agent says it, and its slot
    desk: str
    subjects: tuple[str, ...]
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
    def extraction_rules(self) -> tuple[ExtractionRule, ...]:
        """The default extractions."""
        return read_extractions({key: {"type": _DEFAULT_TYPES.get(key, "string")} for key in self.extracted})


CLINIC = Industry(
    name="clinic",
    words="dent|clinic|doctor|medic|health|patient|appointment|booking|salon|spa\\b|therap|vet",
    inbound_scripts=("booking", "booking", "reschedule", "hours"),
    outbound_scripts=("reminder",),
    number=("your patient number", "patient"),
    desk="our front desk",
    subjects=("appointment", "next appointment", "next visit"),
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
