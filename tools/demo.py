"""Writes data/demo.json, the scenario that a new server starts with: `python -m dryline.tools.demo`."""

from __future__ import annotations

from random import Random

from dryline.tools import demo_content as content
from dryline.tools import demo_messages
from dryline.tools.documents import delivered, lean
from dryline.tools.making import (
    AS_OF,
    LAST_DAY,
    RECENT_DAY,
    Maker,
    Row,
    add_links,
    add_test,
    connect_twilio,
    contacts,
    export_nightly,
    made,
    moment,
    open_business,
    open_line,
    write,
)
from dryline.world.outgoing import OWN_INBOX

_SEED = 814_253_607  # one that nobody else starts a server with, whose ids could then be these
_BUSY = "+14155550101"  # whose line is busy (models/scripted_outcomes.py)
_APPOINTMENT = {
    "day": ("Wednesday", "Thursday"),
    "time": ("9:00 AM", "11:30 AM", "2:45 PM"),
    "service": ("check-up", "cleaning", "consultation"),
}


def make() -> Row:
    """Return the scenario's document."""
    state = made(_SEED, _fill)
    _write_messages(state)
    return lean(state, AS_OF, RECENT_DAY, {content.TEAM: 61, content.OTHER_TEAM: 60}, delivered)


def _fill(maker: Maker) -> None:
    maker.at(60)
    twilio = connect_twilio(maker, "AC" + "0d" * 16)
    tags = {label: maker.post("/team/tags", label=label, color=color) for label, color in content.TAGS.items()}
    lines = {
        one.name: open_business(maker, one, twilio, tags, index, _of_the_clinic if one is content.BAYSIDE else None)
        for index, one in enumerate(content.BUSINESSES)
    }
    clinic, shop, support = (lines[one.name] for one in (content.BAYSIDE, content.LARKSPUR, content.TIDEWATER))
    _reminders(maker, clinic, twilio)
    _chats(maker, shop, support)
    _knowledge(maker, support)
    _voices_and_senders(maker)
    _echo(maker, clinic)
    export_nightly(maker)
    maker.at(60)
    key = maker.send("POST", "/_dryline/teams", {"name": content.OTHER_TEAM})["apiKey"]
    other = Maker(maker.client, key)
    open_business(other, content.QUAYSIDE, connect_twilio(other, "AC" + "0e" * 16), {}, index=4)
    maker.at(LAST_DAY)


def _of_the_clinic(maker: Maker, deployment: Row) -> Row:
    test = _test(maker, deployment)
    _webhooks(maker, deployment)
    return test


def _webhooks(maker: Maker, deployment: Row) -> None:
    """Create the webhooks of the clinic's calls."""
    maker.at(38)
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    fields = "from_number,duration_ms,sentiment,summary,booked,appointment_day,appointment_time"
    maker.post(path, name="Practice software", url=f"http://{OWN_INBOX}/inbox/webhooks", fields=fields)
    pager = {"name": "Pager of the week", "url": "https://pager.example/bayside", "active": False}
    maker.post(path, fields="from_number,sentiment", **pager)


def _reminders(maker: Maker, clinic: Row, twilio: Row) -> None:
    """Create the reminder line with its campaigns: three that are over and one that waits."""
    line = open_line(maker, {"id": clinic["workerId"]}, twilio, content.REMINDER, content.REMINDER_LINE, 0)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    rng = Random(_SEED)
    for days, number in ((17, 20), (10, 10), (3, 9)):
        maker.at(days)
        patients = contacts(rng, number, "patient", **_APPOINTMENT)
        patients[-1]["phoneNumber"] = _BUSY
        maker.post(
            path,
            name="Appointments of the week",
            data=patients,
            status="STARTED",
            batch_size=8,
        )
        maker.at(days - 0.1)
    maker.at(1)
    maker.post(
        path,
        name="Not seen for a year",
        data=contacts(rng, 12, "patient", **_APPOINTMENT),
        batch_size=4,
        batch_interval_minutes=10,
    )


