"""Proxies of the environment: clients of a stand-in pass them by, requests to outside services use them."""

import contextlib
import socket
import sys
import threading
import urllib.request

import pytest

from dryline.commands.remote.reader import Reader, ReadError
from dryline.testing import DrylineServer
from dryline.world.exchange import Unanswered
from dryline.world.outgoing import Outgoing, send

DRYLINE = f"{sys.executable} -m dryline"
NAMES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
OK = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n[]"


class Proxy:
    """A proxy that keeps the head of each request. It answers with an empty list, and refuses tunnels."""

    def __init__(self):
        self.heads = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                with connection:
                    head = connection.recv(65536).decode()
                    self.heads.append(head)
                    connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n" if head.startswith("CONNECT") else OK)


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def proxy():
    proxy = Proxy()
    urllib.request.install_opener(None)  # urlopen keeps the proxies of its first call
    yield proxy
    urllib.request.install_opener(None)
    proxy.listener.close()


USES_EVERY_CLIENT = """
    import asyncio, os, subprocess, sys, urllib.request
    import httpx, pytest, requests
    from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs
    from dryline.testing import DrylineServer

    early = BrainbaseLabs(max_retries=0)

    def test_clients(dryline):
        assert early.workers.list() == BrainbaseLabs(max_retries=0).workers.list() == []
        assert dryline.client(max_retries=0).workers.list() == []
        assert asyncio.run(AsyncBrainbaseLabs(max_retries=0).workers.list()) == []
        assert asyncio.run(dryline.async_client(max_retries=0).workers.list()) == []
        for url in (dryline.url, dryline.url.replace("127.0.0.1", "localhost")):
            for get in (httpx.get, requests.get):
                assert get(url + "/_dryline/health").status_code == 200
            urllib.request.urlopen(url + "/_dryline/health").close()
        assert dryline.team().client(max_retries=0).workers.list() == []
        dryline.verify(path="/api/workers", times=6)

    def test_a_program(dryline):
        code = "from brainbase_labs import BrainbaseLabs; print(BrainbaseLabs(max_retries=0).workers.list())"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ)
        assert done.stdout == "[]\\n", done.stderr

    def test_own_server():
        with DrylineServer() as server:
            assert server.client(max_retries=0).workers.list() == []
            assert asyncio.run(server.async_client(max_retries=0).workers.list()) == []

    def test_in_process(dryline_in_process):
        assert dryline_in_process.client().workers.list() == []

    def test_without_a_fixture():
        with pytest.raises(Exception, match="Add the fixture dryline"):
            early.workers.list()
"""


@pytest.mark.parametrize(
    ("name", "scheme", "flags"),
    [("http_proxy", "http", ["--dryline-command", DRYLINE]), ("ALL_PROXY", "socks5", [])],
)
def test_no_client_of_a_test_uses_a_proxy_for_the_stand_in(run_pytest, monkeypatch, proxy, name, scheme, flags):
    monkeypatch.setenv(name, f"{scheme}://{proxy.host}")
    run_pytest(USES_EVERY_CLIENT, *flags).assert_outcomes(passed=5)
    assert proxy.heads == []


@pytest.mark.parametrize("isolate", [True, False])
def test_tests_keep_the_proxy_for_other_hosts(run_pytest, monkeypatch, proxy, isolate):
    monkeypatch.setenv("HTTP_PROXY", f"http://{proxy.host}")
    monkeypatch.setenv("NO_PROXY", "intranet.test")
    code = f"""
        import os
        import httpx, pytest

        @pytest.mark.dryline(isolate={isolate})
        def test_it():
            assert os.environ["NO_PROXY"].startswith("intranet.test")
            assert ("127.0.0.1" in os.environ["NO_PROXY"]) == {isolate}
            assert httpx.get("http://service.example.test/").json() == []
    """
    run_pytest(code).assert_outcomes(passed=1)
    assert proxy.heads[0].startswith("GET http://service.example.test/ ")


@pytest.mark.parametrize(("name", "scheme"), [("HTTP_PROXY", "http://me:p%40ss@"), ("ALL_PROXY", "")])
def test_reading_a_service_goes_through_the_proxy(monkeypatch, proxy, name, scheme):
    monkeypatch.setenv(name, scheme + proxy.host)
    assert Reader("http://service.example.test:8080", "key", tries=1).get("/api/workers", limit=1) == []
    (head,) = proxy.heads
    assert head.startswith("GET http://service.example.test:8080/api/workers?limit=1 HTTP/1.1\r\n")
    assert "\r\nhost: service.example.test:8080\r\n" in head.lower()
    assert ("Basic bWU6cEBzcw==" in head) == ("@" in scheme)


def test_https_goes_through_a_tunnel_and_a_refusal_names_it(monkeypatch, proxy):
    monkeypatch.setenv("https_proxy", f"http://me:secret@{proxy.host}")
    with pytest.raises(ReadError, match=r"Tunnel connection failed: 403 .*\(the proxy 127.0.0.1 of the environment"):
        Reader("https://service.example.test", "key", tries=1).get("/api/workers")
    assert proxy.heads[0].startswith("CONNECT service.example.test:443 ")
    assert "roxy-" in proxy.heads[0] and "key" not in proxy.heads[0]


@pytest.mark.parametrize("no_proxy", ["*", "example.test"])
def test_this_machine_and_a_host_of_no_proxy_are_reached_directly(monkeypatch, proxy, no_proxy):
    monkeypatch.setenv("http_proxy", f"http://{proxy.host}")
    with DrylineServer() as server:
        assert Reader(server.url, server.api_key).get("/api/workers") == []
        Outgoing().send("POST", server.url + "/inbox/x", headers={}, body=b"{}", within_s=5, max_bytes=1_000)
    monkeypatch.setenv("no_proxy", no_proxy)
    with pytest.raises(Unanswered):
        send("GET", "http://service.example.test/")
    assert proxy.heads == []


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ("socks5://me:secret@127.0.0.1:9", "cannot be used: .*unsupported scheme socks5"),
        ("http://[", "cannot be used: Failed to parse"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_a_sentence_without_a_retry(monkeypatch, named, says):
    monkeypatch.setenv("ALL_PROXY", named)
    monkeypatch.setattr("dryline.commands.remote.reader.sleep", None)
    with pytest.raises(ReadError, match=says):
        Reader("https://service.example.test", "key").get("/api/workers")
