"""Nothing that began before a reset, or another change of the whole state, acts after it."""

from __future__ import annotations

import logging
import threading
import time
from contextlib import closing

import orjson
import pytest
from urllib3.util import connection

from dryline.app import create_app
from dryline.blueprints.console import app as console_app
from dryline.jobs import export_files
from dryline.models.workers import Worker
from dryline.settings import Settings
from dryline.simulator import deployment_context, outbound
from dryline.simulator.conversations import Simulator
from dryline.state import parsing
from dryline.tests.conftest import Api
from dryline.tests.console.visitor import Visitor
from dryline.tests.webhooks.receiver import Receiver
from dryline.web import hosts
from dryline.world import epochs
from dryline.world.faults import ConnectionCut

NOW = "2026-03-02T10:00:00.000Z"
KEY = "north-key"
ASKING = """import requests
requests.get("URL")
requests.get("URL")
loop:
    talk("Ask what they want.", True)
until "caller wants an appointment":
    say("Fine.")
until "caller wants a person":
    transfer("+15550100")
"""


def document(url):
    """Return a world of two teams, whose flows send two requests before they speak."""
    in_worker = {"name": "Main", "workerId": "w"}
    of_start = {"name": "Main", "workerId": "own", "teamId": "start"}
    code = ASKING.replace("URL", url)
    return {
        "version": 1,
        "teams": [
            {"id": "start", "name": "Start", "apiKeys": ["dryline-local-key"]},
            {"id": "north", "name": "North", "apiKeys": [KEY]},
        ],
        "workers": [
            {"id": "w", "name": "Desk", "teamId": "north"},
            {"id": "own", "name": "Own desk", "teamId": "start"},
        ],
        "flows": [
            {**of_start, "id": "of_start", "code": code},
            {**in_worker, "id": "f", "code": code, "teamId": "north"},
            {**in_worker, "id": "silent", "name": "Silent", "code": "loop:\n    talk()\n", "teamId": "north"},
        ],
        "voiceDeployments": [
            {**of_start, "id": "line", "flowId": "of_start", "phoneNumber": "+14155550102"},
            {**in_worker, "id": "d", "flowId": "f", "phoneNumber": "+14155550100", "teamId": "north"},
            {**in_worker, "id": "told", "flowId": "silent", "phoneNumber": "+14155550101", "teamId": "north"},
        ],
        "customWebhooks": [{"id": "h", "deploymentId": "told", "url": url, "fields": "status", "teamId": "north"}],
        "tests": [
            {
                **{"id": "t", "teamId": "north", "workerId": "w", "flowId": "f", "name": "Smoke", "testMode": "voice"},
                "checkpoints": [{"name": "A", "description": "caller wants an appointment", "runs": 3, "tolerance": 0}],
            }
        ],
    }


class Stand:
    """A world with work under way. `gate` holds the work until it is opened."""

    def __init__(self, app, receiver, gate):
        self.app, self.receiver, self.gate = app, receiver, gate
        self.plane = Api(app.test_client(), "", "/_dryline")
        self.threads, self.answers = [], []
        self.team_id = "north"  # the team that the work is for

    def team(self):
        return Api(self.app.test_client(), KEY)

    def control(self):
        return Api(self.app.test_client(), "", "/_dryline")

    def engine(self):
        headers = {"authorization": f"Bearer {KEY}", "x-brainbase-api-key": KEY}
        body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Hello"}]}
        path = "/v1/chat/completions?agent_id=w&flow_id=f&session_id=s"
        return self.app.test_client().post(path, json=body, headers=headers)

    def in_thread(self, request):
        """Send a request in a thread. Its answer is a status, or None for a connection that is cut."""

        def run():
            try:
                self.answers.append(request().status_code)
            except ConnectionCut:
                self.answers.append(None)

        thread = threading.Thread(target=run)
        thread.start()
        self.threads.append(thread)

    def wait_for(self, is_so):
        until = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < until, "The work did not begin."
            time.sleep(0.005)

    def is_in_progress(self):
        return any(entry.in_progress for entry in self.app.world.requests.in_progress_and_answered())

    def go_on(self):
        """Open the gate, and wait until all work has ended."""
        self.receiver.wait.set()
        self.gate.set()
        for thread in threading.enumerate():
            if thread in self.threads or thread.name == "dryline-webhook":
                thread.join(60)
                assert not thread.is_alive()

    def state(self):
        deliveries = self.plane.get("/webhooks").json
        requests = [entry for entry in self.plane.get("/requests").json if not entry["inProgress"]]
        return self.plane.get("/state").json, deliveries, requests


