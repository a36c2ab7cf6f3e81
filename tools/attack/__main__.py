"""Run the attack: `python -m dryline.tools.attack --minutes 10 --seed 1`."""

from __future__ import annotations

import argparse
import sys
from random import Random
from typing import Any

from dryline.tests.contract.two_teams import KEYS, NORTH, document
from dryline.tools.attack.client import Client
from dryline.tools.attack.documents import attack_documents
from dryline.tools.attack.findings import Findings
from dryline.tools.attack.lines import make_line
from dryline.tools.attack.requests import attack_operations, attack_routes
from dryline.tools.attack.rest import check_nothing_is_stuck
from dryline.tools.attack.several_clients import attack_with_clients
from dryline.tools.attack.target import Target

PARTS = ("clients", "operations", "routes", "documents")


def main() -> int:
    """Run the parts of the attack one after the other, and return 1 if something was found."""
    parser = argparse.ArgumentParser(description="Attack a server of its own.")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=PARTS, action="append", help="a part of the attack; by default all")
    parser.add_argument("--no-kills", action="store_true", help="do not kill the server at random moments")
    options = parser.parse_args()
    parts = options.only or PARTS
    findings = Findings()
    target = Target(findings)
    target.start()
    print(f"Attack on {target.url}, in {target.world}, with the log {target.log_file}.", flush=True)
    if not target.has_own_disk:
        print("Mounting is not allowed here, so the disk is not filled.")
    client = Client(target, findings)
    try:
        for part in parts:
            run_part(
                part, target, client, findings, options.seed, options.minutes * 60 / len(parts), not options.no_kills
            )
            print(f"  {target.memory_text()}", flush=True)
        check_nothing_is_stuck(client, findings)
        target.check_rest()
    finally:
        target.stop()
    return 1 if findings.report() else 0


def run_part(
    part: str, target: Target, client: Client, findings: Findings, seed: int, seconds: float, kills: bool
) -> None:
    """Run one part for some seconds, and print how much it has done."""
    random = Random(seed)
    if part == "clients":
        count, phases = attack_with_clients(target, client, findings, seed, seconds, kills=kills)
        print(f"{count} operations of clients in {phases} phases, {target.starts - 1} kills", flush=True)
        for where, statuses in client.never_taken().items():
            print(f"  never taken: {where} {dict(statuses)}")
    elif part == "operations":
        print(f"{attack_operations(client, random, seconds)} odd requests to operations", flush=True)
    elif part == "routes":
        print(f"{attack_routes(client, random, seconds)} long requests to routes", flush=True)
    else:
        sent, taken = attack_documents(client, findings, random, seconds, base_document(client, target, findings))
        print(f"{sent} documents, of which {taken} were taken", flush=True)


def base_document(client: Client, target: Target, findings: Findings) -> Any:
    """Return a document with rows in all collections: the two teams, and what a team's line has done."""
    client.send("PUT", "/_dryline/state", document())
    north = Client(target, findings, KEYS[NORTH])
    line = make_line(north, "north-", "http://127.0.0.1:9")
    if line is not None:
        body = {"workerId": line.worker, "count": 2, "seed": 1}
        north.send("POST", "/_dryline/simulate/calls", {**body, "deploymentId": line.voice, "outcome": "transferred"})
        north.send("POST", "/_dryline/simulate/calls", {**body, "deploymentId": line.voice, "inProgress": True})
        north.send("POST", "/_dryline/simulate/chats", {**body, "deploymentId": line.chat})
        north.send("POST", f"/api/workers/{line.worker}/tests/{line.test}/run")
        path = f"/api/workers/{line.worker}/deployments/voice/{line.voice}/outbound-campaigns"
        rows = [{"phoneNumber": "+14155550111", "name": "Ada"}] * 4
        north.send("POST", path, {"name": "Calls", "data": rows, "batch_size": 1, "status": "RUNNING"})
        v1 = f"/api/workers/{line.worker}/deployments/voicev1/{line.voicev1}/make-batch-calls"
        north.send("POST", v1, {"data": rows})
    return client.send("GET", "/_dryline/state").json


if __name__ == "__main__":
    sys.exit(main())
