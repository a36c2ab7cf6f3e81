"""The layout of every page: header, menu, and the poll for changes."""

from typing import Any

from flask import current_app, g, jsonify, request, url_for

from dryline.blueprints.console.auth import current_url, form_token
from dryline.blueprints.console.base import PageBlueprint, read_undo_notice
from dryline.blueprints.console.operations import refusal, typed
from dryline.blueprints.console.template_filters import offset
from dryline.models import activity
from dryline.models.teams import Team
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.web.links import base_url

blp = PageBlueprint("layout")

# Parameters of addresses that name a team, a row of it or a position in its list.
_TEAM_PARAMETERS = ("team", "worker", "tag", "page", "cursor", "known", "seen")

# The buttons that advance the clock, in seconds.
CLOCK_STEPS = (("+5 min", 300), ("+1 h", 3_600), ("+1 d", 86_400))


def template_variables() -> dict[str, Any]:
    """Return the template variables that every page has."""
    world = current()
    blueprints = [one for one in current_app.blueprints.values() if isinstance(one, PageBlueprint)]
    page = next((one for one in blueprints if one.name == request.blueprint), blp)
    return {
        "label": world.settings.label,
        "world_clock": world_clock(),
        "live": world.runtime_settings,
        "active_faults": active_faults(),
        "clock_steps": CLOCK_STEPS,
        "undo": read_undo_notice(),
        "menu": [
            (one.name, one.title, one.key, url_for(f"{one.name}.show"), one.name == page.section)
            for one in blueprints
            if one.title
        ],
        "teams": Team.everyone() if g.get("team") else [],
        "team": g.get("team"),
        "all_teams": page.all_teams,
        "team_action": _team_action(page),
        "team_filters": _team_filters(page),
        "form_token": form_token,
        "change_version": g.get("change_version") or change_version(),
        "current_url": current_url(),
        "part_counts": _part_counts,
        "base_url": base_url(),
        "refused": refusal(),
        "typed": typed,
    }


def _team_action(page: PageBlueprint) -> str:
    """Return the address of the present page for another team: that of its list, if the page shows a row of a team."""
    list_view = f"{page.section}.show"
    if request.view_args and list_view in current_app.view_functions:
        return url_for(list_view)
    return request.script_root + request.path


def _team_filters(page: PageBlueprint) -> dict[str, str]:
    """Return the parameters of the address that a choice of another team keeps: those that name no row of the team."""
    if request.view_args or not page.section:
        return {}
    return {
        name: value
        for name, value in request.args.items()
        if name not in _TEAM_PARAMETERS and not name.endswith(("Id", "_id"))
    }


def _part_counts(worker: Worker) -> dict[str, int]:
    """Return how many rows each tab of a worker's page has, by the name of the tab's blueprint."""
    counts = activity.count_parts(worker).get(worker.id, {})
    tables = {"flows": "flow", "deployments": "deployment", "resources": "resource", "tests": "test"}
    return {name: counts.get(table, 0) for name, table in tables.items()}


def world_clock() -> dict[str, Any]:
    """Return the world clock's time, and as `badge` how it differs from real time, in words."""
    clock = current().clock
    ahead = offset(clock.ahead)
    badge = ", ".join(filter(None, ["frozen" if clock.is_frozen else "", ahead]))
    return {"now": clock.stamp(), "frozen": clock.is_frozen, "badge": badge}


def active_faults() -> int:
    """Return the number of fault rules that can still be applied."""
    return sum(not fault.is_used_up for fault in current().faults.listing())


def change_version() -> str:
    """Return a text that changes with every write, request and fault rule. It costs no SQL."""
    world = current()
    return f"{world.writes}.{world.requests.count}.{world.faults.changes}"


@blp.get("/changes")
def changes() -> Any:
    """Answer 204 if nothing has changed since the version in the address, else the new version.

    The header World-Clock has the time of the world clock, and after a blank its badge.
    """
    version, clock = change_version(), world_clock()
    headers = {"World-Clock": f"{clock['now']} {clock['badge']}".strip()}
    if request.args.get("since") == version:
        return "", 204, headers
    return jsonify(version=version, faults=active_faults()), 200, headers