@pytest.fixture
def receiver():
    with closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture
def stand(tmp_path, monkeypatch, receiver):
    monkeypatch.setattr(epochs, "SENDS_TIMEOUT_S", 0.05)
    gate, write = threading.Event(), export_files.write

    def write_behind_gate(*args):
        begun.set()
        gate.wait(60)
        return write(*args)

    begun = write_behind_gate.begun = threading.Event()
    monkeypatch.setattr(export_files, "write", write_behind_gate)
    scenario = tmp_path / "scenario.json"
    scenario.write_bytes(orjson.dumps(document(receiver.url)))
    app = create_app(Settings(data_dir=tmp_path / "data", scenario=str(scenario)))
    stand = Stand(app, receiver, gate)
    stand.begun = begun
    assert stand.plane.put("/clock", {"now": NOW, "frozen": True}).status_code == 200
    assert stand.plane.post("/snapshots", {"name": "start"}).status_code == 201
    assert stand.plane.post("/reset", {}).status_code == 204  # what an undo undoes
    assert stand.plane.put("/clock", {"now": NOW, "frozen": True}).status_code == 200
    receiver.wait.clear()
    yield stand
    stand.go_on()
    app.close()


# Work that is under way when the function returns


def delayed_write(stand):
    assert stand.plane.post("/faults", {"delayMs": 60_000, "method": "POST"}).status_code == 201
    stand.in_thread(lambda: stand.team().post("/workers", {"name": "late", "description": None, "status": None}))
    stand.wait_for(stand.is_in_progress)


def delayed_read(stand):
    assert stand.plane.post("/faults", {"delayMs": 60_000, "path": "/api/workers"}).status_code == 201
    stand.in_thread(lambda: stand.team().get("/workers"))
    stand.wait_for(stand.is_in_progress)


def delayed_refusal(stand):
    assert stand.plane.post("/faults", {"delayMs": 60_000, "status": 503}).status_code == 201
    stand.in_thread(lambda: stand.team().get("/workers"))
    stand.wait_for(stand.is_in_progress)


def simulation(stand):
    stand.in_thread(
        lambda: stand.control().post("/simulate/calls", {"workerId": "w", "deploymentId": "d", "outcome": "completed"})
    )
    assert stand.receiver.asked.wait(60)


def talk(stand):
    stand.in_thread(lambda: stand.control().post("/talk", {"deploymentId": "d"}))
    assert stand.receiver.asked.wait(60)


def turn_of_a_talk(stand):
    code = 'import requests\nloop:\n    talk("Ask what they want.", True)\nuntil "caller wants an appointment":\n'
    code += 2 * f'    requests.get("{stand.receiver.url}")\n'
    assert stand.team().patch("/workers/w/flows/f", {"code": code}).status_code == 200
    talk = stand.plane.post("/talk", {"deploymentId": "d"})
    assert talk.status_code == 201, talk.text
    choice = {"choose": "caller wants an appointment"}
    stand.in_thread(lambda: stand.control().post(f"/talk/{talk.json['id']}", choice))
    assert stand.receiver.asked.wait(60)


def completion(stand):
    stand.in_thread(stand.engine)
    assert stand.receiver.asked.wait(60)


def batch(stand):
    path = "/workers/w/deployments/voice/d/make-batch-calls"
    rows = [{"phoneNumber": "+14155550100"}, {"phoneNumber": "+14155550102"}]
    assert stand.team().post(path, {"data": rows}).status_code == 200
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 0}))
    assert stand.receiver.asked.wait(60)


def run_of_a_test(stand):
    assert stand.team().post("/workers/w/tests/t/run").status_code in (200, 201)
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 3_600}))
    assert stand.receiver.asked.wait(60)


def live_calls(stand):
    stand.team_id = "start"
    assert stand.plane.put("/settings", {"callsPerMinute": 60}).status_code == 200
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 10}))
    assert stand.receiver.asked.wait(60)


def webhooks(stand):
    body = {"workerId": "w", "deploymentId": "told", "count": 3}
    assert stand.plane.post("/simulate/calls", body).status_code == 201
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 0}))
    assert stand.receiver.asked.wait(60)


