"""What a simulated conversation says, and what is said of it, agree: rules checked over some hundred calls."""

import re

import pytest

from dryline.simulator.industries import GENERAL, INDUSTRIES
from dryline.simulator.scripts import load_script

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
    "satisfaction": {"type": "number", "description": "How happy the caller seems, 1 to 10"},
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


@pytest.fixture
def simulated(api, control):
    """Simulate calls of a deployment and give their logs."""

    def simulate(line, count, **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "count": count, "llmLogs": False} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        path = f"/workers/{line['workerId']}/deploymentLogs/voice"
        return [api.get(f"{path}/{id}").json for id in answer.json["ids"]]

    return simulate


@pytest.fixture
def line_of_trade(make_worker, make_flow, make_voice_deployment):
    """A voice deployment of a trade, with extractions and criteria."""

    def make(trade, **body):
        worker = make_worker(name=WORKERS[trade])
        body = {"extractions": DEFINITIONS, "successCriteria": CRITERIA} | body
        return make_voice_deployment(make_flow(worker["id"]), **body)

    return make


@pytest.fixture(params=list(WORKERS))
def spoken(request, line_of_trade, simulated):
    """Calls of each trade in which something was said: every outcome, and more of those that go wrong."""
    line = line_of_trade(request.param)
    logs = simulated(line, 100)
    for outcome in ("failed", "transferred", "voicemail"):
        logs += simulated(line, 12, outcome=outcome)
    return [log for log in logs if log["transcription"]]


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
        for key, value in log["extractionsData"].items():
            if isinstance(value, str):
                assert value.lower() in said, (key, value, log["transcription"])
            elif "amount" in key:
                assert f"${value:.2f}" in said


def test_nothing_is_booked_without_an_agreement(spoken):
    agreed = {"book_appointment", "move_appointment", "confirm_appointment"}
    for log in spoken:
        found = log["extractionsData"]
        assert found["booked"] is bool(functions(log) & agreed), log["transcription"]
        assert found["booked"] or not {"appointment_day", "appointment_time"} & set(found)


def test_a_promise_and_a_refund_are_those_that_were_made(spoken):
    for log in spoken:
        found = log["extractionsData"]
        assert found["payment_promised"] is ("note_promise" in functions(log))
        assert ("refund_amount" in found) is ("create_return" in functions(log))


def test_who_broke_off_got_nothing_done(spoken):
    for log in filter(broke_off, spoken):
        analysis = log["data"]["call_analysis"]
        assert analysis["call_successful"] is False
        assert log["extractionsData"]["solved"] is False
        assert analysis["call_summary"].endswith(("hung up.", "with an error."))
        assert not re.search(
            " booked a|Solved with|confirmed the|promised to|will be refunded", analysis["call_summary"]
        )


def test_a_criterion_and_an_extraction_of_the_same_thing_agree(spoken):
    for log in spoken:
        judged = items(log)
        assert judged["Solved"]["passed"] is judged["Goal reached"]["passed"] is log["extractionsData"]["solved"]


def test_a_voicemail_settles_nothing_and_makes_nobody_happy(spoken):
    for log in spoken:
        if log["status"] == "voicemail":
            assert not items(log)["Solved"]["passed"]
            assert "satisfaction" not in log["extractionsData"]
            assert log["data"]["call_analysis"]["call_successful"] is False


def test_a_friendly_agent_that_promises_nothing_passes_as_such(spoken):
    for log in spoken:
        assert items(log)["Polite"]["passed"] and items(log)["No promise"]["passed"]


def test_satisfaction_and_sentiment_agree(spoken):
    least = {"Positive": 8, "Neutral": 5, "Negative": 1}
    most = {"Positive": 10, "Neutral": 7, "Negative": 4}
    for log in spoken:
        if "satisfaction" in log["extractionsData"]:
            mood = log["data"]["call_analysis"]["user_sentiment"]
            assert least[mood] <= log["extractionsData"]["satisfaction"] <= most[mood]


