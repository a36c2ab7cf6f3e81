"""Fixtures: a stand-in of its own for each test, spoken to through HTTP."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
import threading
import warnings
from functools import partialmethod
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dryline.app import create_app
from dryline.flow.language import sandbox
from dryline.models.teams import ApiKey, Team
from dryline.models.workers import Worker
from dryline.serving.server import HttpServer
from dryline.settings import Settings
from dryline.testing import DrylineInProcess, DrylineServer
from dryline.world.request_log import RequestLog

# Rewriting the asserts of all tests takes a process 6 s, and each server that is started compiles dryline: once is
# enough, where PYTHONDONTWRITEBYTECODE is set too.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A signal that is ignored, as `nohup` and a shell's `&` have it, stays so in every server that is started; one with a
# handler does not. This handler does nothing, so that here it is as good as ignored.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

NEW_WORKER = {"name": "Front desk", "description": None, "status": None}


def pytest_collection_finish():
    """Collect garbage less often: it took a sixth of the time. Objects that exist now are never collected."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


class Api:
    """A client of `/api` with a team's key. Paths are given below `/api`."""

    def __init__(self, client, key, prefix="/api"):
        self.client, self.key, self.prefix = client, key, prefix

    def _send(self, method, path, json=None, headers=None, **kwargs):
        headers = {"x-api-key": self.key, **(headers or {})}
        return self.client.open(self.prefix + path, method=method, json=json, headers=headers, **kwargs)

    get = partialmethod(_send, "GET")
    post = partialmethod(_send, "POST")
    patch = partialmethod(_send, "PATCH")
    put = partialmethod(_send, "PUT")
    delete = partialmethod(_send, "DELETE")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """Return the wheel, made as the Dockerfile does it: of nothing but the build context."""
    from dryline.tests.test_packaging import ROOT, build_context, built, copied

    folder = tmp_path_factory.mktemp("wheel")
    context = copied(build_context(ROOT), folder / "context")
    left_by_an_earlier_build = context / "build/lib/dryline/old_gone_module.py"
    left_by_an_earlier_build.parent.mkdir(parents=True)
    left_by_an_earlier_build.touch()
    return built("wheel", context, folder / "dist")


@pytest.fixture
def settings():
    """Return the settings of the test's stand-in; a test module may override it."""
    return Settings(ephemeral=True, scenario="empty", seed=1)


class SharedApp:
    """A stand-in for consecutive tests of the same settings: a reset takes a twentieth of a start."""

    def __init__(self):
        self.app = None

    def get(self, settings):
        """Return a stand-in in its first state."""
        if self.app is not None and self.app.world.settings == settings:
            assert self.app.test_client().post("/_dryline/reset", headers=token(settings)).status_code == 204
        else:
            self.end()
            self.app = create_app(settings)
        return self.app

    def release(self, settings):
        """End it if a test has ended its world or changed its settings, which no reset undoes."""
        if self.app.world.settings != settings or self.app.world.ending.is_set():
            self.end()

    def end(self):
        if self.app is not None:
            self.app.close()
            self.app = None


def token(settings):
    return {"x-dryline-token": settings.admin_token or ""}


@pytest.fixture(scope="session")
def shared():
    """Keep the stand-in between tests of the same settings."""
    shared = SharedApp()
    yield shared
    shared.end()


@pytest.fixture
def app(request, settings, shared):
    """Yield a stand-in with an empty world. Its jobs run only when the clock is moved."""
    alone = request.node.get_closest_marker("alone")
    if alone:
        shared.end()
    yield shared.get(settings)
    if alone:
        shared.end()
    else:
        shared.release(settings)


@pytest.fixture(scope="module")
def module_app():
    """One stand-in for all tests of a module, which starts with an empty world."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    yield app
    app.close()


@contextlib.contextmanager
def serve(app):
    """Serve an application on a port, in a thread that is named "loop"."""
    server = HttpServer(app)
    thread = threading.Thread(target=server.run, name="loop")
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


@pytest.fixture
def server(app):
    """Serve the test's stand-in on a port. Its settings must have port 0."""
    with serve(app) as server:
        yield server


@pytest.fixture
def api(app):
    """Return the start team's client."""
    return Api(app.test_client(), "dryline-local-key")


@pytest.fixture
def other_api(app):
    """Another team's client."""
    with app.world.active(), app.world.transaction():
        ApiKey.issue(Team.new("Other team"), "other-key")
    return Api(app.test_client(), "other-key")


@pytest.fixture
def control(app):
    """Return a client of the control plane; paths are given below `/_dryline`."""
    return Api(app.test_client(), "", prefix="/_dryline")


@pytest.fixture
def restart(tmp_path):
    """Return a function that starts a stand-in on a directory, again and again; it gives clients of API and plane."""
    running = []

    def restart(**settings):
        while running:
            running.pop().close()
        settings = {"data_dir": tmp_path / "world", "scenario": "empty", "seed": 1} | settings
        running.append(create_app(Settings(**settings)))
        client = running[0].test_client()
        return Api(client, "dryline-local-key"), Api(client, "", prefix="/_dryline")

    yield restart
    for app in running:
        app.close()


@pytest.fixture
def advance(control):
    """Move API time forward by seconds and do what is due."""

    def move(seconds=0):
        answer = control.post("/clock/advance", {"seconds": seconds})
        assert answer.status_code == 200, answer.text
        return answer.json["now"]

    return move


