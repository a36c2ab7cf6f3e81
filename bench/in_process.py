"""Figures without a socket: the WSGI application called as waitress calls it, and what a test pays for clean worlds."""

from __future__ import annotations

import io
import statistics
import time
from collections.abc import Callable
from typing import Any

from load import ROUNDS, Load
from servers import KEY, NEW_WORKER


def environ_of(method: str, path: str, query: str, body: bytes) -> dict[str, Any]:
    """Return the environ that waitress passes to an application, without its own `waitress.*` keys."""
    environ = {
        "REMOTE_ADDR": "127.0.0.1",
        "REMOTE_HOST": "127.0.0.1",
        "REMOTE_PORT": "50000",
        "REQUEST_METHOD": method,
        "SERVER_PORT": "4010",
        "SERVER_NAME": "localhost",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "SCRIPT_NAME": "",
        "PATH_INFO": path,
        "REQUEST_URI": path,
        "QUERY_STRING": query,
        "HTTP_HOST": "localhost",
        "HTTP_X_API_KEY": KEY,
        "wsgi.url_scheme": "http",
        "wsgi.version": (1, 0),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
    }
    return environ | ({"CONTENT_LENGTH": str(len(body)), "CONTENT_TYPE": "application/json"} if body else {})


def answered(app: Any, method: str, path: str, query: str = "", body: bytes = b"") -> bytes:
    """One request's answer. Ends the benchmark where it is none."""
    said: list[str] = []
    content = app(environ_of(method, path, query, body), lambda status, headers: said.append(status))
    answer = b"".join(content)
    content.close()
    if not said[0].startswith("20"):
        raise SystemExit(f"Not what was asked for: {said[0]} {answer[:300]!r}")
    return answer


def calls(app: Any, request: tuple[Any, ...], count: int) -> Load:
    """One after the other."""
    taken = []
    began = time.perf_counter()
    for _ in range(count):
        before = time.perf_counter()
        answered(app, *request)
        taken.append(time.perf_counter() - before)
    return Load.of(taken, time.perf_counter() - began)


def requests(row: Callable[[str, str], None]) -> None:
    """Print a row for each kind: dryline's and the bare view's, in turns."""
    import orjson
    from bare import application

    from dryline.testing import DrylineInProcess

    with DrylineInProcess() as world:
        app = world.app
        world.simulate_calls(1000)
        (logged,) = [worker["id"] for worker in orjson.loads(answered(app, "GET", "/api/workers"))]
        for number in range(99):
            body = NEW_WORKER | {"name": f"Worker {number}"}
            worker = orjson.loads(answered(app, "POST", "/api/workers", "", orjson.dumps(body)))["id"]
        kinds = {
            "one worker": (("GET", f"/api/workers/{worker}"), 1000),
            "list of 100": (("GET", "/api/workers"), 300),
            "page of 100 voice logs": (("GET", f"/api/workers/{logged}/deploymentLogs/voice", "limit=100"), 150),
            "create": (("POST", "/api/workers", "", orjson.dumps(NEW_WORKER)), 500),
        }
        for name, (request, count) in kinds.items():
            bare = application([answered(app, *request)])
            method, path, *rest = request
            ours, theirs = [], []
            for _ in range(ROUNDS):
                ours.append(calls(app, request, count))
                theirs.append(calls(bare, (method, f"/0{path}", *rest), count))
            mine, its = Load.median(ours), Load.median(theirs)
            ratio = statistics.median(one.p50_ms / other.p50_ms for one, other in zip(ours, theirs, strict=True))
            row(
                f"{name}, in-process",
                f"p50 {mine.p50_ms * 1000:6.0f} µs   p99 {mine.p99_ms * 1000:6.0f} µs"
                f"   bare view {its.p50_ms * 1000:5.0f} µs   {ratio:.1f} times that",
            )


def worlds(row: Callable[[str, str], None]) -> None:
    """Print the cost of a test's start without a socket: resets and snapshots."""
    from dryline.testing import DrylineInProcess

    def median_ms(action: Callable[[], object], count: int = 40) -> str:
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