def test_who_is_transferred_in_anger_is_not_content(spoken):
    transferred = [log for log in spoken if log["status"] == "transferred"]
    for log in transferred:
        assert log["data"]["call_analysis"]["user_sentiment"] != "Positive"
        assert log["extractionsData"]["solved"] is False
        answered = log["transferData"]["status"] == "completed"
        assert log["data"]["call_analysis"]["call_successful"] is answered


def test_a_key_that_begins_with_no_is_not_taken_for_something_forbidden(line_of_trade, simulated):
    asked = {"no_show": {"type": "boolean", "description": "Whether the patient had not come", "required": True}}
    logs = simulated(line_of_trade("clinic", extractions=asked), 30, outcome="transferred")
    assert {log["extractionsData"]["no_show"] for log in logs} == {False}


def test_numbers_are_said_as_people_say_them(spoken):
    for log in spoken:
        assert "+1" not in log["transcription"]


def test_a_rating_that_is_given_is_the_satisfaction(line_of_trade, simulated):
    rated = 0
    for log in simulated(line_of_trade("support"), 60, direction="outbound", outcome="completed"):
        said = re.search(r"User: (?:I'd say )?(\d+)\.", log["transcription"])
        if said:
            rated += 1
            assert log["extractionsData"]["satisfaction"] == int(said[1])
    assert rated > 40


def test_what_was_asked_for_and_not_told_is_empty_where_it_is_required(line_of_trade, simulated):
    required = {
        "company": {"type": "string", "description": "Where the caller works", "required": True},
        "age": {"type": "number", "description": "How old", "required": True},
        "street": {"type": "string", "description": "Where the caller lives"},
    }
    for log in simulated(line_of_trade("clinic", extractions=required), 20, outcome="completed"):
        assert log["extractionsData"] == {"company": "", "age": 0}


# The scripts themselves


def guaranteed(lines, told):
    """The facts that are surely told after these lines, in whatever wording."""
    for wordings in lines:
        if wordings[0][0] in "AU":
            told = told | frozenset.intersection(*(slots for _, _, slots in wordings))
    return told


OUTBOUND = {load_script("voicemail"), *(script for industry in (*INDUSTRIES, GENERAL) for script in industry.outbound)}
INBOUND = {load_script("message_left")}
for industry in (*INDUSTRIES, GENERAL):
    INBOUND |= {*industry.inbound, industry.transfer}
SCRIPTS = sorted(OUTBOUND | INBOUND, key=str)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_summary_says_only_what_was_said(script):
    told = frozenset({"name", "first"}) if script in OUTBOUND else frozenset()
    for optional, lines in script.blocks:
        within = told
        for index, wordings in enumerate(lines):
            if wordings[0][0] == "S":
                # A turn that brings something about may be spoken right behind its summary.
                follows = lines[index + 1 : index + 2]
                assert wordings[0][2] <= guaranteed(follows, within) | {"complaint", "problem"}, wordings[0][1]
            within = guaranteed([wordings], within)
        told = told if optional else within


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_a_conversation_of_business_has_an_end(script):
    marks = set().union(*(wordings[0][2] for _, lines in script.blocks for wordings in lines if wordings[0][0] == "="))
    assert marks & {"done", "transferred", "voicemail", "message"}


def test_a_worker_of_no_known_industry_gets_conversations_that_fit_any(line_of_trade, simulated):
    logs = simulated(line_of_trade("general"), 120)
    said = " ".join(log["transcription"] or "" for log in logs)
    assert not re.search(r"order|bill|invoice|router|refund|treatment|open balance|password", said, re.IGNORECASE)


def test_a_voicemail_names_the_agent_of_the_flow(make_flow, make_voice_deployment, simulated):
    code = (
        'loop:\n    talk("You are Nora, the receptionist. Ask what they need.")\nuntil "caller is done":\n    return\n'
    )
    line = make_voice_deployment(make_flow(code=code))
    logs = simulated(line, 5, outcome="voicemail", direction="outbound", follow="script")
    assert all("Nora" in log["transcription"] for log in logs)