def export(stand):
    ask = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
    assert stand.team().post("/team/exports", ask).status_code == 201
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 1}))
    assert stand.begun.wait(60)


def export_by_hand(stand):
    assert stand.plane.put("/settings", {"exportMode": "manual"}).status_code == 200
    ask = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
    path = f"/exports/{stand.team().post('/team/exports', ask).json['id']}/transition"
    assert stand.plane.post(path, {"status": "PROCESSING"}).status_code == 200
    stand.in_thread(lambda: stand.control().post(path, {"status": "COMPLETED"}))
    assert stand.begun.wait(60)


WORK = {
    **{"a write that a fault delays": delayed_write, "a read that a fault delays": delayed_read},
    **{"a refusal that a fault delays": delayed_refusal, "a simulation": simulation, "a talk": talk},
    **{"a turn of a talk": turn_of_a_talk},
    **{"a completion": completion, "a batch": batch, "a test's run": run_of_a_test},
    **{"live calls": live_calls, "webhooks": webhooks, "an export": export},
    **{"an export by hand": export_by_hand},
}
# Kinds of work whose own request is answered: what it asked for was done before.
ANSWERED = {"a batch", "a test's run", "live calls", "webhooks", "an export"}


# Ways to begin an epoch


def _load(stand, query=""):
    return stand.plane.put(f"/state{query}", document(stand.receiver.url))


def _load_team(stand, **more):
    content = {
        name: [row for row in rows if row.get("teamId", row["id"]) == stand.team_id]
        for name, rows in document(stand.receiver.url).items()
        if name != "version"
    }
    return stand.plane.put(f"/state?team={stand.team_id}", {"version": 1, **content, **more})


WAYS = {
    "reset": lambda stand: stand.plane.post("/reset", {}),
    "reset to a scenario": lambda stand: stand.plane.post("/reset", {"scenario": "empty"}),
    "load": _load,
    "import with undo": lambda stand: _load(stand, "?undo=true"),
    "restore": lambda stand: stand.plane.post("/snapshots/start/restore"),
    "undo": lambda stand: stand.plane.post("/undo"),
    "reset of the team": lambda stand: stand.plane.post(f"/reset?team={stand.team_id}", {}),
    "load of the team": _load_team,
    "deletion of the team": lambda stand: stand.plane.delete("/teams/north"),
}


@pytest.mark.parametrize(
    ("work", "way"),
    # The start team, for which live calls come in, cannot be deleted.
    [(work, way) for work in WORK for way in WAYS if (work, way) != ("live calls", "deletion of the team")],
)
def test_no_work_of_an_earlier_epoch_writes_or_sends(stand, work, way):
    WORK[work](stand)
    answer = WAYS[way](stand)
    assert answer.status_code in (200, 204), answer.text
    after, received = stand.state(), stand.receiver.requests_begun
    stand.go_on()
    assert stand.state() == after
    assert stand.receiver.requests_begun == received
    if work not in ANSWERED:
        assert stand.answers == [None]


@pytest.mark.parametrize("way", WAYS)
def test_a_request_that_a_removed_fault_lets_go_acts_only_in_the_epoch_in_which_it_came(stand, way):
    delayed_write(stand)
    assert stand.plane.delete("/faults").status_code == 204
    assert WAYS[way](stand).status_code in (200, 204)
    after = stand.state()
    stand.go_on()
    assert stand.state() == after


@pytest.mark.parametrize("way", WAYS)
def test_an_import_that_a_change_overtakes_adds_nothing(stand, monkeypatch, way):
    parse, once = parsing.parse_document, iter([True])

    def parse_behind_gate(*args, **options):
        content = parse(*args, **options)
        if next(once, False):
            stand.begun.set()
            stand.gate.wait(60)
        return content

    monkeypatch.setattr(parsing, "parse_document", parse_behind_gate)
    late = {"version": 1, "workers": [{"id": "late", "name": "Late"}]}
    stand.in_thread(lambda: stand.control().post("/state?team=north", late))
    assert stand.begun.wait(60)
    assert WAYS[way](stand).status_code in (200, 204)
    after = stand.state()
    stand.go_on()
    assert stand.state() == after
    assert stand.answers == [None]


