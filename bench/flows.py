"""The cost of following a flow: calls a second beside scripts in the same run, a turn of a conversation, memory.

`measure` takes a server of bench/run.py, and yields rows of its table.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROUNDS, CALLS, TURNS = 5, 2_000, 200
FIVE_BRANCHES = """\
say("Oak Clinic, good morning.")
loop:
    res = talk("You are the receptionist. Ask what the caller needs.", True)
until "caller wants to book an appointment":
    who = res.ask("Who is calling, and for when?", {"name": "Jo Lee", "phone": "", "day": "Monday"})
    extract("booking", who)
    loop:
        sure = talk(f"Ask {who['name']} to confirm {who['day']}.", True)
    until "caller confirms the day":
        say("You are booked.")
until "caller wants to cancel the visit":
    extract("cancelled", True)
    end_call()
until "caller asks for the opening hours":
    say("Nine to five.")
    return
until "caller asks for a human":
    transfer("+15550100")
say("Goodbye.")
"""


def measure(server: Any) -> Iterator[tuple[str, str]]:
    """Name and figure of each row, on a server with an empty world."""
    new = {"name": "Oak Clinic", "description": None, "status": None}
    worker = server.call("POST", "/api/workers", new)["id"]
    flow = {"name": "Main", "label": None, "code": FIVE_BRANCHES, "variables": "{}"}
    flow_id = server.call("POST", f"/api/workers/{worker}/flows", flow)["id"]
    line = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow_id}
    deployment = server.call("POST", f"/api/workers/{worker}/deployments/voice", line)["id"]

    def calls_a_second(follow: str, seed: int) -> float:
        body = {"workerId": worker, "deploymentId": deployment, "count": CALLS, "seed": seed, "follow": follow}
        began = time.perf_counter()
        server.call("POST", "/_dryline/simulate/calls", body)
        return CALLS / (time.perf_counter() - began)

    before = _memory_mb(server.process.pid)
    by_flow, by_script = [], []
    for seed in range(ROUNDS):
        by_flow.append(calls_a_second("flow", seed))
        by_script.append(calls_a_second("script", seed))
    ratio = statistics.median(flow / script for flow, script in zip(by_flow, by_script, strict=True))
    figure = f"{statistics.median(by_flow):9,.0f} /s   by script {statistics.median(by_script):9,.0f} /s"
    yield f"simulate {CALLS:,} calls, by a flow of five branches", f"{figure}   ratio {ratio:.2f}"
    yield "a turn of a conversation with a flow", f"{_turn_ms(server, flow_id):9.1f} ms"
    yield "memory with the flows' processes, and without", f"{_memory_mb(server.process.pid):9.0f} MB   {before:.0f} MB"


def _turn_ms(server: Any, flow_id: str) -> float:
    """Say something that takes no condition: the conversation goes on."""
    talk = server.call("POST", "/_dryline/talk", {"flowId": flow_id})["id"]
    times = []
    for _ in range(TURNS):
        began = time.perf_counter()
        server.call("POST", f"/_dryline/talk/{talk}", {"choose": "caller asks for the opening hours"})
        times.append(time.perf_counter() - began)
    return statistics.median(times) * 1000


def _memory_mb(pid: int) -> float:
    """Of a process and all that it has started, without what they share: proportional set size."""
    sizes = [
        int(row.split()[1])
        for row in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        if row.startswith("Pss:")
    ]
    children = Path(f"/proc/{pid}/task").glob("*/children")
    return sum(sizes) / 1024 + sum(_memory_mb(int(child)) for each in children for child in each.read_text().split())
