"""The vendor's own client against the stand-in on a socket, each test with the synchronous and the asynchronous one."""

from __future__ import annotations

import asyncio
import contextlib

import pytest
from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs
from brainbase_labs._resource import AsyncAPIResource, SyncAPIResource

from dryline.settings import DEFAULT_API_KEY, Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, port=0, threads=1)


@pytest.fixture
def url(server, control, monkeypatch):
    """Return the URL of the stand-in. The clock is frozen; `advance` moves it."""
    control.put("/clock", {"frozen": True})
    monkeypatch.setenv("BRAINBASE_S3_SIGNED_URL_BASE_URL", server.url)
    return server.url


class Driven:
    """A client, or a part of one, whose calls are waited for where they need it: one scenario serves both clients."""

    def __init__(self, part, wait):
        self._part, self._wait = part, wait

    def __getattr__(self, name):
        attribute = getattr(self._part, name)
        if isinstance(attribute, SyncAPIResource | AsyncAPIResource):
            return Driven(attribute, self._wait)
        return lambda *args, **kwargs: self._wait(attribute(*args, **kwargs))


@contextlib.contextmanager
def connector(kind):
    """Yield a function that makes a vendor's client with strict response validation and without retries."""
    with contextlib.ExitStack() as stack:

        def connect(url, key):
            options = {"api_key": key, "base_url": url, "max_retries": 0, "_strict_response_validation": True}
            if kind == "sync":
                return Driven(stack.enter_context(BrainbaseLabs(**options)), lambda answer: answer)
            run = stack.enter_context(asyncio.Runner()).run
            client = AsyncBrainbaseLabs(**options)
            stack.callback(lambda: run(client.close()))
            return Driven(client, run)

        yield connect


@pytest.fixture
def connect(kind):
    """Return a function that makes a vendor's client."""
    with connector(kind) as connect:
        yield connect


@pytest.fixture(params=["sync", "async"])
def kind(request):
    """Return which of the vendor's clients a test uses: each, one after the other."""
    return request.param


@pytest.fixture
def client(connect, url):
    """Return the vendor's client."""
    return connect(url, DEFAULT_API_KEY)


@pytest.fixture
def worker(make_worker):
    """Return a worker's id."""
    return make_worker()["id"]


@pytest.fixture
def flow(make_flow, worker):
    """Return the id of a flow of the worker."""
    return make_flow(worker)["id"]
