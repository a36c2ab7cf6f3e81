"""Who may use the console: the same people as the control plane, here with what a browser can send."""

from __future__ import annotations

import hmac
import re
import secrets
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlsplit

from flask import Blueprint, redirect, render_template, request, session, url_for

from dryline.blueprints.hosts import demand_not_outgoing, demand_this_machine
from dryline.blueprints.paths import CONSOLE
from dryline.blueprints.routing import path_to_match
from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.world.world import World

blp = Blueprint("doors", __name__, url_prefix=CONSOLE)

SIGNED_IN_S = 12 * 3600
# Browsers read a backslash as a slash, and no header may hold a control character.
_UNSAFE = re.compile(r"[\\\x00-\x1f\x7f]")
# What a signed-out browser may fetch.
_OPEN = ("static", "doors.sign_in")


def cookie(world: World) -> dict[str, Any]:
    """The session's cookie: out of reach for scripts and for other sites. Each world has a name of its own for it."""
    return {
        "SESSION_COOKIE_NAME": f"dryline_{sha256(world.secret.encode()).hexdigest()[:8]}",
        "SESSION_COOKIE_PATH": world.settings.public_path + CONSOLE,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SECURE": (world.settings.public_url or "").startswith("https://"),
        "SESSION_COOKIE_SAMESITE": "Strict",
        "PERMANENT_SESSION_LIFETIME": SIGNED_IN_S,
        # An answer that comes after one signed out must not bring the cookie back.
        "SESSION_REFRESH_EACH_REQUEST": False,
    }


def demand_person() -> Any:
    """Let in who may see the page; an answer to give instead, or None. Raises Forbidden.

    Contract: issue of the console: a link from elsewhere may lead here, nothing else from another site.
    """
    settings = current().settings
    demand_not_outgoing(request, "console")
    if settings.admin_token is None:
        demand_this_machine(settings, request, "console")
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site"):
        return _arrived_by_link()
    _demand_own_origin()
    if settings.admin_token is not None and request.endpoint not in _OPEN and not _is_signed_in(settings.admin_token):
        if request.method != "GET" or "HX-Request" in request.headers:
            raise Forbidden("Sign in first.")
        return redirect(url_for("doors.sign_in", next=here()), 303)
    if request.method not in ("GET", "HEAD"):
        _demand_form_token()
    return None


def form_token() -> str:
    """What the forms of this person's pages carry, and no other site knows."""
    if "form" not in session:
        session["form"] = secrets.token_urlsafe(16)
    return session["form"]


def here() -> str:
    """Return the address of the requested page as the browser sent it."""
    query = request.query_string.decode("ascii", "replace")
    # A NUL stands for an encoded slash, which is part of an id.
    path = quote(request.script_root + path_to_match(request), safe="/:@!$&'()*+,;=~").replace("%00", "%2F")
    return path + (f"?{query}" if query else "")


def local(address: str | None) -> str | None:
    """Return the address if it is one of the console's pages, else None."""
    parts = urlsplit(address or "")
    root = f"{request.script_root}{CONSOLE}/"
    is_page = not parts.scheme and not parts.netloc and (parts.path + "/").startswith(root)
    return address if is_page and not _UNSAFE.search(address or "") else None


@blp.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> Any:
    """Ask for the token, which becomes a cookie."""
    token = current().settings.admin_token
    wrong = False
    if request.method == "POST":
        if token is not None and hmac.compare_digest(request.form.get("token", "").encode(), token.encode()):
            session.clear()
            session.permanent = True
            session["signed_in"] = _mark(token)
            form_token()  # now, so that no later answer has a cookie to set
            return redirect(local(request.args.get("next")) or url_for("overview.show"), 303)
        wrong = True
    return render_template("sign_in.html", wrong=wrong), 403 if wrong else 200


@blp.post("/sign-out")
def sign_out() -> Any:
    """Forget who is there."""
    session.clear()
    return redirect(url_for("doors.sign_in"), 303)


def _arrived_by_link() -> Any:
    """A page that leads to the page: only then does the browser send this site's cookie. Raises Forbidden."""
    wanted = (request.method, request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest"))
    if wanted != ("GET", "navigate", "document"):
        raise Forbidden("The console does not answer other sites' pages.")
    return render_template("redirect.html", address=here())


def _demand_own_origin() -> None:
    origin = request.headers.get("Origin")
    public = urlsplit(current().settings.public_url or "")
    known = {f"{request.scheme}://{request.host}", f"{public.scheme}://{public.netloc}"}
    if origin is not None and origin not in known:
        raise Forbidden("The console does not answer other sites' pages.")


def _demand_form_token() -> None:
    sent = request.form.get("_token") or request.headers.get("X-Form-Token") or ""
    if not hmac.compare_digest(sent.encode(), session.get("form", "").encode()) or not sent:
        raise Forbidden("The form is not of this console, or too old: go back, reload the page, and try again.")


def _is_signed_in(token: str) -> bool:
    if hmac.compare_digest(request.headers.get("x-dryline-token", "").encode(), token.encode()):
        return True
    return hmac.compare_digest(str(session.get("signed_in", "")), _mark(token))


def _mark(token: str) -> str:
    """What a session keeps of the token: one for another token is worth nothing."""
    return sha256(f"console/{token}".encode()).hexdigest()
