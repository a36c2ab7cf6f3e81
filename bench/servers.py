"""The servers that are measured, each a process: dryline, the bare view, and other stand-ins, with state or without."""

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

from load import request_bytes

KEY = "dryline-local-key"
SECRET = "Bearer sk_test_1"
PROGRAM = Path(sys.executable).with_name("dryline")
NEW_WORKER = {"name": "New", "description": None, "status": None}
Requests = dict[str, bytes]


class Server:
    """A process that answers at `url`, and its `requests`: what is measured, by name."""

    name: str

    def __init__(self, command: list[str], url: str = "", ready: Path | None = None, **where: Path) -> None:
        self.requests: Requests = {}
        self.began = time.perf_counter()
        # As for anybody who starts it a second time: with its bytecode on the disk.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        nowhere = subprocess.DEVNULL
        self.process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, env=environment, **where)
        atexit.register(self.stop)  # a benchmark that fails leaves no server behind
        while not (ready.exists() if ready else _listens(url)):
            if self.process.poll() is not None:
                raise SystemExit(f"{self.name} did not start.")
            time.sleep(0.001)
        self.answers()
        self.url = json.loads(ready.read_text())["url"] if ready else url

    def answers(self) -> None:
        """Note what it took until now, in seconds and in nanoseconds of processor time."""
        self.started = time.perf_counter() - self.began
        self.spent_ns = self.processor_ns()

    def call(self, method: str, path: str, body: object = None) -> object:
        """One request; the answer's JSON."""
        content = self.fetch(method, path, None if body is None else json.dumps(body).encode())
        return json.loads(content) if content else None

    def fetch(self, method: str, path: str, data: bytes | None = None) -> bytes:
        """One request; the answer's bytes."""
        headers = {"x-api-key": KEY, "content-type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers, method=method)) as answer:
            return answer.read()

    def memory_mb(self, which: str = "VmRSS") -> float:
        """Resident memory now, or with `VmHWM` the most so far."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(which):
                return int(line.split()[1]) / 1024
        return 0.0

    def processor_ns(self) -> int:
        """Return the processor time of its threads so far. https://docs.kernel.org/scheduler/sched-stats.html."""
        spent = 0
        for thread in Path(f"/proc/{self.process.pid}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):  # it has ended since
                spent += int(thread.read_text().split()[0])
        return spent

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()


class Dryline(Server):
    """dryline, in an empty temporary world unless flags say otherwise."""

    name = "dryline"

    def __init__(self, directory: Path, *flags: str, program: Path = PROGRAM) -> None:
        ready = directory / f"ready-{time.monotonic_ns()}.json"
        flags = flags or ("--ephemeral", "--scenario", "empty")
        super().__init__([str(program), "serve", "--port", "0", "--ready-file", str(ready), *flags], ready=ready)
        self.fetch("GET", "/_dryline/health")
        self.answers()

    def with_100_workers(self) -> Dryline:
        """Fill it and say what is measured."""
        for number in range(100):
            body = {"name": f"Worker {number}", "description": "One of many", "status": "active"}
            worker = self.call("POST", "/api/workers", body)
        self.requests = workers(f"/api/workers/{worker['id']}", "/api/workers", json.dumps(NEW_WORKER).encode())
        return self


class Bare(Server):
    """The ceiling: a Flask view that answers ready bytes, served by waitress (bare.py)."""

    name = "bare view"

    def __init__(self, directory: Path, requests: Requests, answers: list[bytes]) -> None:
        """Each request gets its own of the `answers`."""
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
    """Keeps customers in memory, and all of them in one file."""

    name = "localstripe"

    def __init__(self, peers: Path, directory: Path, _: list[dict]) -> None:
        port = _free_port()
        super().__init__(
            [str(peers / "bin" / "localstripe"), "--from-scratch", "--port", str(port)],
            f"http://127.0.0.1:{port}",
            cwd=directory,
        )
        secret = {"Authorization": SECRET, "Content_Type": "application/x-www-form-urlencoded"}
        new = request_bytes("POST", "/v1/customers", b"name=New&description=One+of+many", **secret)
        for _ in range(100):
            send = urllib.request.Request(
                f"{self.url}/v1/customers", b"name=New&description=One+of+many", {"Authorization": SECRET}
            )
            with urllib.request.urlopen(send) as answer:
                customer = json.loads(answer.read())
        self.requests = {
            "one worker": request_bytes("GET", f"/v1/customers/{customer['id']}", **secret),
            "list of 100": request_bytes("GET", "/v1/customers?limit=100", **secret),
            "create": new,
        }


class JsonServer(Server):
    """Keeps what it is given in one JSON file."""

    name = "json-server"

    def __init__(self, peers: Path, directory: Path, records: list[dict]) -> None:
        port, database = _free_port(), directory / "db.json"
        database.write_text(json.dumps({"workers": records}))
        program = str(peers / "node_modules" / ".bin" / "json-server")
        super().__init__(
            [program, "--quiet", "--port", str(port), str(database)], f"http://localhost:{port}", cwd=directory
        )
        self.requests = workers(f"/workers/{records[0]['id']}", "/workers", json.dumps(NEW_WORKER).encode())


class Prism(Server):
    """Keeps nothing: answers the examples of an OpenAPI document."""

    name = "Prism"

    def __init__(self, peers: Path, directory: Path, records: list[dict]) -> None:
        port, document = _free_port(), directory / "prism.json"
        document.write_text(json.dumps(_described(records)))
        program = str(peers / "node_modules" / ".bin" / "prism")
        super().__init__(
            [program, "mock", "--port", str(port), str(document)], f"http://127.0.0.1:{port}", cwd=directory
        )
        self.requests = workers("/workers/one", "/workers", json.dumps(NEW_WORKER).encode())


def peers_in(where: Path | None) -> list[type[Server]]:
    """Return the other stand-ins that are installed there."""
    programs = {
        Localstripe: "bin/localstripe",
        JsonServer: "node_modules/.bin/json-server",
        Prism: "node_modules/.bin/prism",
    }
    return [kind for kind, program in programs.items() if where and shutil.which(where / program)]


def workers(one: str, listed: str, new: bytes) -> Requests:
    """Return the measured requests of a server of workers."""
    return {
        "one worker": request_bytes("GET", one, x_api_key=KEY),
        "list of 100": request_bytes("GET", listed, x_api_key=KEY),
        "create": request_bytes("POST", listed, new, x_api_key=KEY, Content_Type="application/json"),
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
