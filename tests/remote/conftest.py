"""Fixtures of the tests of pull and drift: a service to read from, and the commands."""

import json

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.commands.remote.reader import Reader
from dryline.testing import DrylineServer
from dryline.tests.control.documents import of_north


@pytest.fixture(scope="session")
def server():
    with DrylineServer(scenario="clinic", seed=1) as server:
        yield server


@pytest.fixture
def source(server):
    """Return a service with an animal hospital, whose calls have recordings and names."""
    server.reset()
    return server


@pytest.fixture(scope="session")
def small_server():
    with DrylineServer(seed=1) as server:
        yield server


@pytest.fixture
def small(small_server):
    """Return a service with one row in every collection, without work in progress."""
    moving = ("queuedCalls", "outboundCampaigns", "voicev1Campaigns", "voicev1CampaignData", "webhookDeliveries")
    moving += ("testRuns", "echoRuns", "exports")
    small_server.reset()
    small_server.load({name: rows for name, rows in of_north().items() if name not in moving})
    return small_server


@pytest.fixture
def loads(small_server):
    """Have a stand-in load a document, and give its state then."""

    def load(document):
        small_server.reset()
        small_server.load(document)
        return small_server.state()

    return load


@pytest.fixture(autouse=True)
def pauses(monkeypatch):
    """Nobody waits here: what would have been slept, in seconds."""
    pauses = []
    monkeypatch.setattr("dryline.commands.remote.reader.sleep", pauses.append)
    return pauses


def reader(source, **options):
    """Return a reader of a service without a limit of requests."""
    return Reader(source.url, source.api_key, **{"rate": 0, "tries": 1, **options})


class Command:
    """`dryline pull` into a folder, or `dryline drift`."""

    def __init__(self, folder):
        self.output = folder / "world.json"

    def pull(self, source, *flags, key=None):
        """Run `dryline pull` and return its exit code and output."""
        options = ["--from", source.url, "--api-key", key or source.api_key, "--rate", "0"]
        return CliRunner().invoke(cli, ["pull", *options, "--output", str(self.output), *flags])

    def pulled(self, source, *flags, exit_code=0, **options):
        """Return the document that was written."""
        done = self.pull(source, *flags, **options)
        assert done.exit_code == exit_code, done.output
        return json.loads(self.output.read_bytes())

    def drift(self, source, *flags):
        """Run `dryline drift` and return its exit code and output."""
        options = ["--against", source.url, "--api-key", source.api_key, "--rate", "0"]
        return CliRunner().invoke(cli, ["drift", *options, *flags])


@pytest.fixture
def command(tmp_path):
    return Command(tmp_path)


def lines(done):
    """Return the lines of a command's output, without the progress bar."""
    return [line for line in done.output.splitlines() if line and not line.startswith(("pull", "\r"))]
