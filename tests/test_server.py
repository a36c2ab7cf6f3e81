"""The server as a process: start, stop, and data that stays."""

import json
import os
import re
import resource
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, closing, suppress
from functools import partial
from http.client import HTTPConnection
from pathlib import Path

import pytest
from click.testing import CliRunner

from dryline import __version__
from dryline.commands import cli
from dryline.tests.conftest import NEW_WORKER

DRYLINE = str(Path(sys.executable).with_name("dryline"))
KEY = {"x-api-key": "dryline-local-key", "content-type": "application/json"}


class Process:
    """A running `dryline serve`."""

    def __init__(self, directory, *flags, port="0", stdout=subprocess.PIPE, most_files=None, **environment):
        self.ready_file = directory / f"ready-{time.monotonic_ns()}.json"
        self.process = subprocess.Popen(
            [DRYLINE, "serve", "--port", port, "--ready-file", str(self.ready_file), *flags],
            stdout=stdout,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
            preexec_fn=most_files and partial(resource.setrlimit, resource.RLIMIT_NOFILE, (most_files, most_files)),
        )
        deadline = time.monotonic() + 20
        while not self.ready_file.exists():
            assert time.monotonic() < deadline, "the server did not get ready"
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(0.005)
                pytest.fail(self.process.stderr.read())
        self.url = json.loads(self.ready_file.read_text())["url"]

    def call(self, method, path, body=None, headers=KEY, timeout=60):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            content = answer.read()
            return json.loads(content) if content else None

    def end(self, *how, within=20):
        for signal_ in how or (signal.SIGTERM,):
            self.process.send_signal(signal_)
        out, err = self.process.communicate(timeout=within)
        return self.process.returncode, out, err


