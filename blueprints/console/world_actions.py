"""The bar on every page: label, world clock, calls a minute, faults, save points, reset; and the menu."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from flask import current_app, g, request, url_for

from dryline import __version__
from dryline.blueprints.console.auth import form_token, here
from dryline.blueprints.console.base import Pages, done, form
from dryline.blueprints.console.layout import beat
from dryline.blueprints.control.clock import AdvanceSchema, ClockSchema
from dryline.blueprints.control.settings import SettingsSchema
from dryline.jobs.live import change_settings
from dryline.models.teams import Team
from dryline.schemas.snapshots import SnapshotSchema
from dryline.state import scenarios, snapshots
from dryline.storage.current_world import current
from dryline.world.clock import parse

blp = Pages("bar", path="/bar")

# The clock's steps, in seconds.
STEPS = (("+5 min", 300), ("+1 h", 3_600), ("+1 d", 86_400))


def context() -> dict[str, Any]:
    """What every page shows beside its own."""
    world = current()
    world_clock = world.clock.of(None)
    pages = current_app.blueprints.get(request.blueprint or "")
    section = pages.under if isinstance(pages, Pages) else None
    return {
        "label": world.settings.label,
        "version": __version__,
        "world_clock": {"now": world_clock.stamp(), "frozen": world_clock.is_frozen},
        "live": world.runtime_settings,
        "faults_on": [fault for fault in world.faults.listing() if not fault.is_used_up],
        "save_points": [found.name for found in snapshots.listing(world)] if g.get("team") else [],
        "steps": STEPS,
        "menu": [
            (found.word, found.letter, url_for(f"{found.name}.show"), found.name == section)
            for found in current_app.blueprints.values()
            if isinstance(found, Pages) and found.word
        ],
        "teams": Team.everyone() if g.get("team") else [],
        "team": g.get("team"),
        "form_token": form_token,
        "beat": beat(),
        "here": here(),
    }


@blp.post("/clock")
def clock() -> Any:
    """Freeze the clock, let it run, or set it."""
    asked = form(ClockSchema)
    current().clock.of(None).set(parse(asked["now"]) if "now" in asked else None, frozen=asked.get("frozen"))
    return _moved("The clock stands still." if asked.get("frozen") else "The clock runs.")


@blp.post("/clock/advance")
def advance() -> Any:
    """Move the clock forward; what is due then has happened before the page is shown."""
    current().clock.of(None).advance(timedelta(seconds=form(AdvanceSchema)["seconds"]))
    return _moved("The clock moved on.")


@blp.post("/clock/reset")
def back_to_now() -> Any:
    """Back to real time."""
    current().clock.of(None).reset()
    return _moved("The clock shows real time.")


def _moved(message: str) -> Any:
    current().save_runtime_state()
    current().run_due()
    return done(message)


@blp.post("/settings")
def settings() -> Any:
    """Change live settings."""
    change_settings(current(), **form(SettingsSchema))
    return done("The settings are changed.")


@blp.post("/save")
def save() -> Any:
    """Keep the world under a name."""
    name = form(SnapshotSchema)["name"]
    snapshots.save(current(), name)
    return done(f"Saved as {name}.")


@blp.post("/restore")
def restore() -> Any:
    """Go back to a save point."""
    name = form(SnapshotSchema)["name"]
    snapshots.restore(current(), name)
    return done(f"The world is as it was saved in {name}.")


@blp.post("/reset")
def reset() -> Any:
    """Back to the start."""
    scenarios.reset(current())
    return done("The world is as it was at the start.", "overview.show")