def _chats(maker: Maker, shop: Row, support: Row) -> None:
    maker.at(28)
    chat = maker.post(
        f"/workers/{shop['workerId']}/deployments/chat",
        name="Customer care chat",
        flowId=shop["flowId"],
        welcomeMessage="Hi, this is Larkspur Goods. How can I help with your order?",
        allowedUsers=[],
        llmModel="gpt-4o",
    )
    maker.at(26)
    widget = maker.post(
        f"/workers/{support['workerId']}/deployments/chat-embed",
        name="Support widget",
        flowId=support["flowId"],
        welcomeMessage="Hello! Is something not working?",
        agentName="Marina",
        primaryColor="#00695c",
    )
    for seed, deployment in ((31, chat), (32, widget)):
        maker.simulate("chats", deployment, 7, 20 - seed / 100, LAST_DAY, seed=seed, llmLogs=False)


def _knowledge(maker: Maker, support: Row) -> None:
    maker.at(40)
    pages = ("Router lights explained", "router-lights"), ("Reset your password", "password")
    add_links(maker, support, "Help centre", "Articles that customers read as well", "help.example.com", pages)


def _voices_and_senders(maker: Maker) -> None:
    maker.at(44)
    maker.post("/team/customVoices", elevenlabsVoiceId="TxGEqnHWrfWFTfGW9XjX")
    profile = {"name": content.LARKSPUR.name, "about": "Orders, deliveries and returns", "vertical": "Retail"}
    maker.post("/team/assets/purchase_whatsapp_sender", phoneNumber="+15035550121", profile=profile)


def _test(maker: Maker, clinic: Row) -> Row:
    """Create the test of the clinic's flow. It fails with the second version, which the third one mends."""
    maker.at(39)
    prompt = "You call a dental clinic. You are polite and in a hurry."
    return add_test(maker, clinic, "Books and moves", "Run with each version of the flow", prompt)


def _echo(maker: Maker, clinic: Row) -> None:
    maker.at(10)
    suite = maker.post(
        "/echo/suites",
        name="Front desk regression",
        description="Run before each new version of the flow",
        deploymentId=clinic["id"],
    )
    items = [
        {"title": "Greets", "description": "Greets with the clinic's name", "type": "BINARY", "threshold": 1},
        {"title": "Books", "description": "Agrees on a day and a time", "type": "BINARY", "threshold": 1},
        {"title": "Patience", "description": "Stays friendly when the day changes", "type": "SCORE", "threshold": 7},
    ]
    scorecard = maker.post("/echo/scorecards", name="Receptionist", items=items, suiteId=suite["id"])
    maker.put(f"/echo/suites/{suite['id']}", echoScorecardIds=[scorecard["id"]])
    maker.post(
        "/echo/agents",
        name="Impatient caller",
        type="voice",
        purpose="Wants an appointment at once and changes their mind about the day",
        goals=["Get an appointment this week", "Change the day once"],
        deploymentId=clinic["id"],
        suiteId=suite["id"],
        scorecardIds=[scorecard["id"]],
    )
    maker.at(9)
    maker.post("/echo/run", type="test_suite", agent_data={"suiteId": suite["id"]})
    maker.at(8.9)


def _write_messages(state: Row) -> None:
    """Add text messages and WhatsApp conversations, which no operation makes."""
    workers = {worker["name"]: worker for worker in state["workers"]}
    clinic, shop = (workers[one.name] for one in (content.BAYSIDE, content.LARKSPUR))
    number = content.REMINDER_LINE["phoneNumber"]
    state["smsLogs"] = demo_messages.sms(clinic, number, [moment(16.9 - 2.13 * n) for n in range(11)])
    state["whatsappLogs"] = demo_messages.whatsapp(shop, "+15035550121", [moment(13.8 - 1.97 * n) for n in range(10)])


if __name__ == "__main__":
    write("demo", make())
