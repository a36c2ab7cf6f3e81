"""The layout of every page: header, menu, and the poll for changes."""

from __future__ import annotations

from typing import Any

from flask import current_app, g, jsonify, request, url_for

from dryline import __version__
from dryline.blueprints.console.auth import current_url, form_token
from dryline.blueprints.console.base import PageBlueprint
from dryline.models.teams import Team
from dryline.state import snapshots
from dryline.storage.current_world import current

blp = PageBlueprint("layout")

# The buttons that advance the clock, in seconds.
CLOCK_STEPS = (("+5 min", 300), ("+1 h", 3_600), ("+1 d", 86_400))


def context() -> dict[str, Any]:
    """Return the template variables that every page has."""
    world = current()
    world_clock = world.clock.of(None)
    blueprints = [one for one in current_app.blueprints.values() if isinstance(one, PageBlueprint)]
    page = next((one for one in blueprints if one.name == request.blueprint), blp)
    return {
        "label": world.settings.label,
        "version": __version__,
        "world_clock": {"now": world_clock.stamp(), "frozen": world_clock.is_frozen},
        "live": world.runtime_settings,
        "active_faults": [fault for fault in world.faults.listing() if not fault.is_used_up],
        "snapshot_names": [snapshot.name for snapshot in snapshots.listing(world)] if g.get("team") else [],
        "clock_steps": CLOCK_STEPS,
        "menu": [
            (one.title, one.key, url_for(f"{one.name}.show"), one.name == page.section)
            for one in blueprints
            if one.title
        ],
        "teams": Team.everyone() if g.get("team") else [],
        "team": g.get("team"),
        "all_teams": page.all_teams,
        "form_token": form_token,
        "change_version": change_version(),
        "current_url": current_url(),
    }


def change_version() -> str:
    """Return a text that changes with every write, request and fault rule. It costs no SQL."""
    world = current()
    return f"{world.writes}.{world.requests.count}.{world.faults.changes}"


@blp.get("/changes")
def changes() -> Any:
    """Answer 204 if nothing has changed since the version in the address, else the new version."""
    version = change_version()
    return ("", 204) if request.args.get("since") == version else jsonify(version=version)