def created(answer):
    """Return the record of a 201."""
    assert answer.status_code == 201, answer.text
    return answer.json


@pytest.fixture
def make_worker(api):
    return lambda api=api, **body: created(api.post("/workers", NEW_WORKER | body))


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def make_flow(api, make_worker):
    """Create a flow, in a new worker unless one is given."""

    def make(worker_id=None, api=api, **body):
        worker_id = worker_id or make_worker(api=api)["id"]
        body = {"name": "Main", "label": None, "code": "loop:\n    talk()\n"} | body
        return created(api.post(f"/workers/{worker_id}/flows", body))

    return make


@pytest.fixture
def make_voice_deployment(api, make_flow):
    """Create a voice deployment, with a new worker and flow unless a flow is given."""

    def make(flow=None, api=api, **body):
        flow = flow or make_flow(api=api)
        body = {"name": "Line", "phoneNumber": "+14155550100", "flowId": flow["id"]} | body
        return created(api.post(f"/workers/{flow['workerId']}/deployments/voice", body))

    return make


@pytest.fixture
def line(make_voice_deployment):
    return make_voice_deployment()


@pytest.fixture
def line_path(line):
    return f"/workers/{line['workerId']}/deployments/voice/{line['id']}"


@pytest.fixture
def make_voicev1_deployment(api, make_flow):
    """Create a legacy voice deployment, with a new worker and flow unless a flow is given."""

    def make(flow=None, **body):
        flow = flow or make_flow()
        new = {"name": "Old line", "phoneNumber": "+14155550123", "flowId": flow["id"], "objective": "Book a table"}
        new |= {"allowedTransferNumbers": [], "resourceKeys": [], "language": "en", "config": {}}
        new |= dict.fromkeys(("startSentence", "endSentence", "voiceId", "functions", "model", "wsBaseUrl"))
        return created(api.post(f"/workers/{flow['workerId']}/deployments/voicev1", new | body))

    return make


@pytest.fixture
def make_integration(api):
    """Connect a Twilio account."""
    new = {"accountSid": "AC0123456789abcdef0123456789abcdef", "authToken": "secret"}
    return lambda api=api, **body: created(api.post("/team/integrations/twilio/create", new | body))


@pytest.fixture
def simulate(api, control):
    """Simulate conversations of a deployment and return their logs, in the order in which they were made."""

    def simulate(line, count=20, kind="calls", path="voice", **body):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "count": count} | body
        ids = created(control.post(f"/simulate/{kind}", body))["ids"]
        assert len(ids) == count
        return [api.get(f"/workers/{line['workerId']}/deploymentLogs/{path}/{id}").json for id in ids]

    return simulate


@pytest.fixture
def add_log(app):
    """Put a record of the engine into a worker, e.g. a log: its model, the worker, its columns."""

    def add(model, worker, **columns):
        with app.world.active(), app.world.transaction():
            return model.add(Worker.find(id=worker["id"]), worker_id=worker["id"], **columns).id

    return add


@pytest.fixture
def arrived(monkeypatch):
    """Return a semaphore that counts requests to the API as they arrive."""
    arrived, begin = threading.Semaphore(0), RequestLog.begin

    def begin_and_count(*args):
        begin(*args)
        arrived.release()

    monkeypatch.setattr(RequestLog, "begin", begin_and_count)
    return arrived


@pytest.fixture
def free_port():
    """Yield a port that is bound, so that no other process takes it, and on which nothing listens."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        yield sock.getsockname()[1]


@pytest.fixture
def http_server():
    """Start servers whose requests a function of the handler answers; return their addresses."""
    servers = []

    def start(answer):
        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                answer(self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def send(handler, status, body=b"", **headers):
    """Answer a request of `http_server`."""
    handler.send_response(status)
    for name, value in {**headers, "Content-Length": str(len(body))}.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def json_body(handler):
    """Return the body of a request to `http_server`."""
    return json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))


@pytest.fixture(scope="session")
def imported():
    """Import what a stand-in imports late: an inner pytest forgets the modules that it imported."""
    with DrylineServer() as server, DrylineInProcess() as process:
        server.client().workers.list()
        process.transport()


@pytest.fixture
def run_pytest(pytester, monkeypatch, imported):
    """Yield a function that runs pytest on a module with this code, in this process and without other plugins."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    gc.freeze()  # the collection at the end has only the objects of the inner tests to look at

    def run(code, *flags, conftest=""):
        pytester.makepyfile(code)
        pytester.makeconftest(conftest)
        return pytester.runpytest_inprocess("-p", "dryline.pytest_plugin", *flags)

    yield run
    with warnings.catch_warnings():  # the inner tests do not close their clients, as most tests do not
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@pytest.fixture
def hurried(monkeypatch):
    """End a flow that makes no call after a hundredth of the usual time, for tests of endless flows."""
    monkeypatch.setattr(sandbox, "STEP_S", 0.01 * sandbox.STEP_S)


# Stand-ins, as tests of other projects use them


@pytest.fixture(scope="module", params=[DrylineServer, DrylineInProcess])
def started(request):
    with request.param(seed=1) as stand_in:
        yield stand_in


@pytest.fixture
def stand_in(started):
    """On a socket and without one, as new: a reset costs a twentieth of a start."""
    started.reset()
    return started
