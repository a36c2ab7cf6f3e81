"""Several clients at the same time, while the server is killed and its disk is full at random moments."""

from __future__ import annotations

import time
from random import Random

from dryline.tools.attack.client import Client
from dryline.tools.attack.findings import Findings
from dryline.tools.attack.operations import Attacker
from dryline.tools.attack.phases import Phases
from dryline.tools.attack.receiver import Receiver
from dryline.tools.attack.target import Target

THREADS = 4
KILL_EVERY_S, FILL_EVERY_S = 25, 40


def attack_with_clients(
    target: Target, client: Client, findings: Findings, seed: int, seconds: float, *, kills: bool
) -> tuple[int, int]:
    """Run the threads for a while, kill the server and fill its disk at random moments.

    Return how many operations and phases there were.
    """
    phases = Phases(client, findings)
    phases.begin(lambda: client.send("POST", "/_dryline/reset", {"scenario": "empty"}))
    receiver = Receiver(phases.receive, seed)
    ends_at = time.monotonic() + seconds
    threads = [Attacker(number, seed, client, phases, receiver, ends_at) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    random = Random(f"{seed} troubles")
    kill_at, fill_at = (time.monotonic() + random.uniform(5, every) for every in (KILL_EVERY_S, FILL_EVERY_S))
    while time.monotonic() < ends_at:
        time.sleep(0.2)
        if kills and time.monotonic() > kill_at:
            target.kill_and_start()
            kill_at = time.monotonic() + random.uniform(5, 2 * KILL_EVERY_S)
        if target.has_own_disk and time.monotonic() > fill_at:
            target.fill_disk(random.uniform(0.5, 3))
            fill_at = time.monotonic() + random.uniform(5, 2 * FILL_EVERY_S)
    for thread in threads:
        thread.join(120)
        if thread.is_alive():
            findings.add("stuck", thread.name)
    phases.check_rows()
    receiver.close()
    return sum(thread.count for thread in threads), phases.number
