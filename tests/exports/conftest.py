"""Fixtures: logs, exports and their files."""

import csv
import io
import json

import pytest

from dryline.models.exports import LOGS
from dryline.models.teams import Team

REQUEST = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
INSIDE = "2026-02-01T10:00:00.000Z"


@pytest.fixture
def make_log(app, make_worker):
    """Insert a log of the start team; without a `worker_id` it gets a new worker."""

    def make(log_type="voice", **values):
        if "worker_id" not in values:
            values["worker_id"] = make_worker()["id"]
        with app.world.active(), app.world.transaction():
            team = Team.find(id=values.pop("team_id", None) or start_team(app))
            return LOGS[log_type].add(team, **{"start_time": INSIDE} | values).id

    return make


def start_team(app):
    with app.world.active():
        return next(iter(Team.select())).id


@pytest.fixture
def export(api, advance):
    """Request an export and run the jobs that write it."""

    def make(api=api, **body):
        answer = api.post("/team/exports", REQUEST | body)
        assert answer.status_code == 201, answer.text
        advance()
        return api.get(f"/team/exports/{answer.json['id']}").json

    return make


@pytest.fixture
def fetch(app):
    """Fetch a finished export's file without a key."""

    def get(export, **kwargs):
        return app.test_client().get(export["downloadUrl"], buffered=True, **kwargs)

    return get


@pytest.fixture
def rows(export, fetch):
    def make(**body):
        made = export(**body)
        assert made["status"] == "COMPLETED", made
        text = fetch(made).text
        if made["format"] == "JSON":
            return json.loads(text)
        return list(csv.DictReader(io.StringIO(text, newline="")))

    return make


def files(app):
    return sorted(path.name for path in app.world.exports.iterdir())
