# ruff: noqa: E501 - prompts in the flows stay on one line, as people write them.
"""What the demo scenario's team has made: four workers in four trades, with their programs in Based."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

TEAM = "Harborside Voice"
TAGS = {"production": "#2e7d32", "pilot": "#f9a825", "healthcare": "#1565c0", "retail": "#6a1b9a"}


@dataclass(frozen=True)
class Program:
    """A flow and its history: `versions` are the days before now, the message and the code, oldest first."""

    name: str
    label: str
    variables: dict[str, Any]
    versions: tuple[tuple[float, str, str], ...]


@dataclass(frozen=True)
class Business:
    """A worker with its flow, phone line and how many calls it had in 30 days."""

    name: str
    description: str
    tags: tuple[str, ...]
    program: Program
    line: dict[str, Any]
    calls: int
    outbound: Program | None = None
    outbound_line: dict[str, Any] = field(default_factory=dict)
    outbound_calls: int = 0


def criteria(*checks: tuple[str, str, str, float]) -> list[dict[str, Any]]:
    """One group of success criteria from (title, description, type, threshold)."""
    items = [dict(zip(("title", "description", "type", "threshold"), check, strict=True)) for check in checks]
    return [{"title": "Call quality", "description": "Judged after each call", "items": items}]


def extractions(**asked: tuple[str, str, bool]) -> dict[str, Any]:
    """Extraction definitions from (type, description, required)."""
    return {
        key: {"type": kind, "description": description, "required": required}
        for key, (kind, description, required) in asked.items()
    }


_CLINIC_1 = """\
say("Thank you for calling Bayside Dental.")
loop:
    res = talk("You are the receptionist of a dental clinic. Find out what the caller needs. Be warm and brief.", True)
until "caller wants an appointment":
    patient = res.ask(question="Extract the caller's name and the service they want.", example={"name": "Ada Park", "service": "a cleaning"})
    loop:
        slot = talk(f"Offer {patient['name']} two free slots this week and agree on one.", True, patient)
    until "caller has agreed to a time":
        say("You're all set. See you soon!")
until "caller's question is answered":
    say("Thank you for your call. Goodbye!")
"""
_CLINIC_2 = """\
say(f"Thank you for calling {clinic_name}.")
loop:
    res = talk("You are the receptionist of a dental clinic. Find out what the caller needs: a new appointment, moving one, or a question. Be warm and brief.", True)
until "caller wants an appointment":
    patient = res.ask(question="Extract the caller's name and the service they want.", example={"name": "Ada Park", "service": "a cleaning"})
    free = api.get_req(url=f"{calendar_url}/free", params={"service": patient["service"], "days": 7})
    loop:
        slot = talk(f"Offer {patient['name']} two of these slots and agree on one: {free['response']}", True, patient)
    until "caller has agreed to a time":
        chosen = slot.ask(question="Which slot was agreed on?", example={"day": "Tuesday", "time": "10:15 AM"})
        api.post_req(url=f"{calendar_url}/book", data={**patient, **chosen})
        say(f"You're booked for {chosen['day']} at {chosen['time']}. A confirmation is on its way.")
until "caller has agreed to a new time":
    moved = res.ask(question="Extract the name, the old and the new time.", example={"name": "Ada Park", "old": "Monday 9:00 AM", "new": "Friday 2:00 PM"})
    api.post_req(url=f"{calendar_url}/move", data=moved)
    say("I've moved it for you.")
until "caller's question is answered":
    say("Thank you for your call. Goodbye!")
"""
_CLINIC_3 = (
    _CLINIC_2
    + """\
until "caller asks for a person":
    say("Of course. I'm connecting you with our front desk now.")
    transfer(front_desk)
"""
)
_REMINDER = """\
loop:
    res = talk(f"You are calling {name} from Bayside Dental to confirm the appointment on {day} at {time}.", False, {"name": name, "day": day})
until "contact has confirmed":
    api.post_req(url=f"{calendar_url}/confirm", data={"name": name})
    say("Wonderful. See you then!")
until "voicemail detected":
    say("Hello, this is Bayside Dental with a reminder of your appointment. Please call us back.")
"""
_SHOP_1 = """\
say("Welcome to Larkspur Goods.")
loop:
    res = talk("You help customers of an online shop with orders and returns. Ask for the order number.", True)
