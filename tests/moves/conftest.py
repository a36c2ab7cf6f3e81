"""Two servers, and teams that may move between them."""

import httpx
import pytest

from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER

http = httpx.Client()  # one for all: making one takes longer than most that is asked


@pytest.fixture(scope="package")
def servers():
    """Two nodes with one seed, which nothing sets back between tests: each test has teams of its own."""
    with DrylineServer(node="a", seed=1) as a, DrylineServer(node="b", seed=1) as b, http:
        yield a, b


@pytest.fixture
def a(servers):
    return servers[0]


@pytest.fixture
def b(servers):
    return servers[1]


class Team:
    """A team of a server, and its API wherever it is asked for."""

    def __init__(self, server):
        made = http.post(f"{server.url}/_dryline/teams", json={"name": "Harbour"}).json()
        self.id, self.key = made["id"], made["apiKey"]

    def ask(self, server, method, path, **kwargs):
        return http.request(method, server.url + path, headers={"x-api-key": self.key}, **kwargs)

    def hire(self, server, name="One", **kwargs):
        return self.ask(server, "POST", "/api/workers", json=NEW_WORKER | {"name": name}, **kwargs)

    def names(self, server):
        return [worker["name"] for worker in self.ask(server, "GET", "/api/workers").json()]

    def step(self, server, method="GET", path="", **kwargs):
        return http.request(method, f"{server.url}/_dryline/moves/{self.id}{path}", **kwargs)

    def state(self, server):
        return http.get(f"{server.url}/_dryline/state", params={"team": self.id}).json()


@pytest.fixture
def team(a):
    return Team(a)
