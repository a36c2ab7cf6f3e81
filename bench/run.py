"""The benchmark: `make bench` prints a table of medians of rounds in which dryline and a bare view take turns.

The ceiling is a Flask view that answers ready bytes of the same size under the same waitress settings: what is left
for dryline to lose is routing by area, the key, validation, SQLite and the writing of JSON.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import selectors
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

KEY = "dryline-local-key"
ROUNDS = 7


class Server:
    """A server process: dryline, or the bare application below."""

    def __init__(self, directory: Path, *flags: str, bare: Path | None = None, threads: int | None = None) -> None:
        self.ready = directory / f"ready-{time.monotonic_ns()}.json"
        options = ["--threads", str(threads)] if threads else []
        program = (
            [sys.executable, __file__, "--bare", str(bare)]
            if bare
            else [str(Path(sys.executable).with_name("dryline")), "serve", "--port", "0", *flags]
        )
        command = [*program, *options, "--ready-file", str(self.ready)]
        self.began = time.perf_counter()
        # As for anybody who starts it a second time: with its bytecode on the disk.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=environment)
        while not self.ready.exists():
            if self.process.poll() is not None:
                raise SystemExit("The server did not start.")
            time.sleep(0.001)
        self.url = json.loads(self.ready.read_text())["url"]

    def call(self, method: str, path: str, body: object = None) -> object:
        """One request; the answer's JSON."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"x-api-key": KEY, "content-type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method)) as answer:
            content = answer.read()
        return json.loads(content) if content else None

    def rss_mb(self) -> float:
        """Resident memory now."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0

    def peak_mb(self) -> float:
        """The most resident memory so far."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM"):
                return int(line.split()[1]) / 1024
        return 0.0

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()


def request_bytes(method: str, path: str, body: object = None) -> bytes:
    """A whole HTTP request."""
    data = b"" if body is None else json.dumps(body).encode()
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nx-api-key: {KEY}\r\n"
    if body is not None:
        head += f"Content-Type: application/json\r\nContent-Length: {len(data)}\r\n"
    return head.encode() + b"\r\n" + data


def requests_per_second(url: str, request: bytes, *, count: int, connections: int = 1) -> float:
    """How many a second are answered when each connection sends the next as soon as the last is answered."""
    host, port = url.removeprefix("http://").split(":")
    selector = selectors.DefaultSelector()
    for _ in range(connections):
        connection = socket.create_connection((host, int(port)))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        selector.register(connection, selectors.EVENT_READ, bytearray())
    began = time.perf_counter()
    for key in selector.get_map().values():
        key.fileobj.sendall(request)
    sent, answered = connections, 0
    while answered < count:
        for key, _ in selector.select():
            buffer = key.data
            chunk = key.fileobj.recv(1 << 18)
            if not chunk:
                raise SystemExit("The server closed the connection.")
            buffer += chunk
            if not _whole(buffer):
                continue
            if not buffer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201", b"HTTP/1.1 204")):
                raise SystemExit(f"Not what was asked for: {bytes(buffer[:300])!r}")
            buffer.clear()
            answered += 1
            if sent < count:
                key.fileobj.sendall(request)
                sent += 1
    elapsed = time.perf_counter() - began
    for key in list(selector.get_map().values()):
        key.fileobj.close()
    return count / elapsed


def _whole(buffer: bytearray) -> bool:
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return False
    at = buffer.find(b"Content-Length: ", 0, end)
    length = int(buffer[at + 16 : buffer.find(b"\r\n", at)]) if at >= 0 else 0
    return len(buffer) >= end + 4 + length


def against_bare(directory: Path, dryline: Server, method: str, path: str, body: object = None, *, count: int) -> str:
    """A row: dryline's and the bare view's requests a second, and their ratio."""
    request = request_bytes(method, path, body)
    with urllib.request.urlopen(
        urllib.request.Request(
            dryline.url + path,
            None if body is None else json.dumps(body).encode(),
            {"x-api-key": KEY, "content-type": "application/json"},
            method=method,
        )
    ) as answer:
        answer_file = directory / "answer"
        answer_file.write_bytes(answer.read())
    bare = Server(directory, bare=answer_file)
    ours, theirs = [], []
    for _ in range(ROUNDS):
        ours.append(requests_per_second(dryline.url, request, count=count))
        theirs.append(requests_per_second(bare.url, request, count=count))
    bare.stop()
    ratio = statistics.median(o / t for o, t in zip(ours, theirs, strict=True))
    size = answer_file.stat().st_size
    return (
        f"{statistics.median(ours):9,.0f} /s   bare view of {size:,} bytes {statistics.median(theirs):9,.0f} /s"
        f"   ratio {ratio:.2f}"
    )


def row(name: str, figure: str) -> None:
    """Print a line of the table."""
    print(f"{name:<44} {figure}", flush=True)


def start_up(directory: Path, scenario: str) -> str:
    """Process start to first answer."""
    times = []
    for _ in range(ROUNDS):
        server = Server(directory, "--ephemeral", "--scenario", scenario)
        urllib.request.urlopen(server.url + "/_dryline/health").read()
        times.append(time.perf_counter() - server.began)
        server.stop()
    return f"{statistics.median(times) * 1000:9.0f} ms"


