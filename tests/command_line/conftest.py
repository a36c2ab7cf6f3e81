"""Fixtures of the command line's tests: a world, and a function that runs commands on it."""

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer

NEW = {"name": "Front desk", "description": None, "status": None}


@pytest.fixture
def data_dir(tmp_path):
    """Return a data directory with an empty world that no server uses."""
    directory = tmp_path / "world"
    with DrylineServer(data_dir=directory):
        pass
    return str(directory)


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
