"""The console's own application, made when a page is first asked for: a server that nobody watches starts faster."""

from __future__ import annotations

from typing import Any

from flask import Flask, flash, g, redirect, render_template, request
from werkzeug.exceptions import HTTPException

from dryline.blueprints.console import (
    auth,
    calls,
    campaigns,
    connect,
    deployments,
    exports,
    faults,
    flows,
    layout,
    live,
    overview,
    request_log,
    resources,
    scorecards,
    state,
    talks,
    template_filters,
    tests,
    webhooks,
    workers,
    world_actions,
)
from dryline.blueprints.console.base import chosen_team, told
from dryline.blueprints.control.state import NO_LIMIT
from dryline.blueprints.fast_paths import FastFlask
from dryline.blueprints.hosts import demand_known_host
from dryline.blueprints.paths import CONSOLE, READS
from dryline.blueprints.routing import CONVERTERS
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError
from dryline.world.clock import set_current_team

# The pages, in the order of the menu; each has a blueprint, and says below which word the menu has it.
PAGES = (overview, live, calls, workers, campaigns, exports, request_log, faults, webhooks, state, connect)
# What those lead to: the parts of a worker.
PARTS = (flows, deployments, talks, resources, tests, scorecards)

# Pages fetch from this server alone, run no script of their own text, and lie in no frame.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    # Not no-referrer: with that, browsers send forms of these very pages with `Origin: null`.
    "Referrer-Policy": "same-origin",
}


class Console(FastFlask):
    """The pages of one world. A page that only shows something sees one moment of the data."""

    def __init__(self, api: Flask) -> None:
        super().__init__("dryline.blueprints.console", static_url_path=f"{CONSOLE}/static")
        self.api = api  # what the pages are about
        self.world = world = current()
        most = world.settings.max_body_mb * 1_000_000
        self.config.update(auth.cookie(world), MAX_CONTENT_LENGTH=most, MAX_FORM_MEMORY_SIZE=most)
        self.secret_key = world.secret
        self.url_map.converters.update(CONVERTERS)
        self.jinja_env.trim_blocks = self.jinja_env.lstrip_blocks = True
        self.jinja_env.filters.update(template_filters.FILTERS)
        self.context_processor(world_actions.context)
        self.url_defaults(_stay_with_team)
        for module in (auth, world_actions, layout, *PAGES, *PARTS):
            self.register_blueprint(module.blp)
        for kind in (DomainError, HTTPException, Exception):
            self.register_error_handler(kind, trouble)
        self.after_request(_closed)

    def dispatch_request(self) -> Any:
        """Let the person in, then answer."""
        demand_known_host(self.world.settings, request.environ)
        if request.endpoint == "state.load":  # a state with many logs is larger than what the API takes
            request.max_content_length = NO_LIMIT
        if (instead := auth.demand_person()) is not None:
            return instead
        if request.method in READS and request.blueprint and request.blueprint != "pulse":
            with self.world.reading():
                g.team = chosen_team()
                set_current_team(g.team.id if g.team else None)
                return super().dispatch_request()
        return super().dispatch_request()


def trouble(error: Exception) -> Any:
    """What went wrong, as a page; after a form, on the page that the form was on."""
    message, status = told(error)
    # Not after a 403, which the other page would answer too, nor after a 413, whose form cannot be read.
    if request.method == "POST" and status not in (403, 413) and (back := auth.local(request.form.get("back"))):
        flash(message, "error")
        return redirect(back, 303)
    if "team" not in g:
        g.team = None
    return render_template("error.html", status=status, message=message), status


def _closed(response: Any) -> Any:
    response.headers.update(HEADERS)
    if request.endpoint != "static":
        response.headers["Cache-Control"] = "no-store"
    return response


def _stay_with_team(endpoint: str, values: dict[str, Any]) -> None:
    """Links lead to the same team's pages: all state is in the address."""
    if endpoint != "static" and request and (team := request.args.get("team")):
        values.setdefault("team", team)
