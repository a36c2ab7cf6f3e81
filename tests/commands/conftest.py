"""Fixtures of the command line's tests: a world, and a function that runs commands on it."""

import shutil

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer


@pytest.fixture(scope="session")
def empty_world(tmp_path_factory):
    """Return a data directory with an empty world, to be copied."""
    directory = tmp_path_factory.mktemp("command_line") / "world"
    with DrylineServer(data_dir=directory):
        pass
    return directory


@pytest.fixture
def data_dir(empty_world, tmp_path):
    """Return a data directory with an empty world that no server uses."""
    return str(shutil.copytree(empty_world, tmp_path / "world"))


@pytest.fixture
def run(data_dir):
    def run(*command, code=0, **kwargs):
        done = CliRunner().invoke(cli, [*command, "--data-dir", data_dir], **kwargs)
        assert done.exit_code == code, done.output
        return done.output

    return run


@pytest.fixture
def served(data_dir):
    """Serve the directory. Commands find the server by the file `address` in it."""
    with DrylineServer(data_dir=data_dir) as server:
        address = server.app.world.directory / "address"
        address.write_text(server.url)
        yield server
        address.unlink()
