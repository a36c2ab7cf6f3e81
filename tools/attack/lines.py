"""A line of the attacked world: a worker with a flow, deployments, a webhook and a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dryline.tools.attack.client import Client

NUMBER = "+14155550111"
_CODE = """
say("PREFIX welcome.")
loop:
    res = talk("Ask what we can do for them.", True)
until "caller wants to book an appointment":
    who = res.ask("Who is calling, and for when?", {"name": "Ada Park", "day": "Monday"})
    extract("booking", "PREFIX booked")
    say(f"See you on {who['day']}.")
until "caller wants a human":
    transfer("+14155550100")
until "caller has a complaint":
    raise ValueError("PREFIX no department")
"""


_VOICEV1: dict[str, Any] = {
    "phoneNumber": NUMBER,
    "objective": "Book an appointment",
    "language": "en-US",
    "allowedTransferNumbers": [],
    "resourceKeys": [],
    "config": {},
    **dict.fromkeys(("startSentence", "endSentence", "voiceId", "functions", "model", "wsBaseUrl")),
}


class Line:
    """The ids of a worker with a flow, deployments and a test."""

    def __init__(self, worker: str, flow: str, voice: str, voicev1: str, chat: str, test: str) -> None:
        self.worker = worker
        self.flow = flow
        self.voice = voice
        self.voicev1 = voicev1
        self.chat = chat
        self.test = test


def make_line(
    client: Client, prefix: str, receiver_url: str, *, in_progress: Callable[[str], object] = str
) -> Line | None:
    """Make a worker with all that operations need, in names that begin with `prefix`; None if a step fails.

    `in_progress` is called with the worker's id as soon as the server has acknowledged it.
    """

    def made(path: str, body: dict[str, Any]) -> str:
        answer = client.send("POST", path, body)
        if not answer.is_good:
            raise LookupError(path)
        return str(answer.json["id"])

    code = _CODE.replace("PREFIX", prefix)
    try:
        worker = made("/api/workers", {"name": f"{prefix}desk", "description": None, "status": "active"})
        in_progress(worker)
        base = f"/api/workers/{worker}"
        flow = made(f"{base}/flows", {"name": f"{prefix}flow", "label": None, "code": code})
        line = {"name": f"{prefix}line", "flowId": flow, "phoneNumber": NUMBER}
        voice = made(f"{base}/deployments/voice", line)
        old_line = {**_VOICEV1, "name": f"{prefix}old line", "flowId": flow}
        voicev1 = made(f"{base}/deployments/voicev1", old_line)
        chat = made(f"{base}/deployments/chat", {"name": f"{prefix}chat", "flowId": flow, "welcomeMessage": "Hello"})
        webhook = {"url": f"{receiver_url}/{prefix}hook", "fields": "summary,transcript", "name": f"{prefix}hook"}
        made(f"{base}/deployments/{voice}/voice/customWebhooks", webhook)
        checkpoint = {"name": "Books", "description": "caller wants to book an appointment", "runs": 2, "tolerance": 1}
        test = {"name": f"{prefix}test", "description": "Books", "testMode": "voice", "systemPrompt": "You call."}
        return Line(
            worker,
            flow,
            voice,
            voicev1,
            chat,
            made(f"{base}/tests", {**test, "flowId": flow, "checkpoints": [checkpoint]}),
        )
    except LookupError:
        return None
