"""The figures of docs/scaling.md: `python bench/nodes.py` (a minute; needs nginx).

The load generator and the nodes share the processors of one machine, so two nodes cannot serve twice the requests a
second here. Requests a second on a processor of its own are the reciprocal of a node's processor time for a request.
One node and two nodes are measured in turns.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from functools import partial
from pathlib import Path

from click.testing import CliRunner
from load import ROUNDS, Load, load, request_bytes

from dryline.commands import cli
from dryline.tests.cluster import Cluster, Node, Team

NEW = json.dumps({"name": "New", "description": None, "status": None}).encode()
COPIED = (1_000, 10_000)  # calls of the teams that are moved to another node
COUNT = 400  # requests of a round
BATCH = 2_000  # calls that one request simulates


def processor_ns(pid: int) -> int:
    """Return the processor time of a process's threads. See https://docs.kernel.org/scheduler/sched-stats.html."""
    usage = [path.read_text().split()[0] for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    return sum(map(int, usage))


def row(name: str, figure: str) -> None:
    """Print a line."""
    print(f"{name:<44} {figure}", flush=True)


def requests_of(node: Node) -> dict[str, bytes]:
    """Return the requests to measure, with a key of the node: read a worker, create a worker."""
    created = node.ask("POST", "/_dryline/teams", json={}).json()
    state = {"version": 1, "workers": [{"id": f"worker_{node.name}", "name": "One", "teamId": created["id"]}]}
    node.ask("POST", f"/_dryline/state?team={created['id']}", json=state).raise_for_status()
    about = {"x_api_key": created["apiKey"], "content_type": "application/json"}
    return {
        "one worker": request_bytes("GET", f"/api/workers/worker_{node.name}", **about),
        "create": request_bytes("POST", "/api/workers", NEW, **about),
    }


def measured(node: Node, request: bytes, connections: int = 4) -> Load:
    """Measure one node for a round."""
    usage = partial(processor_ns, node.process.pid)
    return load(node.url, request, count=COUNT, connections=connections, processor_ns=usage)


def together(work: list) -> list:
    """Run functions in threads at the same time, and return their results."""
    results: list = [None] * len(work)

    def run(at: int) -> None:
        results[at] = work[at]()

    threads = [threading.Thread(target=run, args=(at,)) for at in range(len(work))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def second_node(cluster: Cluster) -> None:
    """Measure the gain of a second node."""
    pair = [cluster.nodes["a"], cluster.nodes["b"]]
    requests = [requests_of(node) for node in pair]
    for name in requests[0]:
        alone, both = [], []
        for _ in range(ROUNDS):
            alone.append(1e6 / measured(pair[0], requests[0][name]).cpu_us)
            at_once = together([partial(measured, node, of[name]) for node, of in zip(pair, requests, strict=True)])
            both.append(sum(1e6 / one.cpu_us for one in at_once))
        one, two = statistics.median(alone), statistics.median(both)
        row(f"{name}, one node", f"{one:9,.0f} /s a processor")
        row(f"{name}, two nodes at once", f"{two:9,.0f} /s on two   ratio {two / one:.2f}")


def filled(cluster: Cluster, calls: int) -> Team:
    """Return a team of node a with this number of calls."""
    node = cluster.nodes["a"]
    team = cluster.team("a")
    worker = team.hire("One").json()["id"]
    flow = team.ask("POST", f"/api/workers/{worker}/flows", json={"name": "M", "label": None, "code": "say('Hello')\n"})
    line = {"name": "L", "phoneNumber": "+14155550100", "flowId": flow.json()["id"]}
    line = team.ask("POST", f"/api/workers/{worker}/deployments/voice", json=line).json()
    for at in range(0, calls, BATCH):
        body = {"workerId": worker, "deploymentId": line["id"], "count": min(BATCH, calls - at), "follow": "script"}
        node.ask("POST", "/_dryline/simulate/calls", json=body).raise_for_status()
    return team


def size_kb(folder: Path) -> float:
    """Return the size of the rows in a node's database."""
    with contextlib.closing(sqlite3.connect(folder / "dryline.sqlite3")) as database:
        pages, free, size = (
            database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * size / 1000


def copies(cluster: Cluster) -> None:
    """Measure how long it takes to bring a team to another node as a file, and what a call takes on the disk."""
    a, b = cluster.nodes["a"], cluster.nodes["b"]
    for calls in COPIED:
        before = size_kb(cluster.folder / "a")
        team = filled(cluster, calls)
        row(f"disk, of {calls:,} calls", f"{(size_kb(cluster.folder / 'a') - before) / calls:9.1f} kB a call")
        file = str(cluster.folder / "team")
        began = time.perf_counter()
        for words, node in ((["export", file, "--team", team.id], a), (["import", file, "--add"], b)):
            done = CliRunner().invoke(cli, ["state", *words, "--url", node.url, "--admin-token", "t"])
            if done.exit_code:
                raise SystemExit(done.output)
        row(f"move a team of {calls:,} calls", f"{time.perf_counter() - began:9.2f} s")


def through_nginx(cluster: Cluster) -> None:
    """Measure the processor time of the proxy and of the node for one request."""
    team = cluster.team("a")
    workers = [int(path.name) for path in Path("/proc").glob("[0-9]*") if _parent(path) == cluster.proxy.pid]
    node = cluster.nodes["a"].process.pid
    rounds = []
    for _ in range(ROUNDS):
        before = [sum(map(processor_ns, workers)), processor_ns(node)]
        for _ in range(COUNT):
            team.ask("GET", "/api/workers").raise_for_status()
        after = [sum(map(processor_ns, workers)), processor_ns(node)]
        rounds.append([(now - then) / COUNT / 1000 for then, now in zip(before, after, strict=True)])
    nginx, behind = (statistics.median(figures) for figures in zip(*rounds, strict=True))
    row("through nginx, empty list", f"cpu {nginx:6,.0f} µs of nginx, {behind:6,.0f} µs of the node")


def _parent(process: Path) -> int | None:
    try:
        return int(process.joinpath("stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def main() -> None:
    """Measure and print everything."""
    with tempfile.TemporaryDirectory(prefix="n") as created:
        folder = Path(created)
        with Cluster(folder) as cluster:
            second_node(cluster)
            through_nginx(cluster)
            copies(cluster)


if __name__ == "__main__":
    sys.exit(main())
