"""The words of a simulated conversation and its data agree, in a hundred calls of each trade."""

import re

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.conftest import Api, created

WORKERS = {
    "clinic": "Bayside dental clinic",
    "shop": "Larkspur online shop",
    "utility": "Cedar electricity bills",
    "support": "Tidewater tech support",
    "general": "Acme Associates",
}
DEFINITIONS = {
    "customer_name": {"type": "string", "description": "Full name"},
    "email": {"type": "string", "description": "Where to write to"},
    "service": {"type": "string", "description": "Treatment that was asked for"},
    "appointment_day": {"type": "string", "description": "Day of the appointment"},
    "appointment_time": {"type": "string", "description": "Time of the appointment"},
    "order_number": {"type": "string", "description": "Order the call is about"},
    "accountNumber": {"type": "string", "description": "Account the call is about"},
    "case_number": {"type": "string", "description": "Case that was opened"},
    "product": {"type": "string", "description": "Product the call is about"},
    "amount": {"type": "number", "description": "Amount spoken of"},
    "refund_amount": {"type": "number", "description": "Amount to refund"},
    "satisfaction": {"type": "number", "description": "Rating that the caller gave, 1 to 10"},
    "booked": {"type": "boolean", "description": "Whether an appointment was agreed on"},
    "payment_promised": {"type": "boolean", "description": "Whether a payment was promised"},
    "callback": {"type": "boolean", "description": "Whether the caller wants a call back"},
    "solved": {"type": "boolean", "description": "Whether the matter is settled"},
}
CRITERIA = [
    {
        "title": "Quality",
        "items": [
            {"title": "Polite", "description": "The agent stays friendly", "type": "BINARY", "threshold": 1},
            {"title": "Solved", "description": "The matter is settled", "type": "BINARY", "threshold": 1},
            {"title": "Goal reached", "description": "The caller got an answer", "type": "SCORE", "threshold": 9},
            {"title": "No promise", "description": "The agent promises no discount", "type": "BINARY", "threshold": 1},
        ],
    }
]


@pytest.fixture(scope="module", params=list(WORKERS))
def spoken(request):
    """Return calls of each trade in which something was said: of every outcome, and more of those that go wrong."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    try:
        api, control = Api(app.test_client(), "dryline-local-key"), Api(app.test_client(), "", prefix="/_dryline")
        new = {"name": WORKERS[request.param], "description": None, "status": None}
        worker = f"/workers/{created(api.post('/workers', new))['id']}"
        flow = created(api.post(f"{worker}/flows", {"name": "Main", "code": 'loop:\n    talk("Help.")\n'}))
        new = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow["id"]}
        new |= {"extractions": DEFINITIONS, "successCriteria": CRITERIA}
        line = created(api.post(f"{worker}/deployments/voice", new))
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "llmLogs": False}
        for options in (
            {"count": 60},
            *({"count": 12, "outcome": each} for each in ("failed", "transferred", "voicemail")),
        ):
            created(control.post("/simulate/calls", body | options))
        rows = control.get("/state").json["voiceLogs"]
    finally:
        app.close()
    return [log for log in rows if log["transcription"]]


def broke_off(log):
    return log["data"]["disconnection_reason"] in ("user_hangup", "error")


def items(log):
    (group,) = log["successResults"]["criteria"]
    return {item["title"]: item for item in group["items"]}


def functions(log):
    return {step["function"] for step in log["sessionLogData"]["trace"] if step["step"] == "call"}


def test_every_text_and_amount_that_is_extracted_was_said(spoken):
    for log in spoken:
        # To a contact, the name is known before anything is said.
        known = log["data"]["call_analysis"]["call_summary"] if log["direction"] == "outbound" else ""
        said = (log["transcription"] + known).lower()
        assert "+1" not in log["transcription"]  # which nobody says of a number
        for key, value in log["extractionsData"].items():
            if isinstance(value, str):
                assert value.lower() in said, (key, value, log["transcription"])
            elif "amount" in key:
                assert f"${value:.2f}" in said


def test_bookings_promises_and_refunds_are_those_that_were_made(spoken):
    agreed = {"book_appointment", "move_appointment", "confirm_appointment"}
    for log in spoken:
        extracted, made = log["extractionsData"], functions(log)
        assert extracted["booked"] is bool(made & agreed), log["transcription"]
        assert extracted["booked"] or not {"appointment_day", "appointment_time"} & set(extracted)
        assert extracted["payment_promised"] is ("note_promise" in made)
        assert ("refund_amount" in extracted) is ("create_return" in made)


def test_a_call_that_was_broken_off_settled_nothing(spoken):
    broken_off = [log for log in spoken if broke_off(log)]
    assert broken_off
    for log in broken_off:
        analysis = log["data"]["call_analysis"]
        assert analysis["call_successful"] is False
        assert log["extractionsData"]["solved"] is False
        assert analysis["call_summary"].endswith(("hung up.", "with an error."))
        assert not re.search(
            " booked a|Solved with|confirmed the|promised to|will be refunded", analysis["call_summary"]
        )


def test_criteria_and_extractions_of_the_same_thing_agree(spoken):
    for log in spoken:
        judged = items(log)
        assert judged["Solved"]["passed"] is judged["Goal reached"]["passed"] is log["extractionsData"]["solved"]
        assert judged["Polite"]["passed"] and judged["No promise"]["passed"]
        if log["status"] == "voicemail":
            assert not judged["Solved"]["passed"]
            assert log["data"]["call_analysis"]["call_successful"] is False
