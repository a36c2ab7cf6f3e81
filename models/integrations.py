"""Integrations: the team's accounts at telephony providers."""

from typing import Self

from peewee import TextField

from dryline.models.collection import WORKER, StateCollection
from dryline.models.teams import Team
from dryline.storage.record import JsonField, Record, Rows


class Integration(Record):
    """An account at a provider. Its token is kept and never shown.

    Deleting it leaves its numbers, without an account.
    """

    id_prefix = "integration"

    updated_at = TextField()
    app_type = TextField()
    config = JsonField(default=dict)
    auth_token = TextField(null=True)
    name = TextField(null=True)
    description = TextField(null=True)
    worker_id = TextField(null=True)

    @classmethod
    def connect_twilio(cls, team: Team, *, account_sid: str, auth_token: str, **values: str) -> Self:
        """Create a new Twilio account of the team. Contract: createTwilioIntegration."""
        return cls.add(team, app_type="twilio", config={"accountSid": account_sid}, auth_token=auth_token, **values)


def team_with_integrations(team: Team) -> dict[str, str | Rows | None]:
    """Return the team's columns and its integrations. Contract: getTeam with includeIntegrations."""
    return {**team.__data__, "integrations": Integration.listing(team)}


STATE = {"integrations": StateCollection(Integration, optional_links=WORKER)}
