"""Text message and WhatsApp conversations of the demo. No operation makes such deployments: the rows are written here.

A thread is what is said in turn, the customer's lines with `<`. Who, which day and which number is filled in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.simulator.tables import table
from dryline.world.clock import wire

Row = dict[str, Any]

_REMINDERS = (
    (
        "Bayside Dental: {first}, your appointment is on {day} at {time}. Reply YES to confirm or NO for another time.",
        "< YES",
        "Thank you, {first}. See you on {day}!",
    ),
    (
        "Bayside Dental: {first}, your appointment is on {day} at {time}. Reply YES to confirm or NO for another time.",
        "< No sorry, I'm travelling",
        "No problem. Our front desk will call you with another time.",
        "< Thanks",
    ),
    (
        "< Hi, is {time} on {day} still free for a cleaning?",
        "It is. Shall I put you down, and under which name?",
        "< Yes please, {first} {last}",
        "Done: a cleaning on {day} at {time}.",
    ),
    ("Bayside Dental: {first}, your appointment is on {day} at {time}. Reply YES to confirm or NO for another time.",),
)
_ORDERS = (
    (
        "< Hello, where is order {order}?",
        "Hi {first}, order {order} is with the carrier and comes on {day}.",
        "< 👍 thank you",
    ),
    (
        "< I want to send something back, order {order}",
        "I'm sorry to hear that, {first}. What is wrong with it?",
        "< one side is scratched",
        "I've registered the return. The label is in your inbox; your money is back within five days of its arrival.",
        "< great, thanks",
    ),
    (
        "Larkspur Goods: your order {order} arrives on {day} by {time}.",
        "< can the driver leave it at the back door?",
        "Yes, I've told the driver, {first}.",
    ),
    (
        "< this is the second lamp that flickers!! order {order}",
        "I'm sorry, {first}. A colleague from our customer care team will call you today.",
    ),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday")
_TIMES = ("9:00 AM", "10:15 AM", "11:30 AM", "2:00 PM", "3:30 PM")


def sms(worker: Row, number: str, starts: list[datetime]) -> list[Row]:
    """Create the clinic's text messages."""
    return list(_logs(_REMINDERS, "SmsDeploymentLog", worker, number, starts, Random(41)))


def whatsapp(worker: Row, number: str, starts: list[datetime]) -> list[Row]:
    """Create the shop's WhatsApp conversations."""
    return list(_logs(_ORDERS, "WhatsappDeploymentLog", worker, number, starts, Random(42)))


def _logs(
    threads: tuple[tuple[str, ...], ...], kind: str, worker: Row, number: str, starts: list[datetime], rng: Random
) -> Iterator[Row]:
    channel = kind.removesuffix("DeploymentLog").lower()
    for index, start in enumerate(starts):
        thread = threads[index % len(threads)]
        facts = {
            "first": rng.choice(table("first names")),
            "last": rng.choice(table("last names")),
            "day": rng.choice(_DAYS),
            "time": rng.choice(_TIMES),
            "order": f"{rng.choice('ABCDEFGHK')}{rng.randrange(10_000, 100_000)}",
        }
        customer = f"+1415555{rng.randrange(100, 200):04d}"
        messages, end = _said(thread, facts, start, rng)
        inbound = thread[0].startswith("<")
        names = {"user": "User", "assistant": "Agent"}
        yield {
            "id": f"log_{channel}_{index + 1:02d}",
            "workerId": worker["id"],
            "deploymentId": f"deploy_{channel}",
            "createdAt": wire(start),
            "updatedAt": wire(end),
            "startTime": wire(start),
            "endTime": wire(end),
            "direction": "inbound" if inbound else "outbound",
            "fromNumber": customer if inbound else number,
            "toNumber": number if inbound else customer,
            "status": "completed",
            "messages": {"messages": messages},
            "transcription": "\n".join(f"{names[said['role']]}: {said['content']}" for said in messages),
            "metadata": {"simulated": True},
        }


def _said(thread: tuple[str, ...], facts: Row, start: datetime, rng: Random) -> tuple[list[Row], datetime]:
    """Return the messages with times: people take minutes, the agent seconds."""
    sent_at, messages = start, []
    for index, line in enumerate(thread):
        role = "user" if line.startswith("<") else "assistant"
        if index > 0:
            sent_at += timedelta(seconds=rng.randrange(40, 900) if role == "user" else rng.randrange(2, 8))
        content = line.removeprefix("< ").format_map(facts)
        messages.append({"role": role, "content": content, "createdAt": wire(sent_at)})
    return messages, sent_at
