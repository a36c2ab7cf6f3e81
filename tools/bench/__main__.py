"""The benchmark: `make bench` prints a table of medians of rounds in which the servers take turns."""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from dryline.tools.bench.load import Load, load
from dryline.tools.bench.servers import Bare, Dryline, Server, peers_in

ROUNDS = 7
# Requests of a round: fewer of what takes longer, and of what leaves more behind.
COUNTS = {"one worker": 1000, "list of 100": 300, "create": 200}
# Other projects that a start imports.
LIBRARIES = "click, flask, flask_smorest, marshmallow, orjson, peewee, waitress, webargs.flaskparser"


def print_row(name: str, figure: str) -> None:
    """Print a line of the table."""
    print(f"{name:<44} {figure}", flush=True)


def measure_starts(directory: Path, peers: Path | None) -> None:
    """Measure the time from the start of a process to its first answer, and its memory then."""
    kinds: dict[str, Callable[[], Server]] = {"dryline": partial(Dryline, directory)}
    if peers:
        kinds |= {kind.name: partial(kind, peers, directory, [{"id": "one"}]) for kind in peers_in(peers)}
    rounds: dict[str, list[tuple[float, float]]] = {name: [] for name in kinds}
    imports = []
    for _ in range(ROUNDS):
        for name, start in kinds.items():
            server = start()
            rounds[name].append((server.started_s * 1000, server.memory_mb()))
            server.stop()
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", f"import {LIBRARIES}"], check=True)
        imports.append((time.perf_counter() - began) * 1000)
    for name, figures in rounds.items():
        ms, memory = map(statistics.median, zip(*figures, strict=True))
        print_row(f"start to first answer, {name}", f"{ms:9.0f} ms   {memory:4.0f} MB")
    print_row("Python that only imports its libraries", f"{statistics.median(imports):9.0f} ms")


def measure_side_by_side(servers: list[Server], what: str, connections: int) -> None:
    """Print a row for each server. Ratios of the rate compare dryline, the first, with the others."""
    rounds: dict[str, list[Load]] = {server.name: [] for server in servers}
    for _ in range(ROUNDS):
        for server in servers:
            one = load(server.url, server.requests[what], COUNTS[what], connections, server.processor_ns)
            rounds[server.name].append(one)
    first = rounds[servers[0].name]
    for server in servers:
        pairs = zip(first, rounds[server.name], strict=True)
        ratio = statistics.median(ours.per_second / theirs.per_second for ours, theirs in pairs)
        compared = "" if server is servers[0] else f"   dryline {ratio:.2f} of its rate"
        print_row(f"{what}, {connections} conn., {server.name}", f"{Load.median(rounds[server.name])}{compared}")


def measure_requests(directory: Path, peers: Path | None) -> None:
    """Measure one worker, a list and a creation, on one connection and on eight."""
    dryline = Dryline(directory)
    records = dryline.make_100_workers()
    one = dryline.fetch("GET", f"/api/workers/{records[0]['id']}")
    servers: list[Server] = [
        dryline,
        Bare(directory, dryline.requests, [one, dryline.fetch("GET", "/api/workers"), one]),
    ]
    if peers:
        servers += [kind(peers, directory, records) for kind in peers_in(peers)]
    for what in COUNTS:  # creations last: they make the list longer
        for connections in (1, 8):
            measure_side_by_side(servers, what, connections)
    for server in servers:
        server.stop()


def measure_volume(directory: Path, logs: int) -> None:
    """Measure the simulation of many calls, and their export."""
    server = Dryline(directory)
    worker = server.call("POST", "/api/workers", {"name": "Bench", "description": None, "status": None})["id"]
    new = {"name": "Line", "phoneNumber": "+14155550100", "flowId": None}
    flow = {"name": "Main", "label": None, "code": "loop:\n    talk()\n"}
    new["flowId"] = server.call("POST", f"/api/workers/{worker}/flows", flow)["id"]
    deployment = server.call("POST", f"/api/workers/{worker}/deployments/voice", new)["id"]
    began = time.perf_counter()
    for first in range(0, logs, 10_000):
        body = {"workerId": worker, "deploymentId": deployment, "count": min(10_000, logs - first), "seed": first}
        server.call("POST", "/_dryline/simulate/calls", body)
    print_row(f"simulate {logs:,} calls", f"{logs / (time.perf_counter() - began):9,.0f} /s")
    now = datetime.fromisoformat(server.call("GET", "/_dryline/clock")["now"])
    dates = {"startDate": (now - timedelta(89)).isoformat(), "endDate": (now + timedelta(1)).isoformat()}
    began = time.perf_counter()
    export = server.call("POST", "/api/team/exports", dates | {"format": "CSV", "logType": "voice", "workerId": worker})
    while export["status"] in ("PENDING", "PROCESSING"):
        time.sleep(0.05)
        export = server.call("GET", f"/api/team/exports/{export['id']}")
    if export["status"] != "COMPLETED":
        raise SystemExit(f"The export failed: {export}")
    rate = export["rowCount"] / (time.perf_counter() - began)
    print_row(f"export {export['rowCount']:,} rows, CSV", f"{rate:9,.0f} /s   {export['fileSizeBytes'] / 1e6:,.0f} MB")
    print_row("memory after both, at most", f"{server.memory_mb('VmHWM'):9.0f} MB")
    server.stop()


def main() -> None:
    """Parse the flags and print the table."""
    parser = argparse.ArgumentParser(prog="python -m dryline.tools.bench", description=__doc__)
    parser.add_argument("--logs", type=int, default=100_000, help="calls that are simulated and exported")
    parser.add_argument("--peers", type=Path, help="a folder with localstripe (bin/) and Prism (node_modules/)")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Ended by a signal."))  # its servers end with it
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, medians of {ROUNDS} rounds\n")
    with tempfile.TemporaryDirectory() as name:
        measure_starts(Path(name), args.peers)
        measure_requests(Path(name), args.peers)
        measure_volume(Path(name), args.logs)


if __name__ == "__main__":
    main()
