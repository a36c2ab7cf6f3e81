"""The forms in the header, which change the world: clock, settings, snapshots and reset."""

import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from flask import session

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, form_texts, load_form, wire_values
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.console.template_filters import count, offset
from dryline.blueprints.control.clock import AdvanceSchema, ClockSchema, move_clock
from dryline.blueprints.control.settings import SettingsSchema
from dryline.blueprints.control.snapshots import SnapshotSchema
from dryline.jobs import live
from dryline.models import activity
from dryline.schemas.base import AnyTime
from dryline.state import changes, snapshots
from dryline.storage.current_world import current
from dryline.world.clock import Clock, parse, wire

blp = PageBlueprint("world", path="/world")


class ClockForm(ClockSchema):
    """The clock, whose time the form names in UTC, without an offset."""

    now = AnyTime()


@blp.post("/clock")
def set_clock() -> Any:
    params = load_form(ClockForm)
    moment = parse(params["now"]) if "now" in params else None
    is_frozen = params.get("frozen")
    body: dict[str, Any] = {}
    title = "The clock is frozen" if is_frozen else "The clock is running"
    if moment:
        body["now"] = wire(moment)
        title = "The clock is set"
    if is_frozen is not None:
        body["frozen"] = is_frozen
    curl = plane_curl("PUT", "/clock", body)
    return _change_clock("now", lambda clock: clock.set(moment, frozen=is_frozen), curl, title)


@blp.post("/clock/advance")
def advance_clock() -> Any:
    seconds = load_form(AdvanceSchema)["seconds"]
    curl = plane_curl("POST", "/clock/advance", {"seconds": seconds})
    return _change_clock("seconds", lambda clock: clock.advance(timedelta(seconds=seconds)), curl)


@blp.post("/clock/reset")
def reset_clock() -> Any:
    return _change_clock("now", Clock.reset, plane_curl("DELETE", "/clock"), "The clock shows real time")


def _change_clock(field: str, change: Callable[[Clock], object], curl: str, title: str = "") -> Any:
    """Change the clock, do what is due by the new time, and show what happened. Without a `title`, it is the distance.

    Raises Invalid, naming `field`, for a time out of the clock's range.
    """
    world = current()
    clock = world.clock
    before = clock.now()
    move_clock(field, change)
    title = title or offset(clock.now() - before) or "The clock is advanced"
    live.take_skipped_count(world)
    world.run_due()
    with world.reading():
        counts = activity.count_events(wire(before), clock.stamp())
    # For a minute of real time, the page Live has what ended meanwhile.
    session["clock_move"] = {"since": wire(before), "until": time.time() + 60}
    events = [f"{count(number, noun)} {verb}" for (noun, verb), number in counts.items()]
    message = f"{title}: {', '.join(events)}." if events else f"{title}."
    if skipped := live.take_skipped_count(world):
        message += f" Only the last {live.MAX_CALLS} calls of that time came in, and some {skipped:,} did not."
        return flash_and_redirect(message, kind="stays", curl=curl)
    return flash_and_redirect(message, curl=curl)


@blp.post("/settings")
def change_settings() -> Any:
    current().change_settings(**load_form(SettingsSchema))
    calls_per_minute = current().runtime_settings.calls_per_minute
    return flash_and_redirect(
        f"{calls_per_minute:g} calls a minute from now on." if calls_per_minute else "No more calls come in.",
        curl=plane_curl("PUT", "/settings", wire_values(SettingsSchema, form_texts())),
    )


@blp.post("/save")
def save_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    snapshots.save(current(), name)
    return flash_and_redirect(f"Saved the snapshot {name}.", curl=plane_curl("POST", "/snapshots", {"name": name}))


@blp.post("/restore")
def restore_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    undo = changes.restore(current(), name, undo="restore")
    curl = plane_curl("POST", f"/snapshots/{quote(name, safe='')}/restore")
    message = f'Restored the snapshot "{name}".'
    return flash_and_redirect(message, "overview.show", undo=undo, curl=curl, team=None)


@blp.post("/delete-snapshot")
def delete_snapshot() -> Any:
    name = load_form(SnapshotSchema)["name"]
    snapshots.remove(current(), name)
    curl = plane_curl("DELETE", f"/snapshots/{quote(name, safe='')}")
    return flash_and_redirect(f"Deleted the snapshot {name}.", curl=curl)


@blp.post("/reset")
def reset() -> Any:
    undo = changes.reset(current(), undo="reset")
    curl = plane_curl("POST", "/reset")
    return flash_and_redirect("The world is reset to its start.", "overview.show", undo=undo, curl=curl, team=None)
