"""Two servers, and teams that may move between them."""

import pytest

from dryline.testing import DrylineServer
from dryline.tests.moves.nodes import Team, http


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


@pytest.fixture
def team(a):
    return Team(a)
