"""A thread that carries out random operations on API, control plane and console."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import quote

from dryline.tools.attack.client import Answer, Client
from dryline.tools.attack.lines import NUMBER, Line, make_line
from dryline.tools.attack.phases import Phases
from dryline.tools.attack.receiver import Receiver

# Loading a document takes about five times its size, and the server's memory is looked at.
MOST_BYTES_LOADED = 6_000_000


class Attacker(threading.Thread):
    """A thread that carries out random operations until `ends_at`."""

    def __init__(
        self, number: int, seed: int, client: Client, phases: Phases, receiver: Receiver, ends_at: float
    ) -> None:
        super().__init__(name=f"attacker {number}", daemon=True)
        self.random = Random(f"{seed} {number}")
        self.client = client
        self.phases = phases
        self.receiver = receiver
        self.ends_at = ends_at
        self.count = 0
        self.line: Line | None = None
        self.phase_of_line = 0
        self.saved: dict[str, tuple[frozenset[int], bytes]] = {}

    def run(self) -> None:
        """Carry out operations."""
        acts = [act for act, weight in self._acts() for _ in range(weight)]
        while time.monotonic() < self.ends_at:
            self.random.choice(acts)()
            self.count += 1

    def _acts(self) -> list[tuple[Callable[[], object], int]]:
        return [
            (self.new_line, 6),
            (self.read, 12),
            (self.open_pages, 8),
            (self.simulate, 6),
            (self.start_batch, 5),
            (self.start_campaign, 4),
            (self.start_voicev1_campaign, 3),
            (self.run_test, 4),
            (self.export, 6),
            (self.upload, 4),
            (self.talk, 5),
            (self.complete_chat, 3),
            (self.move_clock, 8),
            (self.use_console, 4),
            (self.change_settings, 3),
            (self.add_fault, 2),
            (self.make_team, 2),
            (self.delete, 3),
            (self.save, 2),
            (self.reset, 2),
            (self.restore, 2),
            (self.undo, 1),
            (self.load, 2),
            (self.extend, 2),
        ]

    # The rows of the present phase

    def with_line(self, act: Callable[[Line], object]) -> None:
        """Carry out a short act on a line of the present phase; make one first if there is none."""
        with self.phases.shared():
            line = self._own_line()
            if line:
                act(line)

    def _own_line(self) -> Line | None:
        if self.line is None or self.phase_of_line != self.phases.number:
            self.phase_of_line = self.phases.number
            acknowledge = self.phases.acknowledged.add
            self.line = make_line(self.client, self.phases.prefix, self.receiver.url, in_progress=acknowledge)
        return self.line

    def new_line(self) -> None:
        self.line = None
        self.with_line(lambda line: None)

    # Short requests

    def read(self) -> None:
        def act(line: Line) -> None:
            base = f"/api/workers/{line.worker}"
            lists = (
                "flows",
                "tags",
                "deployments/voice",
                "deploymentLogs/voice?limit=20",
                "runtime-errors",
                "llm-logs",
            )
            self.client.send("GET", f"{base}/{self.random.choice(lists)}")
            self.client.send("GET", self.random.choice(["/api/workers", "/api/team/exports", "/_dryline/requests"]))

        self.with_line(act)

    def open_pages(self) -> None:
        pages = (
            "",
            "/live",
            "/calls",
            "/workers",
            "/campaigns",
            "/exports",
            "/requests",
            "/webhooks",
            "/state",
            "/faults",
        )
        for page in self.random.sample(pages, 3):
            self.client.send("GET", f"/console{page}")

    def start_batch(self) -> None:
        def act(line: Line) -> None:
            path = f"/api/workers/{line.worker}/deployments/voice/{line.voice}/make-batch-calls"
            # A move of the clock waits for the calls that are due, of all clients, at some 10 ms each.
            count = self.random.choice([3, 30, 300])
            body = {"data": self._rows(count), "batch_size": self.random.choice([5, 50, 300])}
            self.client.send("POST", path, body)

        self.with_line(act)

    def start_campaign(self) -> None:
        def act(line: Line) -> None:
            path = f"/api/workers/{line.worker}/deployments/voice/{line.voice}/outbound-campaigns"
            options = {"batch_size": 5, "batch_interval_minutes": self.random.choice([1, 5]), "status": "RUNNING"}
            self.client.send("POST", path, {"name": f"{self.phases.prefix}c", "data": self._rows(20), **options})

        self.with_line(act)

    def start_voicev1_campaign(self) -> None:
        def act(line: Line) -> None:
            path = f"/api/workers/{line.worker}/deployments/voicev1/{line.voicev1}"
            self.client.send("POST", f"{path}/make-batch-calls", {"data": self._rows(self.random.choice([3, 30]))})

        self.with_line(act)

    def _rows(self, count: int) -> list[dict[str, str]]:
        return [{"id": f"row-{n}", "phoneNumber": NUMBER, "name": f"{self.phases.prefix}{n}"} for n in range(count)]

    def run_test(self) -> None:
        self.with_line(lambda line: self.client.send("POST", f"/api/workers/{line.worker}/tests/{line.test}/run"))

    def export(self) -> None:
        def act(line: Line) -> None:
            now = self._now()
            window = {"startDate": f"{now[:7]}-01T00:00:00Z", "endDate": f"{now[:7]}-28T00:00:00Z"}
            made = self.client.send("POST", "/api/team/exports", {"format": "CSV", "logType": "voice", **window})
            shown = self.client.send("GET", f"/api/team/exports/{made.json['id']}") if made.is_good else Answer(0)
            if shown.is_good and (url := shown.json.get("downloadUrl")):
                self.client.send("GET", url.removeprefix(self.client.url))

        self.with_line(act)

    def _now(self) -> str:
        clock = self.client.send("GET", "/_dryline/clock")
        return str(clock.json["now"]) if clock.is_good else "2026-11-01T00:00:00Z"

    def upload(self) -> None:
        def act(line: Line) -> None:
            name = f"{self.phases.prefix}prices.csv"
            query = f"fileName={name}&contentType=text/csv"
            signed = self.client.send("GET", f"/api/upload/{line.worker}/resource-upload-url?{query}")
            if not signed.is_good:
                return
            address = signed.json["uploadUrl"]
            data = f"{name},3\n".encode() * self.random.choice([1, 1000])
            self.client.send(
                "PUT", address.removeprefix(self.client.url), data=data, headers={"Content-Type": "text/csv"}
            )
            body = {"name": name, "fileName": name, "mimeType": "text/csv", "size": len(data)}
            path = f"/api/workers/{line.worker}/resources"
            self.client.send("POST", f"{path}/file", {**body, "s3FilePath": address.partition("?")[0]})
            self.client.send("POST", f"{path}/query", {"query": "What is the price?"})

        self.with_line(act)

    def talk(self) -> None:
        def act(line: Line) -> None:
            begun = self.client.send("POST", "/_dryline/talk", {"flowId": line.flow})
            if begun.is_good:
                said = self.random.choice(["I want an appointment on Tuesday", "a person please", "x" * 5000])
                self.client.send("POST", f"/_dryline/talk/{begun.json['id']}", {"say": said})

        self.with_line(act)

    def complete_chat(self) -> None:
        def act(line: Line) -> None:
            body = {"messages": [{"role": "user", "content": "I want an appointment"}]}
            path = f"/v1/chat/completions?agent_id={line.worker}"
            self.client.send("POST", path, body, headers={"Authorization": "Bearer dryline-local-key"})

        self.with_line(act)

    def use_console(self) -> None:
        forms = (
            ("/console/world/clock", "frozen=true"),
            ("/console/world/clock", "frozen=false"),
            ("/console/world/clock/advance", "seconds=300"),
            ("/console/world/save", "name=from the console"),
            ("/console/faults", "method=GET&path=/api/team/tags&status=429&times=1"),
            ("/console/requests/clear", ""),
        )
        path, fields = self.random.choice(forms)
        self.client.send_form(path, fields.encode())

    def change_settings(self) -> None:
        rate = self.random.choice([0, 0, 0.001, 6, 60])
        mode = self.random.choice(["auto", "auto", "manual"])
        self.client.send("PUT", "/_dryline/settings", {"callsPerMinute": rate, "exportMode": mode})

    def add_fault(self) -> None:
        rule: dict[str, Any] = self.random.choice(
            [{"delayMs": 700}, {"status": 429}, {"delayMs": 300, "phase": "after"}]
        )
        self.client.send("POST", "/_dryline/faults", {"path": "/api/workers*", "times": 3, **rule})

    def make_team(self) -> None:
        with self.phases.shared():
            made = self.client.send("POST", "/_dryline/teams", {"name": f"{self.phases.prefix}team"})
            if made.is_good:
                path = f"/_dryline/teams/{made.json['id']}"
                self.client.send("POST", f"{path}/keys", {"name": "key"})
                if self.random.random() < 0.7:
                    self.client.send("DELETE", path)

    def delete(self) -> None:
        def act(line: Line) -> None:
            base = f"/api/workers/{line.worker}"
            part = self.random.choice([f"/deployments/voice/{line.voice}", f"/flows/{line.flow}", ""])
            if not part:
                self.phases.acknowledged.discard(line.worker)
            self.client.send("DELETE", base + part)
            self.line = None

        self.with_line(act)

    # Requests that take long, which a new phase does not wait for

    def simulate(self) -> None:
        with self.phases.shared():
            line = self._own_line()
        if line:
            count = self.random.choice([1, 5, 40, 200])
            kind, deployment = self.random.choice([("calls", line.voice), ("chats", line.chat)])
            body: dict[str, Any] = {"workerId": line.worker, "deploymentId": deployment, "count": count}
            if kind == "calls" and count < 10 and self.random.random() < 0.5:
                body["inProgress"] = True
            self.client.send("POST", f"/_dryline/simulate/{kind}", body)

    def move_clock(self) -> None:
        seconds = self.random.choice([1, 60, 3600, 86_400, 30 * 86_400])
        act = self.random.random()
        if act < 0.6:
            self.client.send("POST", "/_dryline/clock/advance", {"seconds": seconds})
        elif act < 0.75:
            self.client.send("DELETE", "/_dryline/clock")
        else:
            day = f"20{self.random.randrange(20, 40)}-0{self.random.randrange(1, 10)}-01T10:00:00Z"
            self.client.send("PUT", "/_dryline/clock", {"now": day, "frozen": self.random.random() < 0.5})

    # Changes that begin a phase

    def save(self) -> None:
        with self.phases.alone():
            name = self.name  # one each: more would fill the small disk for good
            state = self.client.send("GET", "/_dryline/state")
            if state.is_good and self.client.send("POST", "/_dryline/snapshots", {"name": name}).is_good:
                self.saved[name] = self.phases.allowed, state.data

    def reset(self) -> None:
        scenario = self.random.choice(["empty", "empty", "demo"])
        self._begin(lambda: self.client.send("POST", "/_dryline/reset", {"scenario": scenario}))

    def restore(self) -> None:
        if self.saved:
            name = self.random.choice(list(self.saved))
            path = f"/_dryline/snapshots/{quote(name)}/restore"
            self._begin(lambda: self.client.send("POST", path), self.saved[name][0])

    def undo(self) -> None:
        self._begin(lambda: self.client.send("POST", "/_dryline/undo"), None)

    def load(self) -> None:
        states = [(allowed, data) for allowed, data in self.saved.values() if len(data) <= MOST_BYTES_LOADED]
        if states:
            allowed, data = self.random.choice(states)
            self._begin(lambda: self.client.send("PUT", "/_dryline/state", data=data), allowed)

    def extend(self) -> None:
        with self.phases.shared():
            rows = {"workers": [{"id": f"{self.phases.prefix}{time.monotonic_ns()}", "name": self.phases.prefix}]}
            self.client.send("POST", "/_dryline/state", {"version": 1, **rows})

    def _begin(self, change: Callable[[], Answer], allowed: frozenset[int] | None = frozenset()) -> None:
        with self.phases.alone():
            self.phases.begin(change, allowed)
