"""The forms in the header, which change the world: clock, settings, snapshots and reset."""

from datetime import timedelta
from typing import Any

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_form
from dryline.blueprints.control.clock import AdvanceSchema, ClockSchema
from dryline.blueprints.control.settings import SettingsSchema
from dryline.blueprints.control.snapshots import SnapshotSchema
from dryline.jobs import live
from dryline.state import scenarios, snapshots
from dryline.state.undo import undoable
from dryline.storage.current_world import current
from dryline.world.clock import parse

blp = PageBlueprint("world", path="/world")


@blp.post("/clock")
def set_clock() -> Any:
    params = load_form(ClockSchema)
    moment = parse(params["now"]) if "now" in params else None
    current().clock.set(moment, frozen=params.get("frozen"))
    return _run_due("The clock is frozen." if params.get("frozen") else "The clock is running.")


@blp.post("/clock/advance")
def advance_clock() -> Any:
    current().clock.advance(timedelta(seconds=load_form(AdvanceSchema)["seconds"]))
    return _run_due("The clock is advanced.")


@blp.post("/clock/reset")
def reset_clock() -> Any:
    current().clock.reset()
    return _run_due("The clock shows real time.")


def _run_due(message: str) -> Any:
    """Do what is due by the new time, so that the next page shows it."""
    world = current()
    world.save_runtime_state()
    live.take_skipped(world)
    world.run_due()
    if skipped := live.take_skipped(world):
        message += f" Only the last {live.MAX_CALLS} calls of that time came in, and some {skipped:,} did not."
        return flash_and_redirect(message, kind="stays")
    return flash_and_redirect(message)


@blp.post("/settings")
def change_settings() -> Any:
    current().change_settings(**load_form(SettingsSchema))
    return flash_and_redirect("The settings are saved.")


@blp.post("/save")
def save_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    snapshots.save(current(), name)
    return flash_and_redirect(f"Saved the snapshot {name}.")


@blp.post("/restore")
def restore_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    with undoable(current(), "restore") as undo:
        snapshots.restore(current(), name)
    return flash_and_redirect(f'Restored the snapshot "{name}".', undo=undo, endpoint="overview.show", team=None)


@blp.post("/delete-snapshot")
def delete_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    snapshots.remove(current(), name)
    return flash_and_redirect(f"Deleted the snapshot {name}.")


@blp.post("/reset")
def reset() -> Any:
    with undoable(current(), "reset") as undo:
        scenarios.reset(current())
    return flash_and_redirect("The world is reset to its start.", "overview.show", undo=undo, team=None)
