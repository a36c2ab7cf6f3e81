"""The servers that are measured, each a process: dryline, the bare view, and other stand-ins."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from dryline.tools.bench.load import request_bytes

KEY = "dryline-local-key"
SECRET = "Bearer sk_test_1"
PROGRAM = Path(sys.executable).with_name("dryline")
NEW_WORKER = {"name": "New", "description": None, "status": None}


class Server:
    """A process that answers at `url`. `requests` holds the measured requests by name."""

    name: str

    def __init__(self, command: list[str], url: str = "", ready: Path | None = None, **where: Any) -> None:
        self.requests: dict[str, bytes] = {}
        self.began = time.perf_counter()
        # As for anybody who starts it a second time: with its bytecode on the disk.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment, **where)
        atexit.register(self.stop)  # also when the benchmark fails
        while not (ready.exists() if ready else _listens(url)):
            assert self.process.poll() is None, f"{self.name} did not start."
            time.sleep(0.001)
        self.started_s = time.perf_counter() - self.began
        self.url = json.loads(ready.read_text())["url"] if ready else url

    def call(self, method: str, path: str, body: object = None) -> Any:
        """Send a request and return the answer's JSON."""
        return json.loads(self.fetch(method, path, None if body is None else json.dumps(body).encode()))

    def fetch(self, method: str, path: str, data: bytes | None = None) -> bytes:
        """Send a request and return the answer's bytes."""
        headers = {"x-api-key": KEY, "content-type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method)) as answer:
            return answer.read()

    def memory_mb(self, which: str = "VmRSS") -> float:
        """Return the resident memory, or with `VmHWM` its maximum."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(which):
                return int(line.split()[1]) / 1024
        return 0.0

    def processor_ns(self) -> int:
        """Return the processor time of its threads so far."""
        spent = 0
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # it has ended since
                spent += int(thread.read_text().split()[0])
        return spent

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait()


class Dryline(Server):
    """dryline, in an empty temporary world."""

    name = "dryline"

    def __init__(self, directory: Path) -> None:
        ready = directory / f"ready-{time.monotonic_ns()}.json"
        flags = ["--port", "0", "--ready-file", str(ready), "--ephemeral", "--scenario", "empty"]
        super().__init__([str(PROGRAM), "serve", *flags], ready=ready)
        self.fetch("GET", "/_dryline/health")
        self.started_s = time.perf_counter() - self.began

    def make_100_workers(self) -> list[dict]:
        """Create a hundred workers, and name the measured requests. Return the list."""
        for number in range(100):
            body = {"name": f"Worker {number}", "description": "One of many", "status": "active"}
            self.call("POST", "/api/workers", body)
        records = self.call("GET", "/api/workers")
        self.requests = workers(f"/api/workers/{records[0]['id']}", "/api/workers", json.dumps(NEW_WORKER).encode())
        return records


class Bare(Server):
    """A Flask view that answers ready bytes (bare.py)."""

    name = "bare view"

    def __init__(self, directory: Path, requests: dict[str, bytes], answers: list[bytes]) -> None:
        ready, files = directory / f"ready-{time.monotonic_ns()}.json", []
        for number, answer in enumerate(answers):
            files.append(directory / f"answer-{time.monotonic_ns()}")
            files[number].write_bytes(answer)
        super().__init__(
            [sys.executable, str(Path(__file__).with_name("bare.py")), str(ready), *map(str, files)], ready=ready
        )
        self.requests = {
            name: request.replace(b" ", b" /%d" % number, 1) for number, (name, request) in enumerate(requests.items())
        }


class Localstripe(Server):
    """A stand-in that keeps customers in memory, and all of them in one file."""

    name, program = "localstripe", "bin/localstripe"

    def __init__(self, peers: Path, directory: Path, records: list[dict]) -> None:
        port = _free_port()
        super().__init__(
            [str(peers / self.program), "--from-scratch", "--port", str(port)],
            f"http://127.0.0.1:{port}",
            cwd=directory,
        )
        secret = {"Authorization": SECRET, "Content-Type": "application/x-www-form-urlencoded"}
        new = b"name=New&description=One+of+many"
        for _ in range(100):
            send = urllib.request.Request(f"{self.url}/v1/customers", new, {"Authorization": SECRET})
            with urllib.request.urlopen(send) as answer:
                customer = json.loads(answer.read())
        self.requests = {
            "one worker": request_bytes("GET", f"/v1/customers/{customer['id']}", b"", secret),
            "list of 100": request_bytes("GET", "/v1/customers?limit=100", b"", secret),
            "create": request_bytes("POST", "/v1/customers", new, secret),
        }


class Prism(Server):
    """A stand-in that keeps nothing and answers the examples of an OpenAPI document."""

    name, program = "Prism", "node_modules/.bin/prism"

    def __init__(self, peers: Path, directory: Path, records: list[dict]) -> None:
        port, document = _free_port(), directory / "prism.json"
        document.write_text(json.dumps(_described(records)))
        super().__init__(
            [str(peers / self.program), "mock", "--port", str(port), str(document)],
            f"http://127.0.0.1:{port}",
            cwd=directory,
        )
        self.requests = workers("/workers/one", "/workers", json.dumps(NEW_WORKER).encode())


def peers_in(peers: Path) -> list[type[Localstripe] | type[Prism]]:
    """Return the other stand-ins that are installed in a folder."""
    return [kind for kind in (Localstripe, Prism) if shutil.which(peers / kind.program)]


def workers(one: str, listed: str, new: bytes) -> dict[str, bytes]:
    """Return the measured requests of a server that has workers."""
    key = {"x-api-key": KEY}
    return {
        "one worker": request_bytes("GET", one, b"", key),
        "list of 100": request_bytes("GET", listed, b"", key),
        "create": request_bytes("POST", listed, new, key | {"Content-Type": "application/json"}),
    }


def _described(records: list[dict]) -> dict:
    """Return an OpenAPI document whose examples are these records."""

    def answer(status: str, example: object, **schema: object) -> dict:
        content = {"application/json": {"schema": schema, "example": example}}
        return {"responses": {status: {"description": "", "content": content}}}

    one = {"type": "object", "properties": {name: {} for name in records[0]}, "required": list(records[0])}
    body = {"content": {"application/json": {"schema": {"type": "object", "required": list(NEW_WORKER)}}}}
    id = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    listed = answer("200", records, type="array", items=one)
    paths = {
        "/workers": {"get": listed, "post": {"requestBody": body, **answer("201", records[0], **one)}},
        "/workers/{id}": {"parameters": [id], "get": answer("200", records[0], **one)},
    }
    return {"openapi": "3.1.0", "info": {"title": "Workers", "version": "1"}, "paths": paths}


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def _listens(url: str) -> bool:
    try:
        urllib.request.urlopen(url + "/workers").close()
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True