@pytest.mark.parametrize("way", [way for way in WAYS if "team" in way])
def test_an_epoch_of_a_team_does_not_end_the_work_of_another_team(stand, way):
    fault = stand.plane.post("/faults", {"delayMs": 60_000, "method": "POST"}).json["id"]
    other = Api(stand.app.test_client(), "dryline-local-key")
    stand.in_thread(lambda: other.post("/workers", {"name": "other", "description": None, "status": None}))
    stand.wait_for(stand.is_in_progress)
    assert WAYS[way](stand).status_code == 204
    assert stand.plane.delete(f"/faults/{fault}").status_code == 204
    stand.go_on()
    assert stand.answers == [201]


def test_a_round_goes_on_with_the_next_epoch_of_a_team(stand):
    export(stand)
    waiting = {
        "id": "e",
        "format": "CSV",
        "startDate": "2026-01-01T00:00:00.000Z",
        "endDate": "2026-02-01T00:00:00.000Z",
    }
    answer = _load_team(stand, exports=[{**waiting, "teamId": "north", "createdAt": NOW, "status": "PENDING"}])
    assert answer.status_code == 204, answer.text
    stand.go_on()
    assert [(one["id"], one["status"]) for one in stand.state()[0]["exports"]] == [("e", "COMPLETED")]


REFUSED = {
    "load": lambda stand: stand.plane.put("/state", {"version": 1, "workers": [{"id": 5}]}),
    "reset": lambda stand: stand.plane.post("/reset", {"scenario": "no such file"}),
    "restore": lambda stand: stand.plane.post("/snapshots/none/restore"),
    "deletion of the start team": lambda stand: stand.plane.delete("/teams/start"),
    "addition of rows": lambda stand: stand.plane.post("/state", {"version": 1, "workers": [{"id": "x", "name": "X"}]}),
}


@pytest.mark.parametrize("change", REFUSED)
def test_a_change_that_is_refused_or_only_adds_rows_ends_no_work(stand, change):
    delayed_write(stand)
    REFUSED[change](stand)
    assert stand.plane.delete("/faults").status_code == 204
    stand.go_on()
    assert stand.answers == [201]


def test_what_waits_for_a_change_that_is_refused_is_sent_after_it(stand):
    webhooks(stand)
    REFUSED["load"](stand)
    stand.go_on()
    stand.plane.post("/clock/advance", {"seconds": 0})
    assert {one["status"] for one in stand.plane.get("/webhooks").json} == {"DELIVERED"}


@pytest.mark.parametrize("way", ["reset", "reset of the team"])
def test_a_reset_waits_for_the_delivery_that_is_on_its_way_and_for_no_further_one(stand, monkeypatch, way):
    monkeypatch.setattr(epochs, "SENDS_TIMEOUT_S", 60)
    webhooks(stand)
    stand.in_thread(lambda: WAYS[way](stand))
    stand.threads[-1].join(0.5)
    assert stand.threads[-1].is_alive()
    stand.go_on()
    assert (len(stand.receiver.requests), stand.receiver.requests_begun) == (1, 1)


def test_a_receiver_may_reset_the_world_that_sends_to_it(stand):
    resets = []
    stand.receiver.meanwhile = lambda: resets.append(stand.control().post("/reset", {}).status_code)
    webhooks(stand)
    stand.go_on()
    stand.wait_for(lambda: stand.receiver.requests)  # the answer has arrived, for nobody
    assert (resets, stand.receiver.requests_begun) == ([204], 1)


def test_changes_at_the_same_time_are_all_made(stand):
    for _ in range(4):
        stand.in_thread(lambda: stand.control().post("/reset", {}))
        stand.in_thread(lambda: stand.control().put("/state?undo=true", document(stand.receiver.url)))
        stand.in_thread(lambda: stand.control().post("/reset?team=north", {}))
        stand.in_thread(lambda: stand.control().post("/undo"))
    stand.go_on()
    assert set(stand.answers) == {204, 200}
    assert len(stand.plane.get("/undo").json["snapshots"]) == 5


def test_no_further_conversation_of_a_test_begins_after_a_reset(stand, monkeypatch):
    call, calls = Simulator.call, []

    def call_and_reset(*args):
        calls.append(args)
        stand.in_thread(lambda: stand.control().post("/reset", {}))  # not a part of the round
        stand.threads[-1].join(60)
        return call(*args)

    monkeypatch.setattr(Simulator, "call", call_and_reset)
    code = ASKING.replace('requests.get("URL")\n', "")
    assert stand.team().patch("/workers/w/flows/f", {"code": code}).status_code == 200
    assert stand.team().post("/workers/w/tests/t/run").status_code in (200, 201)
    stand.plane.post("/clock/advance", {"seconds": 3_600})
    assert len(calls) == 1


