"""The base class of records. No HTTP request can name a column that does not exist."""

from __future__ import annotations

import pytest

from dryline.models.tags import Tag
from dryline.models.teams import Team
from dryline.models.workers import Worker
from dryline.storage.errors import Conflict
from dryline.storage.record import unique


@pytest.fixture
def team(app):
    with app.world.active(), app.world.transaction():
        yield Team.everyone()[0]


def test_a_member_whose_value_fails_is_not_taken_for_one_that_is_not_there(team, monkeypatch):
    monkeypatch.setattr(Worker, "mood", property(lambda worker: worker.no_such_thing), raising=False)
    worker = Worker.add(team, name="A")
    assert worker.project({"name": "name", "tags": "tags"}) == {"name": "A"}
    with pytest.raises(AttributeError, match="no_such_thing"):
        worker.project({"mood": "mood"})


def test_only_a_double_is_a_conflict(team):
    Tag.add(team, label="VIP", color="red")
    with pytest.raises(Conflict, match="There is one"), unique("There is one."):
        Tag.add(team, label="VIP", color="blue")
    with pytest.raises(Exception, match="NOT NULL"), unique("There is one."):
        Tag.add(team, label="VIP 2", color=None)
