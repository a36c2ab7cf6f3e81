"""The benchmark: `make bench` prints a table of medians of rounds in which the servers take turns.

The ceiling is a Flask view that answers ready bytes of the same size, served by waitress (bare.py): what dryline can
lose to it is routing by area, the key, validation, SQLite and the writing of JSON. `--peers DIR` adds other stand-ins.
"""

from __future__ import annotations

import argparse
import http.client
import os
import re
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import flows
import in_process
import log_lists
import plugin
from beside import Beside, export, fill
from load import ROUNDS, Load, load, request_bytes
from servers import KEY, PROGRAM, Bare, Dryline, Server, peers_in

# Requests of a round: fewer of what takes longer, and of what leaves ever more behind.
COUNTS = {"one worker": 1000, "list of 100": 300, "create": 200}


def row(name: str, figure: str) -> None:
    """Print a line of the table."""
    print(f"{name:<44} {figure}", flush=True)


def starts(directory: Path, peers: Path | None, installed: Path | None) -> None:
    """Process start to first answer, its processor time, and memory then."""
    programs = {"": PROGRAM} | ({", installed": installed} if installed else {})
    kinds: dict[str, Callable[[], Server]] = {
        f"{scenario}{how}": partial(Dryline, directory, "--ephemeral", "--scenario", scenario, program=program)
        for scenario in ("empty", "demo")
        for how, program in programs.items()
    }
    kinds |= {kind.name: partial(kind, peers, directory, [{"id": "one"}]) for kind in peers_in(peers)}
    rounds: dict[str, list[tuple[float, float, float]]] = {name: [] for name in kinds}
    for _ in range(ROUNDS):
        for name, start in kinds.items():
            server = start()
            rounds[name].append((server.started * 1000, server.spent_ns / 1e6, server.memory_mb()))
            server.stop()
    for name, each in rounds.items():
        ms, cpu_ms, memory = map(statistics.median, zip(*each, strict=True))
        row(f"start to first answer, {name}", f"{ms:9.0f} ms   cpu {cpu_ms:5.0f} ms   {memory:4.0f} MB")


def reset_ms(server: Server) -> float:
    """Return the time of a reset with the connection for it, in milliseconds."""
    times = []
    for _ in range(100):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        began = time.perf_counter()
        connection.request("POST", "/_dryline/reset", b"{}", {"content-type": "application/json"})
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
        connection.close()
    return statistics.median(times) * 1000


def side_by_side(servers: list[Server], what: str, connections: int, count: int) -> None:
    """Print a row for each server; the ratio is between the first, dryline, and the second, the bare view."""
    rounds: dict[str, list[Load]] = {server.name: [] for server in servers}
    for _ in range(ROUNDS):
        for server in servers:
            request, spent = server.requests[what], server.processor_ns
            one = load(server.url, request, count=count, connections=connections, processor_ns=spent)
            rounds[server.name].append(one)
    ours, theirs = rounds[servers[0].name], rounds[servers[1].name]
    ratio = statistics.median(one.per_second / other.per_second for one, other in zip(ours, theirs, strict=True))
    for server in servers:
        share = f"   ratio {ratio:.2f}" if server is servers[1] else ""
        row(f"{what}, {connections} conn., {server.name}", f"{Load.median(rounds[server.name])}{share}")


def on_sockets(directory: Path, peers: Path | None) -> None:
    """One worker, a list, a creation: on one connection and on eight, beside the bare view and the peers."""
    dryline = Dryline(directory)
    row("reset of an empty world, over HTTP", f"{reset_ms(dryline):9.1f} ms")
    dryline.with_100_workers()
    records = dryline.call("GET", "/api/workers")
    answers = [dryline.fetch("GET", f"/api/workers/{records[0]['id']}"), dryline.fetch("GET", "/api/workers"), b""]
    answers[2] = answers[0]
    servers = [dryline, Bare(directory, dryline.requests, answers)]
    servers += [kind(peers, directory, records) for kind in peers_in(peers)]
    for what, count in COUNTS.items():  # creations last: a list would grow by them
        for connections in (1, 8):
            side_by_side(servers, what, connections, count)
    for server in servers:
        server.stop()


# Open tabs of the console, and the seconds between two polls of one (console.js).
TABS, POLL_S = 10, 1.5

