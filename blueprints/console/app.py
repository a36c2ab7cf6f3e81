"""The console's Flask application. It is made at the first request for a page, so that a server starts faster."""

import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any
from urllib.parse import urlencode

from flask import Flask, flash, g, redirect, render_template, request
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from werkzeug.exceptions import HTTPException

from dryline.blueprints.console import auth, layout, operations, template_filters
from dryline.blueprints.console.base import chosen_team, error_message
from dryline.blueprints.control.state import NO_LIMIT
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError, Invalid
from dryline.web.hosts import require_known_host
from dryline.web.paths import CONSOLE, READS
from dryline.web.routing import RoutedFlask

# The modules of pages, in the order of the menu, and those without an entry.
MENU_PAGES = (
    *("overview", "live", "calls", "workers", "campaigns", "exports"),
    *("request_log", "faults", "webhooks", "state", "connect"),
)
OTHER_PAGES = ("auth", "layout", "search", "world_actions", "flows", "deployments", "talks")
# The blueprints whose pages are of use in a world without teams. The others lead to the page State.
WITHOUT_TEAM = ("auth", "connect", "faults", "requests", "search", "state")

# The longest value of a parameter in a page's address, in characters. A page repeats its address at each form.
MAX_PARAMETER = 2_000

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
    " font-src 'self'; media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none';"
    " frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # With no-referrer, browsers would send the forms of these pages with `Origin: null`.
    "Referrer-Policy": "same-origin",
}


class WithoutIndentation(Extension):
    """Leaves the indentation of a template's lines out of the page, which would be a third heavier with it."""

    def filter_stream(self, stream: TokenStream) -> Iterator[Token]:
        """Return the tokens of a template, with its text on lines that begin at the margin."""
        for token in stream:
            if token.type != "data":
                yield token
                continue

            # Text at the start follows a block, whose newline Jinja has dropped: one blank has to remain.
            text = re.sub(r"^[ \t]+", " ", token.value)
            text = re.sub(r"\n[ \t]+", "\n", text)
            yield Token(token.lineno, token.type, text)


class Console(RoutedFlask):
    """The pages of one world. A page that only reads sees one state of the database."""

    def __init__(self, api: Flask) -> None:
        super().__init__("dryline.blueprints.console", static_url_path=f"{CONSOLE}/static")
        self.api = api
        self.world = world = current()
        max_bytes = world.settings.max_body_mb * 1_000_000
        self.config.update(auth.session_settings(world), MAX_CONTENT_LENGTH=max_bytes, MAX_FORM_MEMORY_SIZE=max_bytes)
        self.secret_key = world.secret
        self.ended_sessions = auth.EndedSessions(world)
        self.jinja_env.trim_blocks = self.jinja_env.lstrip_blocks = True
        self.jinja_env.add_extension(WithoutIndentation)
        self.jinja_env.filters.update(template_filters.FILTERS)
        self.context_processor(layout.template_variables)
        self.url_defaults(_add_team_to_url)
        for page in (*OTHER_PAGES, *MENU_PAGES):
            self.register_blueprint(import_module(f"dryline.blueprints.console.{page}").blp)
        for error_class in (DomainError, HTTPException, Exception):
            self.register_error_handler(error_class, show_error)
        self.register_error_handler(operations.FormRefused, operations.show_refused)
        self.after_request(_add_headers)

    def dispatch_request(self) -> Any:
        """Check access, then run the view. A read runs in one transaction, with the team in `g.team`."""
        require_known_host(self.world.settings, request.environ)
        if request.endpoint != "static":  # the page of the error needs its style sheet
            self.world.db.require_file()
        if request.endpoint == "state.load":  # the document of a whole world is larger than a body of the API
            request.max_content_length = NO_LIMIT
        if (answer := auth.require_access()) is not None:
            return answer
        if request.routing_exception is not None:
            raise request.routing_exception
        _require_short_parameters()
        if request.method == "GET" and "" in request.args.values() and "HX-Request" not in request.headers:
            return redirect(_address_without_empty_parameters())
        # Before the transaction begins: a change after that is not on the page, so the next poll must fetch it.
        g.change_version = layout.change_version()
        if request.method in READS and request.blueprint and request.endpoint != "layout.changes":
            with self.world.reading():
                g.team = chosen_team()
                if g.team is None and request.blueprint not in WITHOUT_TEAM:
                    return render_template("overview.html")
                return super().dispatch_request()
        return super().dispatch_request()


def _address_without_empty_parameters() -> str:
    """Return the address of the requested page without the empty fields that a form sends too."""
    args = [(name, value) for name, value in request.args.items(multi=True) if value != ""]
    path = auth.current_url().partition("?")[0]
    return f"{path}?{urlencode(args)}" if args else path


def _require_short_parameters() -> None:
    """Raise Invalid if a parameter of the address is longer than a page can show."""
    for name, value in request.args.items(multi=True):
        if len(value) > MAX_PARAMETER:
            raise Invalid(f"Longer than {MAX_PARAMETER:,} characters.", name[:40])


def show_error(error: Exception) -> Any:
    """Show an error as a page, after a form on the page that the form was on."""
    message, status = error_message(error)
    # The other page would also answer 403, and the form of a 413 cannot be read.
    if request.method == "POST" and status not in (403, 413):
        page = auth.safe_url(request.form.get("back"))
        if page:
            flash(message, "error")
            return redirect(page, 303)
    if "team" not in g:
        g.team = None
    return render_template("error.html", status=status, message=message), status


def _add_headers(response: Any) -> Any:
    response.headers.update(HEADERS)
    if request.endpoint != "static":
        response.headers["Cache-Control"] = "no-store"
    return response


def _add_team_to_url(endpoint: str, values: dict[str, Any]) -> None:
    """Add the chosen team to a URL, because the whole state of a page is in its address."""
    if endpoint != "static" and request and (team := request.args.get("team")):
        values.setdefault("team", team)
