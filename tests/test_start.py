"""The start of a server: refusals, signals, the ready file, the start message, and imports."""

import os
import signal
import socket
import subprocess
import sys

import pytest

from dryline.app import create_app
from dryline.settings import BadSetting, Settings
from dryline.tests.test_server import DRYLINE, Process, refused

# Refusals


def test_a_port_in_use_is_one_line_and_no_directory_is_created(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        code, err = refused("serve", "--port", port, "--data-dir", str(tmp_path / "world"))
    assert (code, err) == (
        2,
        f"dryline: Cannot listen on 127.0.0.1:{port}: the port is in use. Choose one with --port; 0 is any free port.",
    )
    assert not (tmp_path / "world").exists()


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (("--ephemeral", "--host", "192.0.2.1"), "Cannot listen on 192.0.2.1:0: Cannot assign requested address."),
        (
            ("--ephemeral", "--ready-file", "file/ready.json"),
            "Cannot write --ready-file file/ready.json: ",
        ),
        (("--data-dir", "file/world"), "Cannot use the data directory HERE/file/world: Not a directory."),
        (("--data-dir", "world"), "Cannot use the data directory HERE/world: exports: File exists."),
    ],
)
def test_what_cannot_be_had_is_one_line(tmp_path, monkeypatch, flags, message):
    (tmp_path / "file").touch()
    (tmp_path / "world").mkdir()
    (tmp_path / "world" / "exports").touch()
    monkeypatch.chdir(tmp_path)
    code, err = refused("serve", "--port", "0", *flags)
    assert code == 2 and err.startswith(f"dryline: {message}".replace("HERE", str(tmp_path))) and "\n" not in err


def test_a_data_directory_that_may_not_be_written_to_is_one_line(tmp_path):
    path = tmp_path / "world"
    path.mkdir(mode=0o555)
    # Root may write everywhere, unless it gives that up.
    as_any_user = ["setpriv", "--bounding-set", "-dac_override"] if os.geteuid() == 0 else []
    command = [*as_any_user, DRYLINE, "--port", "0", "--data-dir", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    assert (done.returncode, done.stderr) == (
        2,
        f"dryline: Cannot use the data directory {path}: Permission denied. Name another one with --data-dir, "
        "or keep the state in a temporary one with --ephemeral.\n",
    )


def test_a_file_system_without_shared_memory_is_named_as_such(tmp_path):
    (tmp_path / "world").mkdir()
    os.mkfifo(tmp_path / "world" / "dryline.sqlite3-shm")  # cannot be mapped, as no file of some network file systems
    with pytest.raises(BadSetting, match=r"file system cannot share memory .* Use a local disk\. Name .*--ephemeral"):
        create_app(Settings(data_dir=tmp_path / "world"))


def test_the_secret_of_a_directory_that_others_may_read_is_its_owners(tmp_path):
    directory = tmp_path / "world"
    directory.mkdir(mode=0o755)
    create_app(Settings(data_dir=directory, scenario="empty")).close()
    assert (directory / "secret").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("exists", [False, True])
def test_git_ignores_a_new_data_directory(tmp_path, monkeypatch, exists):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    if exists:
        (tmp_path / "dryline-data").mkdir()
    create_app(Settings(scenario="empty")).close()
    assert (tmp_path / "dryline-data" / "secret").exists()
    done = subprocess.run(["git", "status", "--porcelain", "-uall"], capture_output=True, text=True, check=True)
    assert done.stdout == ""


# Signals during the start


BROKEN_OFF = """
import os, signal, sys
from dryline.commands import cli
from dryline.state import scenarios

def signalled(name, **options):
    os.kill(os.getpid(), getattr(signal, sys.argv[1]))
    raise AssertionError("it went on")

scenarios.load = signalled
cli(["serve", "--port", "0", *sys.argv[2:]])
"""


@pytest.mark.parametrize(("kind", "name"), [("--ephemeral", "SIGHUP"), ("--data-dir", "SIGINT")])
def test_a_signal_during_the_start_leaves_nothing_behind(tmp_path, name, kind):
    (tmp_path / "here").mkdir()
    flags = ["--ephemeral"] if kind == "--ephemeral" else ["--data-dir", str(tmp_path / "here" / "world")]
    command = [sys.executable, "-c", BROKEN_OFF, name, *flags]
    done = subprocess.run(command, capture_output=True, text=True, env={"TMPDIR": str(tmp_path / "here")})
    assert done.returncode == (1 if name == "SIGINT" else 0), done.stderr
    assert list((tmp_path / "here").iterdir()) == []


@pytest.mark.parametrize(
    ("how", "farewell"),
    [(signal.SIGHUP, ""), (signal.SIGINT, "dryline has stopped. The temporary data is removed.\n")],
    ids=["closed terminal", "Ctrl-C"],
)
def test_a_server_with_temporary_data_stops_cleanly(tmp_path, how, farewell):
    (tmp_path / "here").mkdir()
    server = Process(tmp_path, "--ephemeral", "--scenario", "empty", TMPDIR=str(tmp_path / "here"))
    code, out, err = server.end(how)
    assert (code, err) == (0, "") and out.endswith(farewell)
    assert list((tmp_path / "here").iterdir()) == []


# The ready file


def test_a_stale_ready_file_is_removed_first(tmp_path):
    ready = tmp_path / "ready.json"
    ready.write_text("stale")
    flags = ("--ready-file", str(ready), "--data-dir", str(tmp_path / "world"))
    assert refused("serve", "--port", "0", "--scenario", "nosuch", *flags)[0] == 2
    assert not ready.exists()


# Imports

# Modules of a server, and of parts of it that few users need.
SERVING = {"flask", "jinja2", "marshmallow", "peewee", "ssl", "waitress", "webargs", "werkzeug", "yaml"}
FOR_LATER = {"pydantic_monty", "snowballstemmer", "tzdata"}
FOR_LATER |= {f"dryline.{room}" for room in ("flow", "commands.remote", "simulator.calls", "testing")}

SHOWN = """
import sys
from dryline.commands import cli
cli(sys.argv[1:], standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
ANSWERED = """
import sys
from dryline.app import create_app
from dryline.serving.server import HttpServer
from dryline.settings import Settings
app = create_app(Settings(ephemeral=True, scenario="demo", port=0))
HttpServer(app)
for path in ("/_dryline/health", "/api/workers"):
    assert app.test_client().get(path, headers={"x-api-key": "dryline-local-key"}).status_code == 200
app.close()
print(*sys.modules, file=sys.stderr)
"""


def loaded(script, *arguments):
    """Return the modules that a script has imported."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize("flags", [["--help"], ["serve", "--help"], ["pull", "--help"]])
def test_help_and_version_do_not_import_the_server(flags):
    modules = loaded(SHOWN, *flags)
    assert "dryline.commands" in modules
    assert (
        modules & (SERVING | FOR_LATER - {"dryline.commands.remote"} | {"dryline.app", "dryline.serving.server"})
        == set()
    )


def test_the_first_answer_does_not_import_what_is_for_later():
    modules = loaded(ANSWERED)
    assert modules >= {"flask", "dryline.serving.server"}
    assert modules & FOR_LATER == set()