LEAN = [
    *("id", "createdAt", "workerId", "deploymentId", "flowId", "type", "startTime", "endTime", "externalCallId"),
    *("direction", "fromNumber", "toNumber", "status", "call_sid", "duration", "recordingUrl", "extractionsData"),
    "metadata",
]


def large_world(directory: Path, logs: int) -> None:
    """Measure simulation, pages of logs and exports."""
    server = Dryline(directory)
    worker, _, speed = fill(server, logs)
    row(f"simulate {logs:,} calls", f"{speed:9,.0f} /s")
    base = f"/api/workers/{worker}/deploymentLogs/voice"
    cursor = None
    for _ in range(logs * 9 // 1000):
        page = server.call("GET", f"{base}?limit=100&fields=id" + (f"&cursor={cursor}" if cursor else ""))
        cursor = page["nextCursor"]
    pages = {
        "100 voice logs, filtered": f"{base}?status=completed&limit=100",
        "100 voice logs, five fields": f"{base}?limit=100&fields=id,startTime,status,duration,direction",
        "100 voice logs, by cursor, nine tenths in": f"{base}?limit=100&cursor={cursor}",
    }
    server.requests = {name: request_bytes("GET", path, x_api_key=KEY) for name, path in pages.items()}
    bare = Bare(directory, server.requests, [server.fetch("GET", path) for path in pages.values()])
    for what in pages:
        side_by_side([server, bare], what, 1, 60)
    bare.stop()
    for name, figure in log_lists.first_pages(server, worker):
        row(f"first page, {name}", figure)
    for name, fields in (("no transcripts", LEAN), ("all fields", None)):
        speed, rows, size = export(server, worker, fields)
        row(f"export {rows:,} rows, CSV, {name}", f"{speed:9,.0f} rows/s   {size:,.0f} MB")
    row("memory after all this, at most", f"{server.memory_mb('VmHWM'):9.0f} MB")
    server.stop()


def following(directory: Path) -> None:
    """Measure calls and conversations that run a flow."""
    server = Dryline(directory)
    for name, figure in flows.measure(server):
        row(name, figure)
    server.stop()


def beside(directory: Path) -> None:
    """Measure how long a GET takes while something slow runs."""
    world = Beside(directory, 15_000)
    for name, figure in world.figures().items():
        row(f"GET beside {name}", figure)
    world.server.stop()


def console(directory: Path) -> None:
    """Measure what open tabs of the console cost a demo world in which nothing changes."""
    server = Dryline(directory, "--ephemeral", "--scenario", "demo")
    version = re.search(r'data-version="([^"]+)"', server.fetch("GET", "/console").decode())[1]
    poll = request_bytes("GET", f"/console/changes?since={version}", HX_Request="true")
    spent = server.processor_ns
    rounds = [load(server.url, poll, count=300, connections=TABS, processor_ns=spent) for _ in range(ROUNDS)]
    one = Load.median(rounds)
    share = one.cpu_us * TABS / POLL_S / 1e6
    row(f"poll of {TABS} open tabs of the console", f"{one}   {share:.1%} of a processor")
    server.stop()


def main() -> None:
    """Parse the flags and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=100_000, help="voice logs in the large world")
    parser.add_argument(
        "--peers",
        type=Path,
        metavar="DIR",
        help="where localstripe (DIR/bin), json-server and Prism (DIR/node_modules) are installed",
    )
    parser.add_argument(
        "--installed",
        type=Path,
        metavar="PROGRAM",
        help="dryline as users install it, in an environment without what development needs: its start, too",
    )
    parts = ("start", "in-process", "sockets", "large", "flows", "worlds", "plugin", "beside", "console")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="these parts of the table")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("Told to end."))  # its servers end with it
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, medians of {ROUNDS} rounds\n")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        measure = {
            "start": lambda: starts(directory, args.peers, args.installed),
            "in-process": lambda: in_process.requests(row),
            "sockets": lambda: on_sockets(directory, args.peers),
            "large": lambda: large_world(directory, args.logs),
            "flows": lambda: following(directory),
            "worlds": lambda: in_process.worlds(row),
            "plugin": lambda: plugin.starts(directory, row),
            "beside": lambda: beside(directory),
            "console": lambda: console(directory),
        }
        for part in args.only:
            measure[part]()


if __name__ == "__main__":
    main()