def reset_ms(server: Server) -> float:
    """A reset, with the connection that it is asked on: the answer, without a body, ends it."""
    times = []
    for _ in range(100):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"))
        began = time.perf_counter()
        connection.request("POST", "/_dryline/reset", b"{}", {"content-type": "application/json"})
        connection.getresponse().read()
        times.append(time.perf_counter() - began)
        connection.close()
    return statistics.median(times) * 1000


def fill(server: Server, logs: int) -> tuple[str, str, float]:
    """A worker, a deployment and `logs` calls. Gives worker, deployment and the calls a second."""
    worker = server.call("POST", "/api/workers", {"name": "Bench", "description": None, "status": None})["id"]
    flow = server.call(
        "POST", f"/api/workers/{worker}/flows", {"name": "Main", "label": None, "code": "loop:\n    talk()\n"}
    )["id"]
    deployment = server.call(
        "POST",
        f"/api/workers/{worker}/deployments/voice",
        {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow},
    )["id"]
    began = time.perf_counter()
    for at in range(0, logs, 10_000):
        count = min(10_000, logs - at)
        server.call(
            "POST",
            "/_dryline/simulate/calls",
            {"workerId": worker, "deploymentId": deployment, "count": count, "seed": at},
        )
    return worker, deployment, logs / (time.perf_counter() - began)


def export(server: Server, worker: str, fields: list[str] | None) -> tuple[float, int, float]:
    """Export a worker's logs as CSV: rows a second, rows, megabytes."""
    now = server.call("GET", "/_dryline/clock")["now"]
    year, rest = int(now[:4]), now[4:]
    start = f"{year}{rest}"
    body = {"format": "CSV", "logType": "voice", "workerId": worker, "startDate": _days_before(start, 89)}
    body["endDate"] = _days_before(start, -1)
    if fields:
        body["fields"] = fields
    began = time.perf_counter()
    made = server.call("POST", "/api/team/exports", body)
    while made["status"] in ("PENDING", "PROCESSING"):
        time.sleep(0.005)
        made = server.call("GET", f"/api/team/exports/{made['id']}")
    if made["status"] != "COMPLETED":
        raise SystemExit(f"The export failed: {made}")
    return made["rowCount"] / (time.perf_counter() - began), made["rowCount"], made["fileSizeBytes"] / 1e6


def _days_before(stamp: str, days: int) -> str:
    from datetime import datetime, timedelta

    return (datetime.fromisoformat(stamp) - timedelta(days=days)).isoformat()


LEAN = [
    *("id", "createdAt", "workerId", "deploymentId", "flowId", "type", "startTime", "endTime", "externalCallId"),
    *("direction", "fromNumber", "toNumber", "status", "call_sid", "duration", "recordingUrl", "extractionsData"),
    "metadata",
]


