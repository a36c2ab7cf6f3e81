"""What the tests of the command line share: a world, and the commands on it."""

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer

NEW = {"name": "Front desk", "description": None, "status": None}


@pytest.fixture
def data_dir(tmp_path):
    """A data directory with an empty world that no server is using."""
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
    """The same directory, served: the commands find the server by the address that it leaves there."""
    with DrylineServer(data_dir=data_dir) as server:
        address = server.app.world.directory / "address"
        address.write_text(server.url)
        yield server
        address.unlink()
