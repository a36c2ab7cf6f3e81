"""The team of the key."""

import functools
import threading

import pytest

from dryline.blueprints.console import app as console
from dryline.models import teams
from dryline.settings import Settings
from dryline.tests.conftest import NEW_WORKER


def test_integrations_come_only_if_they_are_included(api, make_integration):
    integration = make_integration()
    team = api.get("/team").json
    assert team["name"] == "Team" and "integrations" not in team
    assert "integrations" not in api.get("/team?includeIntegrations=false").json
    assert api.get("/team?includeIntegrations=true").json["integrations"] == [integration]


def test_the_first_purchase_opens_the_teams_subaccount(api):
    purchase = "/team/assets/purchase_phone_numbers"
    assert api.get("/team/subaccount-credentials").json == {"accountSid": None, "authToken": None}
    assert api.post(purchase, {"phoneNumbers": ["+14155550101", "none"]}).status_code == 400
    assert api.get("/team/subaccount-credentials").json == {"accountSid": None, "authToken": None}
    api.post(purchase, {"phoneNumbers": ["+14155550101"]})
    credentials = api.get("/team/subaccount-credentials").json
    assert credentials["accountSid"].startswith("AC")
    assert len(credentials["accountSid"]) == 34
    team = api.get("/team").json
    assert credentials == {
        "accountSid": team["twilioSubaccountSid"],
        "authToken": team["twilioSubaccountAuthToken"],
    }
    api.post(purchase, {"phoneNumbers": ["+14155550102"]})
    assert api.get("/team/subaccount-credentials").json == credentials


# Key, team and rows are of one moment


class TestBesideOthers:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty")  # without a seed a new world has other ids

    @pytest.fixture
    def meanwhile(self, app, monkeypatch):
        """Let something happen when a request has arrived and its transaction is about to begin."""

        def arrange(happening):
            def late(name):
                monkeypatch.undo()
                happening()
                return getattr(app.world, name)()

            for name in ("transaction", "reading"):
                monkeypatch.setattr(app.world, name, functools.partial(late, name))

        return arrange

    def test_a_write_beside_a_reset_is_the_new_worlds(self, api, control, meanwhile):
        old = api.get("/team").json["id"]
        meanwhile(lambda: control.post("/reset"))
        made = api.post("/workers", NEW_WORKER)
        assert (made.status_code, made.json["teamId"]) == (201, api.get("/team").json["id"])
        assert made.json["teamId"] != old

    def test_a_write_beside_the_deletion_of_its_team_has_no_key(self, other_api, control, meanwhile):
        team = other_api.get("/team").json["id"]
        meanwhile(lambda: control.delete(f"/teams/{team}"))
        assert other_api.post("/workers", NEW_WORKER).status_code == 401

    def test_a_page_that_is_being_written_during_a_reset_leaves_no_key_of_the_old_world(
        self, app, api, control, monkeypatch
    ):
        def chosen_team_and_reset():
            team = chosen_team()
            reset = threading.Thread(target=control.post, args=("/reset",))
            reset.start()
            reset.join()
            return team

        api.post("/workers", NEW_WORKER)
        chosen_team = console.chosen_team
        monkeypatch.setattr(console, "chosen_team", chosen_team_and_reset)
        assert "dryline-local-key" in app.test_client().get("/console/calls").text
        assert api.post("/workers", NEW_WORKER).status_code == 201


class TestWithAnyKey:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", seed=1, any_key=True)

    def test_the_key_of_another_team_opens_that_team(self, other_api):
        assert other_api.get("/team").json["name"] == "Other team"

    def test_any_key_opens_the_team_and_no_more_are_remembered_than_a_bound(self, app, monkeypatch):
        monkeypatch.setattr(teams, "MOST_REMEMBERED", 3)
        client = app.test_client()
        answers = {client.get("/api/team", headers={"x-api-key": f"key {n}"}).status_code for n in range(5)}
        assert (answers, len(teams.KEYS.of(app.world))) == ({200}, 3)
        assert client.get("/api/team").status_code == 401