def measure(args: argparse.Namespace, directory: Path) -> None:
    """The whole table."""
    row("start to first answer, empty", start_up(directory, "empty"))
    row("start to first answer, demo", start_up(directory, "demo"))
    server = Server(directory, "--ephemeral", "--scenario", "empty")
    row("memory, idle", f"{server.rss_mb():9.0f} MB")
    row("reset of an empty world, over HTTP", f"{reset_ms(server):9.1f} ms")
    worker = ""
    for number in range(100):
        worker = server.call(
            "POST", "/api/workers", {"name": f"Worker {number}", "description": "One of many", "status": "active"}
        )["id"]
    row("GET a worker", against_bare(directory, server, "GET", f"/api/workers/{worker}", count=2000))
    row("list of 100 workers", against_bare(directory, server, "GET", "/api/workers", count=600))
    new = {"name": "New", "description": None, "status": None}
    row("POST a worker", against_bare(directory, server, "POST", "/api/workers", new, count=1500))
    server.stop()

    server = Server(directory, "--ephemeral", "--scenario", "empty")
    worker, _, speed = fill(server, args.logs)
    row(f"simulate {args.logs:,} calls", f"{speed:9,.0f} /s")
    logs = f"/api/workers/{worker}/deploymentLogs/voice"
    page = f"{logs}?status=completed&limit=100"
    row("100 voice logs, filtered", against_bare(directory, server, "GET", page, count=60))
    lean = "&fields=id,startTime,status,duration,direction"
    row("100 voice logs, filtered, five fields", against_bare(directory, server, "GET", page + lean, count=100))
    cursor = None
    for _ in range(args.logs * 9 // 1000):
        answer = server.call("GET", f"{logs}?limit=100&fields=id" + (f"&cursor={cursor}" if cursor else ""))
        cursor = answer["nextCursor"]
    deep = f"{logs}?limit=100&cursor={cursor}"
    row("100 voice logs, by cursor, nine tenths in", against_bare(directory, server, "GET", deep, count=60))
    speed, rows, size = export(server, worker, LEAN)
    row(f"export {rows:,} rows, CSV, no transcripts", f"{speed:9,.0f} rows/s   {size:,.0f} MB")
    speed, rows, size = export(server, worker, None)
    row(f"export {rows:,} rows, CSV, all fields", f"{speed:9,.0f} rows/s   {size:,.0f} MB")
    row("memory after all this, at most", f"{server.peak_mb():9.0f} MB")
    server.stop()
    in_process()
    if args.million:
        million(directory)
    if args.threads:
        threads(directory)


def million(directory: Path, rows: int = 1_000_000) -> None:
    """Memory while a million voice logs are exported: a thousand simulated ones, multiplied in the file."""
    flags = ("--data-dir", str(directory / "million"), "--scenario", "empty")
    server = Server(directory, *flags)
    worker, _, _ = fill(server, 1000)
    server.stop()
    with sqlite3.connect(directory / "million" / "dryline.sqlite3") as db:
        names = [name for _, name, *_ in db.execute("PRAGMA table_info(voice_log)")]
        large = ("transcription", "messages", "session_log_data", "flow_snapshot", "data")
        values = ", ".join("id || '_' || n" if name == "id" else "NULL" if name in large else name for name in names)
        numbers = (
            f"WITH RECURSIVE counter(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM counter WHERE n < {rows // 1000})"
        )
        db.execute(f"INSERT INTO voice_log ({', '.join(names)}) {numbers} SELECT {values} FROM voice_log, counter")
    db.close()
    server = Server(directory, *flags)
    speed, count, size = export(server, worker, None)
    row(f"export {count:,} rows, CSV, all fields", f"{speed:9,.0f} rows/s   {size:,.0f} MB")
    row("memory meanwhile, at most", f"{server.peak_mb():9.0f} MB")
    server.stop()
    from million import million as lists

    lists(directory / "lists", row)


def in_process() -> None:
    """What a test pays for its start without a socket: resets and save points."""
    from dryline.testing import DrylineInProcess

    def median_ms(action: Callable[[], None], count: int = 40) -> str:
        times = []
        for _ in range(count):
            began = time.perf_counter()
            action()
            times.append(time.perf_counter() - began)
        return f"{statistics.median(times) * 1000:9.1f} ms"

    with DrylineInProcess() as world:
        row("reset of an empty world, in-process", median_ms(world.reset))
        world.snapshot("empty")
        row("restore of an empty world, in-process", median_ms(lambda: world.restore("empty")))
        world.simulate_calls(10_000)
        world.snapshot("large")
        row("restore of 10,000 calls, in-process", median_ms(lambda: world.restore("large")))
    with DrylineInProcess(scenario="demo") as world:
        row("reset of the demo world, in-process", median_ms(world.reset))


def threads(directory: Path) -> None:
    """Requests a second by waitress threads and connections."""
    for count in (1, 4, 8):
        server = Server(directory, "--ephemeral", "--scenario", "empty", threads=count)
        new = {"name": "New", "description": None, "status": None}
        worker = server.call("POST", "/api/workers", new)["id"]
        get, post = request_bytes("GET", f"/api/workers/{worker}"), request_bytes("POST", "/api/workers", new)
        for connections in (1, 8):
            speeds = {
                name: statistics.median(
                    requests_per_second(server.url, request, count=1500, connections=connections) for _ in range(5)
                )
                for name, request in (("GET", get), ("POST", post))
            }
            figure = "   ".join(f"{name} {speed:7,.0f} /s" for name, speed in speeds.items())
            row(f"{count} threads, {connections} connections", figure)
        server.stop()


def serve_bare(answer: Path, ready: Path, thread_count: int) -> None:
    """The ceiling: one view for every path and method, answering ready bytes."""
    import waitress
    from flask import Flask, Response, request

    app = Flask(__name__)
    body = answer.read_bytes()

    @app.route("/<path:path>", methods=["GET", "POST"])
    def bare(path: str) -> Response:
        if request.method == "POST":
            request.get_json()
            return Response(body, 201, mimetype="application/json")
        return Response(body, mimetype="application/json")

    server = waitress.create_server(app, host="127.0.0.1", port=0, threads=thread_count)
    part = ready.with_suffix(".part")
    part.write_text(json.dumps({"url": f"http://127.0.0.1:{server.effective_port}"}))
    part.replace(ready)
    server.run()


def main() -> None:
    """Parse the flags and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--logs", type=int, default=100_000, help="voice logs in the large world")
    parser.add_argument("--million", action="store_true", help="also a million logs (needs 10 GB of disk)")
    parser.add_argument("--no-threads", dest="threads", action="store_false", help="leave the threads table out")
    parser.add_argument("--bare", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--ready-file", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--threads", dest="thread_count", type=int, default=4, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.bare:
        serve_bare(args.bare, args.ready_file, args.thread_count)
        return
    print(f"{os.cpu_count()} processors, Python {sys.version.split()[0]}, medians of {ROUNDS} rounds\n")
    with tempfile.TemporaryDirectory() as directory:
        measure(args, Path(directory))


if __name__ == "__main__":
    main()