@pytest.fixture
def start(tmp_path):
    running = []

    def start(*flags, **environment):
        running.append(Process(tmp_path, *flags, **environment))
        return running[-1]

    yield start
    for process in running:
        if process.process.poll() is None:
            process.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Return a running server for the tests that only send requests."""
    server = Process(tmp_path_factory.mktemp("server"), "--ephemeral", "--scenario", "empty")
    yield server
    server.end(signal.SIGKILL)


@pytest.fixture
def data_dir(tmp_path):
    return ("--data-dir", str(tmp_path / "world"), "--scenario", "empty")


def refused(*flags, **environment):
    """Return the exit code and the message of a command that fails."""
    done = subprocess.run(
        [DRYLINE, *flags], capture_output=True, text=True, env={**os.environ, **environment}, timeout=20
    )
    return done.returncode, done.stderr.strip()


def test_the_start_message_has_url_key_documentation_and_data_directory(start, data_dir):
    server = start(*data_dir)
    server.call("GET", "/api/workers")
    _, out, err = server.end(signal.SIGINT)
    assert all(text in out for text in (server.url, "dryline-local-key", f"{server.url}/docs", data_dir[1]))
    assert all(text in out for text in (__version__, "new empty: 0 workers, 0 calls", f"{server.url}/\n", "Ctrl-C"))
    assert out.endswith(f"dryline has stopped. The state is in {data_dir[1]}.\n")
    assert re.fullmatch(r"\d\d:\d\d:\d\d GET    /api/workers 200 \d+ ms\n", err)


def test_a_quiet_server_prints_nothing_without_errors(start, data_dir):
    server = start(*data_dir, "--quiet")
    server.call("POST", "/api/workers", NEW_WORKER)
    assert server.end() == (0, "", "")


def test_a_misspelt_variable_has_a_warning():
    code, err = refused("--threads", "0", DRYLINE_PROT="1", DRYLINE_OF_MY_OWN="2", DRYLINE_PULL_API_KEY="3")
    warning, refusal = err.splitlines()
    assert warning == "dryline: DRYLINE_PROT has no effect; did you mean DRYLINE_PORT?"
    assert (code, refusal[:18]) == (2, "dryline: --threads")


def test_a_signal_stops_the_server_cleanly_and_a_second_one_changes_nothing(start, data_dir):
    code, _, err = start(*data_dir).end(signal.SIGTERM, signal.SIGINT)
    assert (code, err) == (0, "")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
def test_log_records_that_nobody_reads_delay_neither_requests_nor_the_end(start):
    server = start("--ephemeral", "--scenario", "empty")
    full = os.open(f"/proc/self/fd/{server.process.stderr.fileno()}", os.O_WRONLY | os.O_NONBLOCK)
    with suppress(BlockingIOError):
        while True:
            os.write(full, b"x")
    os.close(full)
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=20) as connection:
        connection.sendall(b"\x16\x03\x01\x02\x00")  # the beginning of TLS: the event loop logs a warning
        assert connection.recv(1) == b""
    assert server.call("GET", "/_dryline/health", timeout=20)["status"] == "ok"
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(timeout=20) == 0
    server.process.communicate()


def test_a_signal_stops_the_server_during_a_delayed_request(start):
    server = start("--ephemeral", "--scenario", "empty", "--quiet")
    (host, port) = server.url.removeprefix("http://").split(":")
    server.call("POST", "/_dryline/faults", {"delayMs": 600_000})
    with socket.create_connection((host, int(port))) as waiting:
        waiting.sendall(b"GET /api/workers HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while not server.call("GET", "/_dryline/faults")[0]["hits"]:
            pass
        code, _, err = server.end()
    assert (code, err) == (0, "")


def test_a_killed_server_starts_again_with_every_committed_write(start, data_dir):
    server = start(*data_dir)
    worker = server.call("POST", "/api/workers", NEW_WORKER)
    server.end(signal.SIGKILL)
    assert start(*data_dir).call("GET", "/api/workers") == [worker | {"tags": []}]


def test_variables_set_settings_and_blanks_and_line_ends_around_them_do_not_count(start):
    server = start(
        DRYLINE_EPHEMERAL="1\n",
        DRYLINE_SCENARIO="empty\n",
        DRYLINE_API_KEY="one, My API Key\n",
        DRYLINE_ADMIN_TOKEN=" token\r\n",
        DRYLINE_PUBLIC_URL="https://x.test/p\n",
        DRYLINE_MODEL_URL=" http://127.0.0.1:9/v1",
        DRYLINE_MODEL="m\n",
        DRYLINE_MODEL_KEY="sk\n",
    )
    assert server.call("GET", "/api/workers", headers={"x-api-key": "My API Key"}) == []
    assert server.call("GET", "/_dryline/clock", headers={"x-dryline-token": "token"})
    assert server.call("GET", "/openapi.json")["servers"] == [{"url": "https://x.test/p"}]


SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "words",
    [
        ("serve", "--api-key", f"{SECRET}ü"),
        ("serve", "--api-key", f"{SECRET} "),
        ("serve", "--admin-token", f"{SECRET}\n"),
        ("serve", "--model-url", "http://127.0.0.1/v1", "--model", "m", "--model-key", f"{SECRET}\n"),
        ("serve", "--model-url", f"user:{SECRET}@127.0.0.1/v1", "--model", "m"),
        ("serve", "--public-url", f"https://user:{SECRET}@a b"),
        ("serve", "--cors-origin", f"https://user:{SECRET}@a.test"),
        ("serve", "--webhook-hosts", f"user:{SECRET}@a.test"),
        ("serve", "--allowed-host", f"user:{SECRET}@a.test/"),
        ("talk", "FILE", "--model-url", "http://127.0.0.1/v1", "--model", "m", "--model-key", f"{SECRET}ü"),
        ("clock", "show", "--url", "http://127.0.0.1:9", "--admin-token", f"{SECRET}ü"),
        ("clock", "show", "--url", f"http://user:{SECRET}@127.0.0.1:9"),
        ("clock", "show", "--url", f"ftp://user:{SECRET}@127.0.0.1:9"),
        ("pull", "--from", "http://127.0.0.1:9", "--api-key", f"{SECRET}ü", "--output", "FILE"),
        ("pull", "--from", f"ftp://user:{SECRET}@127.0.0.1:9", "--api-key", "k", "--output", "FILE"),
        ("drift", "--against", "http://127.0.0.1:9", "--api-key", f"{SECRET}ü"),
    ],
)
def test_a_refusal_does_not_show_a_secret(tmp_path, words):
    (tmp_path / "FILE").write_text("say('Hello')")
    words = [str(tmp_path / word) if word == "FILE" else word for word in words]
    if words[0] == "serve":
        words += ["--host", "256.0.0.1"]  # so that a server that is not refused does not stay
    done = CliRunner().invoke(cli, words)
    assert done.exit_code in (1, 2)
    assert done.stderr
    assert SECRET not in done.output and "Cannot listen" not in done.output


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--port", "99999"), "--port must be 0 to 65535"),
        (("--threads", "0"), "--threads must be 1 to 256"),
        (("--max-body-mb", "0"), "--max-body-mb must be at least 1"),
        (("--api-key", " "), "--api-key must not be empty"),
        (("--public-url", "example.org"), "--public-url must start with http"),
        (("--admin-token", "ü"), "--admin-token must be printable ASCII"),
        (("--seed", "x"), "'--seed'"),
        (("--log-format", "xml"), "--log-format must be text or json"),
        (("--threads", "100000"), "1 to 256"),
        (("--cors-origin", "http://localhost:5173/"), "--cors-origin must be like"),
        (("--cors-origin", "http://localhost:*"), "--cors-origin must be like"),
        (("--cors-origin", "http://*.test"), "--cors-origin must be like"),
        (("--cors-origin", "ws://app.test"), "--cors-origin must be like"),
        (("--cors-origin", "http://app.test:99999"), "--cors-origin must be like"),
        (("--cors-origin", "http://127.1"), "--cors-origin must be like"),
        (("--cors-origin", "http://[0:0:0:0:0:0:0:1]:3000"), "--cors-origin must be like"),
        (("--cors-origin", "http://app.test:80"), "--cors-origin must be like"),
        (("--cors-origin", "https://app.test:443"), "--cors-origin must be like"),
        (("--cors-origin", "http://App.test"), "--cors-origin must be like"),
        (("--cors-origin", "http://app.test:"), "--cors-origin must be like"),
        (("--cors-origin", "http://user@app.test"), "--cors-origin must be like"),
        (("--cors-origin", "app.test"), "--cors-origin must be like"),
        (("--webhook-hosts", "a:80"), "--webhook-hosts must be"),
        (("--scenario", "demos"), "The scenarios are demo, "),
        (("--ephemeral",), "--data-dir is of no use with --ephemeral"),
        (("--durability", "power"), "--durability is removed in 0.2; a write survives"),
    ],
)
def test_an_invalid_setting_is_refused_with_one_line(tmp_path, flags, says):
    done = CliRunner().invoke(cli, ["serve", "--port", "0", "--data-dir", str(tmp_path / "world"), *flags])
    assert done.exit_code == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "world").exists()


def test_a_variable_that_went_is_refused_by_its_name(tmp_path):
    words = ["serve", "--port", "0", "--data-dir", str(tmp_path / "world")]
    done = CliRunner().invoke(cli, words, env={"DRYLINE_DURABILITY": "process"})
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith("dryline: DRYLINE_DURABILITY is removed in 0.2; ")
    assert not (tmp_path / "world").exists()


def test_files_are_readable_for_their_owner_only(start, data_dir, tmp_path):
    server = start(*data_dir)
    server.call("POST", "/api/workers", NEW_WORKER)
    server.call("POST", "/_dryline/snapshots", {"name": "one"})
    paths = {server.ready_file, *(tmp_path / "world").rglob("*")}
    assert {path.name for path in paths} >= {"dryline.sqlite3", "secret", "snapshots"}
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


def test_a_client_of_https_is_disconnected_with_a_warning(start):
    server = start("--ephemeral", "--scenario", "empty")
    host, port = server.url.removeprefix("http://").split(":")
    with pytest.raises(ssl.SSLError), socket.create_connection((host, int(port)), timeout=20) as connection:
        ssl.create_default_context().wrap_socket(connection, server_hostname="localhost")
    server.call("GET", "/api/workers")
    assert "speaks https://" in server.end()[2]


def test_an_error_of_the_http_server_has_the_apis_form(server):
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GARBAGE\r\n\r\n")
        answer = b""
        while chunk := connection.recv(1000):
            answer += chunk
    assert answer.startswith(b"HTTP/1.0 400")
    assert b"X-Content-Type-Options: nosniff\r\n" in answer
    assert json.loads(answer.partition(b"\r\n\r\n")[2]) == {"error": "Bad Request: Start line is invalid"}


def test_idle_connections_leave_files_for_the_work(tmp_path):
    server = Process(tmp_path, "--data-dir", str(tmp_path / "world"), most_files=64)
    address = ("127.0.0.1", int(server.url.rpartition(":")[2]))
    client = HTTPConnection(*address, timeout=20)
    with ExitStack() as stack, closing(client):
        client.connect()
        for _ in range(80):
            stack.enter_context(socket.create_connection(address))
        for _ in range(100):
            client.request("GET", "/_dryline/clock")
            assert client.getresponse().read()
        assert len(os.listdir(f"/proc/{server.process.pid}/fd")) < 50
    server.call("POST", "/api/workers", NEW_WORKER)
    code, _, errors = server.end()
    assert (code, "ERROR" in errors) == (0, False)
