"""Where a world starts, and how it comes back to its start: the team, its keys, and the scenario that fills it."""

from __future__ import annotations

from pathlib import Path

import orjson

from dryline.models.teams import Team
from dryline.settings import BadSetting
from dryline.state import forms
from dryline.state.document import admit_start_keys, demand_team, kept_teams, replacing, unchecked, wipe
from dryline.state.forms import Document
from dryline.state.import_rows import Import
from dryline.world.errors import BadDocument, Invalid
from dryline.world.world import World

SHIPPED = Path(__file__).parent.parent / "data"
EMPTY = "empty"


def begin(world: World) -> None:
    """Fill a new world; in one that was there before, only make sure that the keys of `--api-key` work.

    Raises BadSetting, with one line that says what is wrong, for a scenario that cannot be.
    """
    if not world.is_new:
        with world.transaction():
            admit_start_keys(world)
        return
    name = world.settings.scenario
    try:
        document = load(name)
        with unchecked(world), world.transaction():
            _fill(world, document)
    except BadDocument as error:
        raise BadSetting(f"--scenario {name}: {error}") from None


def reset(world: World, scenario: str | None = None) -> None:
    """Back to the start: data, clock, ids, live settings, faults, request record.

    Raises Invalid, naming `scenario`, for one that cannot be; then nothing has changed.
    """
    try:
        document = load(scenario or world.settings.scenario)
        with replacing(world):
            wipe(world)
            before = world.clock.position(), world.ids.position()
            world.clock.reset()
            world.ids.restart(world.settings.seed)
            try:
                _fill(world, document)
            except BaseException:
                world.clock.go_to(before[0])
                world.ids.go_to(before[1])
                raise
            world.db.after_commit(world.start_over)
    except BadDocument as error:
        raise Invalid(str(error), "scenario") from None


def reset_team(world: World, team_id: str) -> None:
    """Take away all that one team has but its name and keys, its faults and what it called. Raises NotFound."""
    with replacing(world):
        demand_team(team_id)
        kept = kept_teams(team_id)
        wipe(world, team_id)
        for team, keys in kept:
            for record in (team, *keys):
                record.insert_row()
    world.faults.start_over(team_id)
    world.requests.clear(team_id)


def load(name: str) -> Document | None:
    """The scenario's document, None for the empty one. Raises BadDocument when it cannot be read or is none."""
    if name == EMPTY:
        return None
    shipped = SHIPPED / f"{name}.json"
    path = shipped if name.isidentifier() and shipped.exists() else Path(name)
    try:
        return forms.read(orjson.loads(path.read_bytes()))
    except (OSError, ValueError) as error:
        reason = "it is not valid JSON" if isinstance(error, ValueError) else (error.strerror or str(error)).lower()
        raise BadDocument([("", f"Cannot read the scenario {path}: {reason}.")]) from None


def _fill(world: World, document: Document | None) -> None:
    """Put the scenario into a world without rows. One that has no teams gets the start team."""
    teams = document.rows["teams"] if document else None
    team = None if teams else Team.new("Team")
    if document is not None:
        Import(document, None, [], adding=not teams).run()
    admit_start_keys(world, Team.by_id(teams[0]["id"]) if teams else team)