def test_a_page_that_was_asked_for_before_a_reset_shows_the_world_after_it(stand, monkeypatch):
    require_known_host, once = console_app.require_known_host, iter([True])

    def reset_once(*args):
        if next(once, False):
            stand.in_thread(lambda: stand.control().post("/reset", {}))  # not a part of this request
            stand.threads[-1].join(60)
        require_known_host(*args)

    monkeypatch.setattr(console_app, "require_known_host", reset_once)
    answer = stand.app.test_client().get("/console/workers?team=north")
    assert (answer.status_code, "Desk" in answer.text) == (200, True)


def test_a_read_that_a_reset_overtakes_is_neither_answered_nor_recorded(stand, monkeypatch):
    find, once = Worker.find.__func__, iter([True])

    def reset_after(cls, **where):
        row = find(cls, **where)
        if next(once, False):
            stand.in_thread(lambda: stand.control().post("/reset", {}))  # not a part of this request
            stand.threads[-1].join(60)
        return row

    monkeypatch.setattr(Worker, "find", classmethod(reset_after))
    with pytest.raises(ConnectionCut):
        stand.team().get("/workers/w")
    assert stand.answers == [204]
    assert stand.plane.get("/requests").json == []


@pytest.fixture
def overtake(stand, monkeypatch):
    """Return a function that lets a change come between a request's arrival and its transaction."""

    def overtake(way):
        require_known_host, once = hosts.require_known_host, iter([True])

        def change_once(*args):
            if next(once, False):
                stand.in_thread(lambda: WAYS[way](stand))  # not a part of this request
                stand.threads[-1].join(60)
            require_known_host(*args)

        monkeypatch.setattr(hosts, "require_known_host", change_once)

    return overtake


@pytest.mark.parametrize("way", [way for way in WAYS if way != "deletion of the team"])  # which is a 401
def test_a_request_that_a_change_overtakes_writes_nothing(stand, overtake, way):
    overtake(way)
    with pytest.raises(ConnectionCut):
        stand.team().post("/workers", {"name": "Late", "description": None, "status": None})
    assert "Late" not in stand.control().get("/workers").text


@pytest.mark.parametrize("way", WAYS)
def test_a_form_that_a_change_overtakes_writes_nothing(stand, overtake, way):
    visitor = Visitor(stand.app.test_client())
    visitor.go("/workers/new?team=north")
    overtake(way)
    with pytest.raises(ConnectionCut):
        visitor.send("/workers", name="Late", template="")
    assert "Late" not in stand.control().get("/workers").text


# Work that waits for another server, until the gate is opened or the epoch ends
WAITING = [name for name in WORK if "fault" not in name and "export" not in name]


@pytest.mark.parametrize("way", ["reset", "reset of the team"])
@pytest.mark.parametrize("work", WAITING)
def test_a_request_that_is_not_answered_ends_with_the_epoch(stand, work, way):
    WORK[work](stand)
    assert WAYS[way](stand).status_code == 204
    stand.threads[-1].join(5)
    assert not stand.threads[-1].is_alive()
    assert stand.receiver.requests == []


@pytest.mark.parametrize("way", [way for way in WAYS if way != "reset to a scenario" and "team" not in way])
def test_a_delivery_that_is_not_answered_holds_back_none_of_the_next_epoch(stand, way):
    webhooks(stand)
    assert WAYS[way](stand).status_code in (200, 204)
    body = {"workerId": "w", "deploymentId": "told"}
    assert stand.plane.post("/simulate/calls", body).status_code == 201
    assert stand.plane.post("/clock/advance", {"seconds": 0}).status_code == 200
    assert stand.receiver.requests_begun == 2


def test_nothing_is_sent_by_a_connection_that_opens_after_a_reset(stand, monkeypatch):
    connect, begun = connection.create_connection, threading.Event()

    def connect_behind_gate(*args, **options):
        begun.set()
        stand.gate.wait(60)
        return connect(*args, **options)

    monkeypatch.setattr(connection, "create_connection", connect_behind_gate)
    body = {"workerId": "w", "deploymentId": "told"}
    assert stand.plane.post("/simulate/calls", body).status_code == 201
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 0}))
    assert begun.wait(60)
    assert stand.plane.post("/reset", {}).status_code == 204
    stand.go_on()
    for thread in threading.enumerate():
        if thread.name == "outgoing request":
            thread.join(60)
    assert stand.receiver.requests_begun == 0


