"""A cheap client that sends ready bytes on raw sockets, because it shares the processors with the servers."""

from __future__ import annotations

import selectors
import socket
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

# A round of a server that is slow ends before it has answered all.
LONGEST_ROUND_S = 1.0


class Load(NamedTuple):
    """The result of a load on one server."""

    per_second: float
    p50_ms: float
    p99_ms: float
    cpu_us: float = 0  # the server's processor time for a request; it varies least with what else runs

    @classmethod
    def of(cls, seconds: list[float], elapsed: float) -> Load:
        """Return the figures of requests that took `seconds` each and `elapsed` together."""
        seconds = sorted(seconds)
        p99 = seconds[min(len(seconds) - 1, len(seconds) * 99 // 100)]
        return cls(len(seconds) / elapsed, statistics.median(seconds) * 1000, p99 * 1000)

    @classmethod
    def median(cls, rounds: list[Load]) -> Load:
        """Return the median of each figure over several rounds."""
        return cls(*(statistics.median(figures) for figures in zip(*rounds, strict=True)))

    def __str__(self) -> str:
        return f"{self.per_second:9,.0f} /s   p50 {self.p50_ms:7.2f} ms   p99 {self.p99_ms:7.2f} ms" + (
            f"   cpu {self.cpu_us:6,.0f} µs" if self.cpu_us else ""
        )


@dataclass
class Client:
    """A connection, and what has come of the answer that it waits for."""

    connection: socket.socket
    answer: bytearray
    sent_at: float = 0

    def send(self, request: bytes) -> None:
        """Send a request and start its time."""
        self.sent_at = time.perf_counter()
        self.connection.sendall(request)

    def receive(self) -> float | None:
        """Read what has come. Return the seconds that the answer took, or None if it is not whole."""
        chunk = self.connection.recv(1 << 18)
        if not chunk:
            raise SystemExit("The server closed the connection.")
        self.answer += chunk
        if not is_whole(self.answer):
            return None
        seconds = time.perf_counter() - self.sent_at
        if not self.answer.startswith((b"HTTP/1.1 200", b"HTTP/1.1 201", b"HTTP/1.1 204")):
            raise SystemExit(f"Not what was asked for: {bytes(self.answer[:300])!r}")
        self.answer.clear()
        return seconds


def connect(url: str) -> Client:
    """Open a connection to a server."""
    host, port = url.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Client(connection, bytearray())


def load(url: str, request: bytes, count: int, connections: int, processor_ns: Callable[[], int]) -> Load:
    """Send at most `count` requests. Each connection sends the next one as soon as the last is answered."""
    clients = [connect(url) for _ in range(connections)]
    taken: list[float] = []
    spent = processor_ns()
    with selectors.DefaultSelector() as selector:
        for client in clients:
            selector.register(client.connection, selectors.EVENT_READ, client)
        began = time.perf_counter()
        for client in clients:
            client.send(request)
        sent = connections
        while len(taken) < count and time.perf_counter() - began < LONGEST_ROUND_S:
            for key, _ in selector.select():
                seconds = key.data.receive()
                if seconds is None:
                    continue
                taken.append(seconds)
                if sent < count:
                    key.data.send(request)
                    sent += 1
        elapsed = time.perf_counter() - began
    for client in clients:
        client.connection.close()
    return Load.of(taken, elapsed)._replace(cpu_us=(processor_ns() - spent) / len(taken) / 1000)


def is_whole(answer: bytearray) -> bool:
    """Return whether an answer is complete."""
    end = answer.find(b"\r\n\r\n")
    if end < 0:
        return False
    head = bytes(answer[:end]).lower()
    if b"\r\ntransfer-encoding: chunked" in head:
        return answer.endswith(b"\r\n0\r\n\r\n")
    _, _, behind_name = head.partition(b"\r\ncontent-length: ")
    length = int(behind_name.partition(b"\r")[0] or 0)
    return len(answer) >= end + 4 + length


def request_bytes(method: str, path: str, body: bytes, headers: dict[str, str]) -> bytes:
    """Return a whole HTTP request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body
