"""Output of commands: files of every kind, standard output, and what cannot be written."""

import json
import os
import signal
import stat
import subprocess
import threading

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer
from dryline.testing.plane import send
from dryline.tests.test_server import DRYLINE

as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root makes nodes and mounts")
NULL, FULL = os.makedev(1, 3), os.makedev(1, 7)


@pytest.fixture(scope="module")
def url():
    with DrylineServer() as server:
        yield server.url


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=["state export", "pull", "openapi"])
def write(request, url):
    """Return a function that writes a file by each command that has one."""

    def write(file, code=0):
        command = {
            "state export": ["state", "export", str(file), "--url", url],
            "pull": ["pull", "--from", url, "--api-key", "dryline-local-key", "--rate", "0", "--output", str(file)],
            "openapi": ["openapi", str(file)],
        }[request.param]
        done = CliRunner().invoke(cli, command)
        assert done.exit_code == code, done.output
        return done

    return write


def shell(script, folder, **environment):
    """Run a shell's script, in which $dryline is the command. Return exit code, output and errors."""
    environment = {**os.environ, "dryline": DRYLINE, "PYTHONDONTWRITEBYTECODE": "1", **environment}
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=environment, capture_output=True, timeout=60)
    return done.returncode, done.stdout, done.stderr.decode()


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# Links, pipes, devices and mount points


def test_a_link_stays_and_its_target_has_the_content(folder, write):
    (folder / "there").mkdir()
    (folder / "there" / "real").write_text("old")
    (folder / "link").symlink_to("there/real")
    (folder / "to the link").symlink_to("link")
    write("to the link")
    assert (folder / "link").is_symlink() and (folder / "to the link").is_symlink()
    assert json.loads((folder / "there" / "real").read_bytes())
    assert names(folder / "there") == ["real"]


def test_a_pipe_is_written_to_and_stays(folder, write):
    os.mkfifo("pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((folder / "pipe").read_bytes()))
    reader.start()
    write("pipe")
    reader.join()
    assert json.loads(received[0]) and stat.S_ISFIFO((folder / "pipe").stat().st_mode)
    assert names(folder) == ["pipe"]


def test_a_file_keeps_its_mode_and_a_new_one_is_for_its_owner_only(folder, write):
    (folder / "file").write_text("old")
    (folder / "file").chmod(0o664)
    write("file")
    write("new")
    assert stat.S_IMODE((folder / "file").stat().st_mode) == 0o664
    assert stat.S_IMODE((folder / "new").stat().st_mode) == 0o600
    assert names(folder) == ["file", "new"]


@as_root
def test_a_device_is_written_to_and_stays(folder, write):
    os.mknod("null", 0o666 | stat.S_IFCHR, NULL)
    write("null")
    assert (folder / "null").stat().st_rdev == NULL and names(folder) == ["null"]


@as_root
def test_a_mount_point_is_written_in_place(folder, url):
    script = f'touch source target; mount --bind source target; "$dryline" state export target --url {url}'
    code, _, err = shell(f"unshare --mount sh -c '{script}'", folder)
    assert (code, err) == (0, "Wrote target.\n")
    assert json.loads((folder / "source").read_bytes()) and names(folder) == ["source", "target"]


# Standard output and standard input


def test_a_dash_is_standard_output(folder, write):
    assert json.loads(write("-").stdout)
    assert names(folder) == []


def test_a_flow_is_read_from_standard_input(folder):
    (folder / "-").write_text("x = (\n")  # a file of this name is ./-
    done = CliRunner().invoke(cli, ["flow", "check", "-"], input="\nloop:\n")
    assert (done.exit_code, done.output.startswith("-:2:1: error")) == (1, True)


# Output that cannot be written


@pytest.mark.parametrize(
    ("command", "unbuffered"), [("openapi", ""), ("openapi", "1"), ("state export --url URL", ""), ("--help", "1")]
)
def test_a_disk_that_becomes_full_is_one_line_and_a_failure(folder, url, command, unbuffered):
    # The limit counts blocks of 512 bytes: the file has room for 100 bytes of output.
    run = f'ulimit -f 4000; exec "$dryline" {command.replace("URL", url)}'
    script = f"(head -c $((4000 * 512 - 100)) /dev/zero; {run}) > out"
    code, _, err = shell(script, folder, PYTHONUNBUFFERED=unbuffered)
    assert code == 1 and err.splitlines()[-1] == "dryline: Input or output failed: File too large."
    assert len(err.splitlines()) == 1


def test_a_file_that_cannot_be_written_to_its_end_stays_as_it_was(folder, url):
    (folder / "file").write_text("old")
    code, _, err = shell(f'ulimit -f 1; "$dryline" state export file --url {url}', folder)
    assert code == 1 and "File too large" in err
    assert names(folder) == ["file"] and (folder / "file").read_text() == "old"


@pytest.mark.parametrize(("command", "unbuffered"), [("state export --url URL", "1"), ("--help", "")])
def test_a_reader_that_has_gone_is_one_line(folder, url, command, unbuffered):
    os.mkfifo(folder / "pipe")
    script = f'sleep 0 < pipe & exec 3> pipe; wait; exec "$dryline" {command.replace("URL", url)} >&3'
    code, _, err = shell(script, folder, PYTHONUNBUFFERED=unbuffered)
    assert (code, err) == (1, "dryline: Input or output failed: Broken pipe.\n")


# The ready file


def started(folder, ready):
    flags = ("--port", "0", "--ephemeral", "--scenario", "empty", "--ready-file", str(ready))
    return subprocess.Popen([DRYLINE, *flags], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_start(process):
    """Wait for the first request's answer, before which the ready file is written."""
    url = process.stdout.readline().split()[-1]
    assert send("GET", f"{url}/_dryline/health", {}).status == 200


def ended(process):
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    process.communicate()


def test_a_ready_file_behind_a_link_comes_and_goes_and_the_link_stays(folder):
    (folder / "real").write_text("stale")
    (folder / "link").symlink_to("real")
    process = started(folder, "link")
    wait_for_start(process)
    assert json.loads((folder / "real").read_text())["url"]
    ended(process)
    assert names(folder) == ["link"] and (folder / "link").is_symlink()
