"""The helpers for a server that another process, or another environment, runs."""

import os
import re
import select
import subprocess
import sys
import time
import types
import warnings
from pathlib import Path

import click
import pytest

import dryline
from dryline import __version__
from dryline.commands.serve import serve
from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineError, DrylineServer, connect, servers
from dryline.testing.servers import serve_flags
from dryline.tests.conftest import NEW_WORKER

DRYLINE = f"{sys.executable} -m dryline"


@pytest.fixture(scope="module")
def own():
    """Yield a server whose control plane requires a token."""
    with DrylineServer(admin_token="secret", api_keys=("my-key",)) as server:
        yield server


@pytest.fixture
def connected(own):
    own.reset()
    return connect(own.url + "/", "secret", api_key="my-key")


def test_the_same_helpers_drive_a_server_over_http(connected, own):
    connected.client().workers.create(**NEW_WORKER)
    connected.verify(method="POST", path="/api/workers", body_contains="Front desk")
    connected.fault(path="/api/workers", status=503)
    connected.simulate_calls(2)
    assert connected.state() == own.state()
    assert [entry["status"] for entry in connected.requests()] == [201]
    assert connected.freeze("2030-01-01T00:00:00Z") == own.now()
    connected.reset()
    assert own.state()["workers"] == []


def test_an_address_without_a_server_is_reported():
    with pytest.raises(DrylineError, match=r"No dryline answers at http://127.0.0.1:1: .*`dryline serve` starts one"):
        connect("http://127.0.0.1:1")


def test_an_address_of_another_server_is_reported(own):
    with pytest.raises(DrylineError, match=r"The server at http://\S+/inbox is not dryline\."):
        connect(own.url + "/inbox")


def test_an_application_of_another_process_cannot_be_had(connected):
    with pytest.raises(DrylineError, match="in another process"):
        connected.app  # noqa: B018


def test_a_command_starts_a_server_and_it_ends_with_the_block(tmp_path):
    said = {"scenario": "demo", "seed": 7, "admin_token": "secret", "strict": True, "api_keys": ["one", "two"]}
    with DrylineServer(command=DRYLINE, data_dir=tmp_path / "data", **said) as server:
        assert server.client().workers.list() and server.settings()["strict"]
        with pytest.raises(DrylineError, match="in another process"):
            server.transport().handle_request(None)
    with pytest.raises(DrylineError, match="No dryline answers"):
        connect(server.url)
    assert not (tmp_path / "data" / "address").exists()  # it was not killed


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("no-such-program", "no-such-program cannot be started: No such file or directory"),
        ("sh -c 'echo it broke >&2; exit 3'", "it broke"),
        ("true", r"The server ended at once, with exit code 0"),
    ],
)
def test_a_command_that_does_not_serve_is_reported(command, message):
    with pytest.raises(BadSetting, match=message):
        DrylineServer(command=command).start()


def test_processes_of_a_command_end_with_it(tmp_path):
    patch = pytest.MonkeyPatch()
    os.mkfifo(tmp_path / "line")
    line = os.open(tmp_path / "line", os.O_RDONLY | os.O_NONBLOCK)

    class Interrupted(BaseException):
        pass

    def sleep(seconds):
        patch.undo()
        select.select([line], [], [])
        raise Interrupted

    patch.setattr(servers, "time", types.SimpleNamespace(monotonic=time.monotonic, sleep=sleep))
    command = f"sh -c 'sh -c \"echo begun; exec sleep 600\" > {tmp_path}/line; true'"
    with pytest.raises(Interrupted):
        DrylineServer(command=command).start()
    os.set_blocking(line, True)
    with os.fdopen(line) as end:
        assert end.read() == "begun\n"  # all, since nobody is left who could write more


@pytest.mark.parametrize("name", [parameter.name for parameter in serve.params if parameter.name != "ready_file"])
def test_every_flag_of_the_server_can_be_given_as_a_setting(name):
    (option,) = (parameter for parameter in serve.params if parameter.name == name)
    kind = "list" if option.multiple else "flag" if option.is_flag else "text"
    value, parsed = {"list": (["a", "b"], ["a", "b"]), "flag": (True, True), "text": (7, "7")}[kind]
    with click.Context(serve) as context:
        assert serve.make_parser(context).parse_args(serve_flags({name: value}))[0][name] == parsed


@pytest.mark.parametrize(
    "name", ["export_mode", "export_delay_ms", "export_outcome", "export_error", "calls_per_minute"]
)
def test_a_setting_without_a_flag_is_refused(name):
    assert name in Settings.__dataclass_fields__
    with pytest.raises(BadSetting, match=f"settings\\({name}="):
        DrylineServer(command=DRYLINE, **{name: 1}).start()


# Of another environment: one where only dryline's own modules and the standard library are found.
ALONE = """if True:
    import importlib.machinery, sys
    sys.path[:] = [folder for folder in sys.path if "site-packages" not in folder]
    spec = importlib.machinery.PathFinder.find_spec
    import importlib.util
    root = importlib.util.spec_from_file_location(
        "dryline", f"{sys.argv[1]}/__init__.py", submodule_search_locations=[sys.argv[1]]
    )
    sys.modules["dryline"] = package = importlib.util.module_from_spec(root)
    root.loader.exec_module(package)
    from dryline.testing import DrylineError, DrylineServer, connect, wait_until
    world = connect(sys.argv[2], "secret")
    world.simulate_calls(1)
    assert wait_until(lambda: len(world.team().simulate_chats(2))) == 2
    try:
        DrylineServer().start()
    except DrylineError as error:
        print(error)
"""


def test_the_standard_library_is_all_that_they_need(own):
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-S", "-c", ALONE, root, own.url], capture_output=True, text=True, env={**os.environ}
    )
    assert re.match(r"dryline's server needs \w+, which is not installed", done.stdout), done.stderr


# Children that a program forks while a stand-in runs, and how they end.
FORKS = """if True:
    import os, sys
    from dryline.testing import DrylineInProcess, DrylineServer
    kinds = {"server": DrylineServer, "in process": DrylineInProcess}
    settings = {"command": [sys.executable, "-m", "dryline"]} if sys.argv[1] == "command" else {}
    server = kinds.get(sys.argv[1], DrylineServer)(**settings).start()
    server.simulate_calls(1)
    for _ in range(3):
        child = os.fork()
        if child == 0:
            if sys.argv[2] == "stop":
                server.stop()
            if sys.argv[2] == "exception":
                os.close(2)
                raise RuntimeError
            sys.exit(0)
        os.waitpid(child, 0)
    server.client(max_retries=0).workers.create(name="A", description=None, status=None)
    print(len(server.simulate_calls(1)), len(server.state()["voiceLogs"]))
    server.stop()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.parametrize("how", ["exit", "exception", "stop"])
@pytest.mark.parametrize("kind", ["server", "in process", "command"])
def test_the_end_of_a_forked_child_leaves_the_parents_world_alone(kind, how):
    command = [sys.executable, "-c", FORKS, kind, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout == "1 2\n", done.stderr


def test_helpers_log_once_that_a_server_has_another_version(monkeypatch, caplog):
    monkeypatch.setattr(dryline, "__version__", "0.3.0")
    with warnings.catch_warnings(), DrylineServer(command=DRYLINE) as server:
        warnings.simplefilter("error")
        message = f"The dryline at {server.url} is {__version__}, and these helpers are 0.3.0."
        assert server.client().workers.list() == []
        assert caplog.messages == [message]
        connect(server.url)
        assert caplog.messages == [message] * 2
