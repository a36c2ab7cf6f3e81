"""Requests that the stand-in sends: bounds of time and size, and hosts that it may not reach."""

import base64
import contextlib
import gzip
import socket
import threading
import tracemalloc

import pytest

from dryline.tests.conftest import send as handlers_send
from dryline.world.exchange import Cut, Unanswered
from dryline.world.outgoing import Outgoing, Refused, send

HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"


class Line:
    """A server of one connection, which answers what a test says, piece by piece."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.received = b""
        self.pieces, self.asked, self.over = [HEAD + b"x" * 100_000], threading.Event(), threading.Event()
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    def serve(self):
        connection, _ = self.listener.accept()
        self.listener.close()
        with connection, contextlib.suppress(OSError):
            self.received = connection.recv(10_000)
            if self.received:
                self.asked.set()
            for piece in self.pieces:
                connection.sendall(piece)
            self.over.wait(30)

    def close(self):
        self.over.set()
        with contextlib.suppress(ConnectionError):  # somebody came, maybe just now
            socket.create_connection(("127.0.0.1", self.port)).close()
        self.thread.join()


@pytest.fixture
def line():
    line = Line()
    yield line
    line.close()


def ask(outgoing, url, within_s=10.0):
    return outgoing.send("GET", url, headers={}, body=None, within_s=within_s, max_bytes=10)


@pytest.mark.parametrize(
    ("credentials", "sent"),
    [
        ("user:p%40ss@", "user:p@ss"),
        ("user:p@ss@", "user:p@ss"),
        ("us%3Aer:a:b@", "us:er:a:b"),
        ("user@", "user:"),
        (":only@", ":only"),
        ("ü:ß€@", "ü:ß€"),
    ],
)
@pytest.mark.parametrize("client", ["team", "service"])
def test_credentials_in_an_address_are_sent_as_basic_authentication(http_server, client, credentials, sent):
    received = []

    def answer(handler):
        received.append((handler.path, handler.headers.get_all("Authorization")))
        handlers_send(handler, 200)

    url = http_server(answer).replace("://", f"://{credentials}") + "/path"
    own = {"AUTHORIZATION": "Bearer own"}
    if client == "team":
        ask(Outgoing(), url)
        Outgoing().send("GET", url, headers=own, body=None, within_s=10, max_bytes=10)
    else:
        send("GET", url)
        send("GET", url, headers=own)
    basic = f"Basic {base64.b64encode(sent.encode()).decode()}"
    assert received == [("/path", [basic]), ("/path", ["Bearer own"])]


@pytest.mark.parametrize(
    "url", ["ftp://user:s3cr3t@localhost/", "http://user:s3cr3t@localhost:x/", "http://u:s3cr3t@a.test/"]
)
def test_no_message_shows_the_credentials_of_an_address(url):
    with pytest.raises(Unanswered) as failed:
        ask(Outgoing(), url)
    assert "s3cr3t" not in str(failed.value)


ZEROS = gzip.compress(bytes(30_000_000))


@pytest.mark.parametrize(
    "length, coding, body",
    [(len(ZEROS), "gzip", ZEROS), (10**12, "identity", bytes(2_000_000))],
    ids=["packed", "long"],
)
def test_an_answer_of_more_than_the_bound_is_refused_before_it_is_read(line, length, coding, body):
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nContent-Length: {length}\r\n\r\n"
    line.pieces = [head.encode(), body]
    tracemalloc.start()
    try:
        with pytest.raises(Unanswered, match="more than 1 MB"):
            send("GET", line.url, max_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 80_000_000
    finally:
        tracemalloc.stop()


def test_headers_that_frame_a_message_or_mark_it_cannot_be_set(line):
    names = "Content-Length Transfer-Encoding Connection Keep-Alive TE Trailer Upgrade Expect Host X-Dryline-Outgoing"
    headers = dict.fromkeys([*names.split(), *names.lower().split(), *names.upper().split()], "0")
    Outgoing().send("POST", line.url, headers=headers | {"X-Other": "0"}, body=b"body", within_s=10.0, max_bytes=10)
    head = line.received.partition(b"\r\n\r\n")[0].decode().splitlines()[1:]
    assert sorted(header.lower() for header in head if not header.startswith("User-Agent")) == [
        "accept-encoding: identity",
        "connection: close",
        "content-length: 4",
        f"host: 127.0.0.1:{line.port}",
        "x-dryline-outgoing: 1",
        "x-other: 0",
    ]


@pytest.mark.parametrize(
    ("name", "value"), [("Content-Length ", "0"), ("A\tB", "0"), ("", "0"), ("A", "b\r\n c"), ("A", "b\n\tc")]
)
def test_an_invalid_header_is_not_sent(line, name, value):
    with pytest.raises(Unanswered, match="header"):
        Outgoing().send("GET", line.url, headers={name: value}, body=None, within_s=10.0, max_bytes=10)
    assert line.received == b""


@pytest.mark.parametrize("ask", [ask, lambda _, url, within_s: send("GET", url, within_s=within_s)])
@pytest.mark.parametrize("head", [HEAD[:20], HEAD, b"HTTP/1.0 200 OK\r\n\r\n"])
def test_an_answer_that_comes_byte_by_byte_does_not_outlast_its_time(line, head, ask):
    def drip():
        yield head
        while not line.over.wait(0.05):
            yield b"x"

    line.pieces = drip()
    with pytest.raises(Unanswered) as fault:
        ask(Outgoing(), line.url, within_s=0.2)
    assert (str(fault.value), fault.value.timed_out) == ("No answer within 0.2 s.", True)


def test_the_look_up_of_a_name_counts_in_the_time(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_: over.wait(30))
    try:
        with pytest.raises(Unanswered, match=r"No answer within 0\.1 s"):
            ask(Outgoing(), "http://localhost:1/", within_s=0.1)
    finally:
        over.set()


def test_the_end_cuts_what_is_under_way(line):
    line.pieces = []
    outgoing = Outgoing()
    end = threading.Thread(target=lambda: line.asked.wait(10) and outgoing.end())
    end.start()
    with pytest.raises(Cut):
        ask(outgoing, line.url)
    end.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::ffff:127.0.0.1"])
def test_a_world_does_not_ask_itself_however_it_listens(line, host):
    outgoing = Outgoing()
    outgoing.own_sockets.append((host, line.port))
    with pytest.raises(Refused):
        ask(outgoing, line.url)
    assert not line.asked.is_set()


@pytest.mark.parametrize("host", ["127.0.0.2", "::1"])
def test_another_server_on_the_same_port_of_another_address_is_asked(line, host):
    outgoing = Outgoing()
    outgoing.own_sockets.append((host, line.port))
    assert ask(outgoing, line.url).status == 200


def test_a_connection_over_which_bytes_still_come_is_closed_when_its_time_is_over(line):
    def drip():
        yield HEAD
        while not line.over.wait(0.02):
            yield b"x"

    line.pieces = drip()
    with pytest.raises(Unanswered):
        ask(Outgoing(), line.url, within_s=0.2)
    line.thread.join(5)
    assert not line.thread.is_alive()  # it could send no more


@pytest.mark.parametrize("url", ["ftp://localhost/", "file:///etc/hosts", "localhost:80"])
def test_a_url_of_another_scheme_is_refused(url):
    with pytest.raises(Refused, match="must be of http or https"):
        send("GET", url)


def test_a_refused_connection_is_called_so():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unanswered, match=r"^ConnectionRefusedError: ") as fault:
        send("GET", f"http://127.0.0.1:{port}/")
    assert not fault.value.timed_out


def test_a_connection_is_closed_when_its_time_is_over():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        with pytest.raises(Unanswered) as fault:
            ask(Outgoing(), f"http://127.0.0.1:{listener.getsockname()[1]}/", within_s=0.1)
        assert fault.value.timed_out
        connection, _ = listener.accept()
        with connection:
            connection.settimeout(5)
            while connection.recv(10_000):
                pass
