"""Where a world starts: the team and its keys, and the scenario that fills it."""

from __future__ import annotations

from dryline.models.teams import ApiKey, Team, digest
from dryline.models.world import World


def begin(world: World) -> None:
    """Fill a new world; in one that was there before, only make sure that the keys of `--api-key` work."""
    if world.is_new:
        Team.found("Demo team" if world.settings.scenario == "demo" else "Team")
    admit_start_keys(world)


def admit_start_keys(world: World) -> None:
    """The keys of `--api-key` belong to the oldest team, unless another team has them."""
    team = next(iter(Team.select().order_by(Team.created_at, Team.id).limit(1)))
    for secret in world.settings.api_keys:
        if ApiKey.find(sha256=digest(secret)) is None:
            ApiKey.issue(team, secret, name="--api-key")