@pytest.mark.parametrize(
    ("work", "module", "name"),
    [
        ("an export", export_files, "write"),
        ("a batch", outbound, "converse"),
        ("live calls", deployment_context, "context_of"),
    ],
)
def test_a_failure_after_the_end_of_the_epoch_is_no_error(stand, monkeypatch, caplog, work, module, name):
    def fail_behind_gate(*args):
        stand.begun.set()
        stand.receiver.asked.set()
        stand.gate.wait(60)
        raise OSError("The disk is full of water.")

    monkeypatch.setattr(module, name, fail_behind_gate)
    WORK[work](stand)
    assert stand.plane.post("/reset", {}).status_code == 204
    stand.go_on()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_a_failure_after_the_end_of_the_epoch_leaves_the_row_of_the_next_one_alone(stand, monkeypatch, caplog):
    def fail_once(*args):
        monkeypatch.undo()
        stand.begun.set()
        stand.gate.wait(60)
        raise ValueError("a fault of the row")

    monkeypatch.setattr(outbound, "converse", fail_once)
    path = "/workers/w/deployments/voice/d/make-batch-calls"
    assert stand.team().post(path, {"data": [{"phoneNumber": "+14155550100"}]}).status_code == 200
    assert stand.plane.post("/snapshots", {"name": "waiting"}).status_code == 201
    stand.in_thread(lambda: stand.control().post("/clock/advance", {"seconds": 0}))
    assert stand.begun.wait(60)
    assert stand.plane.post("/snapshots/waiting/restore").status_code == 204
    stand.go_on()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    stand.plane.post("/clock/advance", {"seconds": 0})
    assert len(stand.plane.get("/state").json["voiceLogs"]) == 1


@pytest.mark.parametrize("path", ["/requests/wait", "/webhooks/wait"])
@pytest.mark.parametrize("way", [way for way in WAYS if "team" not in way])
def test_a_wait_ends_with_its_epoch(stand, path, way):
    stand.in_thread(lambda: stand.control().post(path, {"timeoutMs": 5_000}))
    stand.wait_for(lambda: path in str(stand.plane.get("/health").json["work"]))
    assert WAYS[way](stand).status_code in (200, 204)
    stand.go_on()
    assert stand.answers == [None]


def runtime(stand):
    """Return all that the control plane changes beside the state."""
    paths = ("/clock", "/faults", "/snapshots", "/settings", "/requests")
    clock, *others = [stand.control().get(path).json for path in paths]
    return clock["frozen"], clock["now"][:10], *others


CHANGES = {
    "clock": lambda plane: plane.put("/clock", {"now": "2031-01-01T00:00:00.000Z", "frozen": True}),
    "advance": lambda plane: plane.post("/clock/advance", {"seconds": 1_000_000}),
    "fault": lambda plane: plane.post("/faults", {"delayMs": 1}),
    "removal of faults": lambda plane: plane.delete("/faults"),
    "snapshot": lambda plane: plane.post("/snapshots", {"name": "late"}),
    "removal of a snapshot": lambda plane: plane.delete("/snapshots/start"),
    "settings": lambda plane: plane.put("/settings", {"exportMode": "manual"}),
    "removal of requests": lambda plane: plane.delete("/requests"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_that_was_asked_for_before_a_reset_changes_nothing_after_it(stand, monkeypatch, change):
    require_known_host, once, after = hosts.require_known_host, iter([True]), []

    def reset():
        stand.control().post("/reset", {})
        stand.control().post("/faults", {"status": 503, "path": "/api/workers"})
        stand.team().get("/workers")
        after.append(runtime(stand))

    def reset_once(*args):
        if next(once, False):
            thread = threading.Thread(target=reset)  # not a part of this request
            thread.start()
            thread.join(60)
        require_known_host(*args)

    monkeypatch.setattr(hosts, "require_known_host", reset_once)
    with pytest.raises(ConnectionCut):
        CHANGES[change](stand.control())
    assert runtime(stand) == after[0]
