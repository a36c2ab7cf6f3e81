"""The demo scenario's teams: workers in their trades, each with its business and its programs."""

from __future__ import annotations

from typing import Any

from dryline.tools.content import Business, Checkpoint, Program, Version, criteria, extractions, voice, week

TEAM, OTHER_TEAM = "Harborside Voice", "Quayside Facilities"
TAGS = {"production": "#2e7d32", "pilot": "#f9a825", "healthcare": "#1565c0", "retail": "#6a1b9a"}

_CLINIC = {
    "clinic": "Bayside Dental",
    "address": "2140 Harbor Way, San Francisco",
    "hours": "Monday to Thursday 8 to 6, Friday 8 to 3",
    "calendar_url": "https://calendar.bayside-dental.example",
    "front_desk": "+14155550199",
    "zone": "America/Los_Angeles",
}
_APPOINTMENT = "caller wants an appointment, a check-up or a cleaning, or is a new patient"
BAYSIDE = Business(
    name="Bayside Dental",
    description="Front desk of a dental clinic: books, moves and confirms appointments.",
    tags=("production", "healthcare"),
    zone="America/Los_Angeles",
    hours=week("08:00-18:00", friday="08:00-15:00"),
    program=Program(
        "Front desk",
        "inbound",
        _CLINIC,
        (
            Version(
                55,
                "First version",
                "front_desk_1",
                checkpoints=(
                    Checkpoint("New", "caller wants a new appointment", 5, 1),
                    Checkpoint("Hours", "caller asks about hours or the address", 3, 0),
                ),
            ),
            Version(
                38,
                "Look up free times in the calendar; ask for what is missing",
                "front_desk_2",
                checkpoints=(
                    Checkpoint("New", "caller wants to book an appointment", 5, 1),
                    Checkpoint("Move", "caller wants to move an appointment", 6, 1),
                    Checkpoint("Hours", "caller asks about hours or the address", 3, 0),
                ),
            ),
            Version(
                30,
                "Mend the moving of appointments; cancel; emergencies; prices",
                "front_desk_3",
                checkpoints=(
                    Checkpoint(
                        "New", "caller wants an appointment, a check-up or a cleaning, or is a new patient", 5, 1
                    ),
                    Checkpoint("Move", "caller wants another time for their appointment", 3, 1),
                    Checkpoint("Hours", "caller asks about opening hours or the address", 3, 0),
                ),
            ),
        ),
    ),
    line={
        "name": "Front desk line",
        "phoneNumber": "+14155550110",
        "externalConfig": voice("21m00Tcm4TlvDq8ikWAM", "eleven_turbo_v2_5", maxCallDurationMs=600_000),
        "extractions": extractions(
            customer_name=("string", "Full name of the caller"),
            service=("string", "Treatment that was asked for"),
            appointment_day=("string", "Day of the appointment"),
            appointment_time=("string", "Time of the appointment"),
            booked=("boolean", "Whether an appointment was agreed on"),
        ),
        "successCriteria": criteria(
            ("Polite", "The agent stays friendly", "BINARY", 1),
            ("Goal reached", "The caller got an appointment or an answer", "SCORE", 7),
        ),
    },
    calls_a_day=4.5,
)
REMINDER = Program(
    "Reminder",
    "outbound",
    {name: _CLINIC[name] for name in ("clinic", "address", "calendar_url", "front_desk", "zone")},
    (
        Version(33, "First version", "reminder_1"),
        Version(18, "Other times, voicemail, hand over", "reminder_2"),
    ),
)
REMINDER_LINE: dict[str, Any] = {
    "name": "Appointment reminders",
    "phoneNumber": "+14155550111",
    "externalConfig": voice(
        "21m00Tcm4TlvDq8ikWAM",
        "eleven_turbo_v2_5",
        enableVoicemailDetection=True,
        voicemailMessage="Hello, this is Bayside Dental with a reminder of your appointment. "
        "Please call us back at 415 555 0110.",
    ),
    "extractions": extractions(
        customer_name=("string", "Full name of the contact"),
        appointment_day=("string", "Day of the appointment"),
        confirmed=("boolean", "Whether the appointment was confirmed"),
    ),
}
LARKSPUR = Business(
    name="Larkspur Goods",
    description="Customer care of an online shop: orders, deliveries and returns.",
    tags=("production", "retail"),
    zone="America/Los_Angeles",
    hours=week("07:00-19:00", saturday="09:00-15:00"),
    program=Program(
        "Orders and returns",
        "inbound",
        {
            "address": "77 Alder Road, Portland",
            "hours": "Monday to Friday 7 to 7, Saturday 9 to 3",
            "shop_url": "https://api.larkspur-goods.example/v2",
            "shop_token": "",
            "return_days": 30,
            "care_team": "+15035550199",
            "care_phone": "503 555 0199",
        },
        (
            Version(52, "First version", "orders_1"),
            Version(29, "Real order data, returns, transfer", "orders_2"),
            Version(8, "Leave it with a neighbour; cancel an order; find an order by the caller's number", "orders_3"),
        ),
    ),
    line={
        "name": "Customer care line",
        "phoneNumber": "+15035550120",
        "externalConfig": voice("EXAVITQu4vr4xnSDxMaL", "eleven_flash_v2_5"),
        "extractions": extractions(
            order_number=("string", "Order the call is about"),
            product=("string", "Product the call is about"),
            refund_amount=("number", "Amount to refund in dollars"),
            resolved=("boolean", "Whether the question was answered"),
        ),
        "successCriteria": criteria(("Resolved", "The caller knows what comes next", "BINARY", 1)),
    },
    calls_a_day=3.65,
    parameters={"return_days": (45, "Longer in the holiday season")},
)
CEDAR = Business(
    name="Cedar Valley Power",
    description="Billing line of an electricity supplier: explains bills and takes payments.",
    tags=("production",),
    zone="America/Denver",
    hours=week("08:00-17:00"),
    program=Program(
        "Billing",
        "inbound",
        {
            "address": "510 Canyon Road, Salt Lake City",
            "hours": "Monday to Friday 8 to 5",
            "billing_url": "https://billing.cedar-valley.example",
            "instalments_from": 150,
            "billing_desk": "+18015550199",
        },
        (
            Version(58, "First version", "billing_1"),
            Version(41, "Invoices from the billing system, payments", "billing_2"),
            Version(29, "Explain the bill; ask for the account; hand over", "billing_3"),
            Version(9, "Payment plans; pay by card or online; find an account by the caller's number", "billing_4"),
        ),
    ),
    line={
        "name": "Billing line",
        "phoneNumber": "+18015550130",
        "externalConfig": voice("pNInz6obpgDQGcFmaJgB", "eleven_turbo_v2_5"),
        "extractions": extractions(
            customer_name=("string", "Full name of the caller"),
            account_number=("string", "Account the call is about"),
            amount=("number", "Amount of the bill in dollars"),
            callback=("boolean", "Whether the caller wants a call back"),
        ),
        "successCriteria": criteria(
            ("Answered", "The caller's question is answered", "SCORE", 7),
            ("No promise", "The agent promises no discount", "BINARY", 1),
        ),
    },
    calls_a_day=2.7,
    parameters={"instalments_from": (120, "As the winter tariff has it")},
)
TIDEWATER = Business(
    name="Tidewater Internet",
    description="Technical support of an internet provider, with transfer to a technician.",
    tags=("pilot",),
    zone="America/Los_Angeles",
    hours=week("06:00-22:00", saturday="08:00-20:00"),
    program=Program(
        "Support",
        "inbound",
        {
            "address": "18 Pike Street, Seattle",
            "hours": "Monday to Friday 6 AM to 10 PM, Saturday 8 to 8",
            "noc_url": "https://noc.tidewater.example",
            "technician": "+12065550199",
            "technician_phone": "206 555 0199",
        },
        (
            Version(45, "First version", "support_1"),
            Version(29, "Run diagnostics, reset log-ins, open a case", "support_2"),
            Version(16, "Slow connections; a third step before the technician", "support_3"),
            # On a Tuesday: each call that is transferred fails since then, until somebody mends the name.
            Version(
                3.1,
                "Rename the technicians' number",
                "support_3",
                ('["technician"]', '["technicians"]'),
                "caller asks for a person or a technician, complains, or wants a new contract, plan or router",
            ),
        ),
    ),
    line={
        "name": "Support line",
        "phoneNumber": "+12065550140",
        "externalConfig": voice("TxGEqnHWrfWFTfGW9XjX", "eleven_multilingual_v2"),
        "extractions": extractions(
            customer_name=("string", "Full name of the caller"),
            problem=("string", "What does not work"),
            case_number=("string", "Case that was opened"),
            solved=("boolean", "Whether the problem is gone"),
            satisfaction=("number", "Rating that the caller gave, 1 to 10"),
        ),
        "successCriteria": criteria(("Solved", "The problem is gone", "BINARY", 1)),
    },
    calls_a_day=2.4,
)
BUSINESSES = (BAYSIDE, LARKSPUR, CEDAR, TIDEWATER)

# Of the other team.
QUAYSIDE = Business(
    name="Quayside Help Desk",
    description="IT help desk of an office building.",
    tags=(),
    zone="America/New_York",
    hours=week("08:00-18:00"),
    program=Program(
        "Help desk",
        "inbound",
        {
            "address": "1 Quayside, Boston",
            "hours": "Monday to Friday 8 to 6",
            "floor": 3,
            "tickets_url": "https://tickets.quayside.example",
            "colleague": "+16175550199",
        },
        (Version(30, "First version", "help_desk_1"),),
    ),
    line={"name": "Help desk", "phoneNumber": "+16175550150"},
    calls_a_day=0.3,
)