until "caller knows where the order is":
    say("Thanks for shopping with us!")
"""
_SHOP_2 = """\
say("Welcome to Larkspur Goods.")
loop:
    res = talk("You help customers of an online shop with orders and returns. Ask for the order number first.", True)
until "caller gives an order number":
    order = res.ask(question="Extract the order number.", example={"order_number": "K48210"})
    info = api.get_req(url=f"{shop_url}/orders/{order['order_number']}", headers={"Authorization": shop_token})
    return info["response"]
until "return is registered":
    item = res.ask(question="Extract product and reason.", example={"product": "desk lamp", "reason": "damaged"})
    api.post_req(url=f"{shop_url}/returns", data={**order, **item})
    say("A prepaid label is in your inbox.")
until "caller asks for a person":
    say("I'm transferring you to our customer care team.")
    transfer(care_team)
until "caller knows where the order is":
    say("Thanks for shopping with us. Goodbye!")
"""
_POWER_1 = """\
say("Cedar Valley Power, good day.")
loop:
    res = talk("You explain electricity bills. Ask for the account number, then explain the latest invoice.", True)
until "caller has no more questions about the bill":
    say("Have a good day!")
"""
_POWER_2 = """\
say("Cedar Valley Power, good day.")
loop:
    res = talk("You explain electricity bills and take payments. Ask for the account number first. Never promise a discount.", True)
until "caller gives an account number":
    account = res.ask(question="Extract the account number.", example={"account": "40118822"})
    invoices = api.get_req(url=f"{billing_url}/invoices", params=account)
    return invoices["response"]
until "payment is confirmed":
    api.post_req(url=f"{billing_url}/charge", data=account)
    say("Your payment went through.")
until "caller has no more questions about the bill":
    say("Have a good day!")
"""
_POWER_3 = _POWER_2.replace(
    """until "caller has no more questions""",
    """until "caller asks for a person":
    say("I'm connecting you with our billing department.")
    transfer(billing_desk)
until "caller has no more questions""",
)
_POWER_4 = _POWER_3.replace(
    "Never promise a discount.", "Never promise a discount. Offer two instalments above 150 dollars."
)
_NET_1 = """\
say("Tidewater Internet support.")
loop:
    res = talk("You are a patient support technician. Find out the problem and since when it exists.", True)
until "problem is solved":
    say("Glad it works again!")
until "caller asks for a person":
    transfer(technician)
"""
_NET_2 = """\
state = {}
say("Tidewater Internet support.")
loop:
    res = talk("You are a patient support technician. Find out the problem and since when it exists. One step at a time.", True)
until "caller describes a problem":
    state["problem"] = res.ask(question="Summarise the problem.", example={"problem": "connection drops", "since": "yesterday"})
    check = api.post_req(url=f"{noc_url}/diagnostics", data=state["problem"])
    return check["response"]
until "caller can log in again":
    api.post_req(url=f"{noc_url}/reset", data={"email": res.ask(question="Extract the e-mail.", example={"email": "a@example.com"})})
    say("The link is in your inbox.")
until "problem is solved":
    api.post_req(url=f"{noc_url}/cases", data={**state, "solved": True})
    say("Glad it works again!")
until "caller asks for a person":
    say("I'm transferring you to a technician. One moment, please.")
    transfer(technician)
"""

