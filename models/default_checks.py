"""Default checks: what is watched in the team's calls, and what single deployments have otherwise."""

from typing import Any, Self

from peewee import BareField, BooleanField, TextField

from dryline.models.collection import DEPLOYMENTS, StateCollection
from dryline.models.deployments import Deployment
from dryline.storage.errors import NotFound
from dryline.storage.record import JsonField, Record

# Contract: records.default_checks. `latency_threshold` is in milliseconds.
START = {
    "latency_enabled": True,
    "latency_threshold": 3000,
    "api_enabled": True,
    "api_threshold": 1,
    "ai_enabled": False,
    "ai_threshold": 0.7,
    "alert_emails": [],
    "sample_rate": 1,
}


class Checks(Record):
    """The columns of both tables. Those of a deployment may be null."""

    id_prefix = "checks"

    updated_at = TextField()
    latency_enabled = BooleanField()
    latency_threshold = BareField()
    api_enabled = BooleanField()
    api_threshold = BareField()
    ai_enabled = BooleanField()
    ai_threshold = BareField()
    alert_emails = JsonField()
    sample_rate = BareField()


class DefaultChecks(Checks):
    """The team's checks: one row, or none before they are first set."""

    @classmethod
    def of_team(cls, team: Record) -> Self:
        """Return the team's checks. Raises NotFound when they were never set. Contract: getTeamDefaultChecks."""
        checks = cls.find(team_id=team.team_id)
        if checks is None:
            raise NotFound("The team's default checks were never initialised.")
        return checks

    @classmethod
    def find_or_add(cls, team: Record) -> tuple[Self, bool]:
        """Return the team's checks, created with start values if there are none, and whether they were created.

        Contract: initTeamDefaultChecks.
        """
        checks = cls.find(team_id=team.team_id)
        return (checks, False) if checks else (cls.add(team, **START), True)

    @classmethod
    def put(cls, team: Record, **values: Any) -> Self:
        """Set these values, in new checks when there were none. Contract: updateTeamDefaultChecks."""
        checks, _ = cls.find_or_add(team)
        return checks.change(**values)


class DeploymentDefaultChecks(Checks):
    """The values in which a deployment differs from its team; None is not overridden. The id is the deployment's."""

    enabled = BooleanField(null=True)

    @classmethod
    def put(cls, deployment: Deployment, **values: Any) -> None:
        """Override these values for the deployment, beside those that it overrides already."""
        if not values:
            return
        checks = cls.find(id=deployment.id)
        if checks:
            checks.change(**values)
        else:
            cls.add(deployment, id=deployment.id, **values)


def checks_of(deployment: Deployment) -> dict[str, Any]:
    """Return the checks as they apply to the deployment: start values, over them the team's, over them its own.

    `overridden` names its own. Contract: getDeploymentDefaultChecks.
    """
    team = DefaultChecks.find(team_id=deployment.team_id)
    row = DeploymentDefaultChecks.find(id=deployment.id)
    of_team = {name: team.__data__[name] for name in START} if team else START
    values = row.__data__ if row else {}
    overrides = {name: values[name] for name in ("enabled", *START) if values.get(name) is not None}
    return {"deployment_id": deployment.id, "enabled": True, **of_team, **overrides, "overridden": list(overrides)}


STATE = {
    "teamDefaultChecks": StateCollection(DefaultChecks, complete=lambda row, rows: row.update({**START, **row})),
    # The deployment's id is its own.
    "deploymentDefaultChecks": StateCollection(
        DeploymentDefaultChecks, required_links={"id": DEPLOYMENTS}, sorted_by=("id",)
    ),
}