BUSINESSES = (
    Business(
        name="Bayside Dental",
        description="Front desk of a dental clinic: books, moves and confirms appointments.",
        tags=("production", "healthcare"),
        program=Program(
            "Front desk",
            "inbound",
            {
                "clinic_name": "Bayside Dental",
                "calendar_url": "https://calendar.example.com",
                "front_desk": "+14155550199",
            },
            (
                (55, "First version", _CLINIC_1),
                (38, "Look up free slots in the calendar", _CLINIC_2),
                (12, "Hand over to the front desk on request", _CLINIC_3),
            ),
        ),
        line={
            "name": "Front desk line",
            "phoneNumber": "+14155550110",
            "externalConfig": {
                "voiceId": "21m00Tcm4TlvDq8ikWAM",
                "voiceModel": "eleven_turbo_v2_5",
                "language": "en-US",
            },
            "extractions": extractions(
                customer_name=("string", "Full name of the caller", True),
                service=("string", "Treatment that was asked for", False),
                appointment_day=("string", "Day of the appointment", False),
                appointment_time=("string", "Time of the appointment", False),
                booked=("boolean", "Whether an appointment was agreed on", True),
            ),
            "successCriteria": criteria(
                ("Polite", "The agent stays friendly", "BINARY", 1),
                ("Goal reached", "The caller got an appointment or an answer", "SCORE", 7),
            ),
        },
        calls=88,
        outbound=Program(
            "Reminder",
            "outbound",
            {"calendar_url": "https://calendar.example.com", "name": "", "day": "", "time": ""},
            ((30, "First version", _REMINDER),),
        ),
        outbound_line={"name": "Appointment reminders", "phoneNumber": "+14155550111"},
        outbound_calls=24,
    ),
    Business(
        name="Larkspur Goods",
        description="Customer care of an online shop: orders, deliveries and returns.",
        tags=("production", "retail"),
        program=Program(
            "Orders and returns",
            "inbound",
            {"shop_url": "https://shop.example.com", "shop_token": "", "care_team": "+15035550199"},
            ((52, "First version", _SHOP_1), (20, "Real order data, returns, transfer", _SHOP_2)),
        ),
        line={
            "name": "Customer care line",
            "phoneNumber": "+15035550120",
            "externalConfig": {
                "voiceId": "EXAVITQu4vr4xnSDxMaL",
                "voiceModel": "eleven_flash_v2_5",
                "language": "en-US",
            },
            "extractions": extractions(
                customer_name=("string", "Full name of the caller", True),
                order_number=("string", "Order the call is about", False),
                product=("string", "Product the call is about", False),
                refund_amount=("number", "Amount to refund in dollars", False),
                resolved=("boolean", "Whether the question was answered", True),
            ),
            "successCriteria": criteria(("Order found", "The agent found the order", "BINARY", 1)),
        },
        calls=76,
    ),
    Business(
        name="Cedar Valley Power",
        description="Billing line of an electricity supplier: explains bills and takes payments.",
        tags=("production",),
        program=Program(
            "Billing",
            "inbound",
            {"billing_url": "https://billing.example.com", "billing_desk": "+18015550199"},
            (
                (58, "First version", _POWER_1),
                (41, "Invoices from the billing system, payments", _POWER_2),
                (25, "Hand over to the billing department", _POWER_3),
                (6, "Offer instalments", _POWER_4),
            ),
        ),
        line={
            "name": "Billing line",
            "phoneNumber": "+18015550130",
            "externalConfig": {
                "voiceId": "pNInz6obpgDQGcFmaJgB",
                "voiceModel": "eleven_turbo_v2_5",
                "language": "en-US",
            },
            "extractions": extractions(
                customer_name=("string", "Full name of the caller", True),
                account_number=("string", "Account the call is about", False),
                amount=("number", "Amount of the bill in dollars", False),
                callback=("boolean", "Whether the caller wants a call back", True),
            ),
            "successCriteria": criteria(
                ("Explained", "The caller understands the bill", "SCORE", 7),
                ("No promise", "The agent promises no discount", "BINARY", 1),
            ),
        },
        calls=62,
    ),
    Business(
        name="Tidewater Internet",
        description="Technical support of an internet provider, with transfer to a technician.",
        tags=("pilot",),
        program=Program(
            "Support",
            "inbound",
            {"noc_url": "https://noc.example.com", "technician": "+12065550199"},
            ((45, "First version", _NET_1), (15, "Run diagnostics, reset log-ins, open cases", _NET_2)),
        ),
        line={
            "name": "Support line",
            "phoneNumber": "+12065550140",
            "externalConfig": {
                "voiceId": "TxGEqnHWrfWFTfGW9XjX",
                "voiceModel": "eleven_multilingual_v2",
                "language": "en-US",
            },
            "extractions": extractions(
                customer_name=("string", "Full name of the caller", True),
                problem=("string", "What does not work", False),
                case_number=("string", "Case that was opened", False),
                solved=("boolean", "Whether the problem is gone", True),
                satisfaction=("number", "How happy the caller seems, 1 to 10", False),
            ),
            "successCriteria": criteria(("Solved", "The problem is gone or with a technician", "BINARY", 1)),
        },
        calls=50,
    ),
)
