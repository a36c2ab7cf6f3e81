"""Authentication and protection against cross-site requests, by the rules of the control plane."""

import hmac
import re
import secrets
import time
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlsplit

import orjson
from flask import Blueprint, current_app, redirect, render_template, request, session, url_for

from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.storage.files import read, write_whole
from dryline.web.hosts import require_not_outgoing, require_this_machine
from dryline.web.paths import CONSOLE
from dryline.web.routing import path_to_match
from dryline.world.world import World

blp = Blueprint("auth", __name__, url_prefix=CONSOLE)

SESSION_S = 12 * 3600
# Browsers read a backslash as a slash, and no header may hold a control character.
_UNSAFE = re.compile(r"[\\\x00-\x1f\x7f]")
_PUBLIC_ENDPOINTS = ("static", "auth.sign_in")


class EndedSessions:
    """The sessions that ended by a sign-out. Their cookies are still validly signed, and must be refused.

    They are kept in a file until their cookies expire.
    """

    def __init__(self, world: World) -> None:
        self._file = world.directory / "ended-sessions.json"
        self._ends: dict[str, float] = orjson.loads(read(self._file)) if self._file.exists() else {}

    def add(self, session_id: str) -> None:
        """End a session."""
        now = time.time()
        self._ends = {id: end for id, end in self._ends.items() if end > now} | {_hash(session_id): now + SESSION_S}
        write_whole(self._file, orjson.dumps(self._ends), mode=0o600)

    def __contains__(self, session_id: str) -> bool:
        return _hash(session_id) in self._ends


def _hash(session_id: str) -> str:
    return sha256(session_id.encode()).hexdigest()


def session_settings(world: World) -> dict[str, Any]:
    """Return Flask's settings for the session cookie. Each world has a cookie name of its own."""
    return {
        "SESSION_COOKIE_NAME": f"dryline_{sha256(world.secret.encode()).hexdigest()[:8]}",
        "SESSION_COOKIE_PATH": world.settings.public_path + CONSOLE,
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SECURE": (world.settings.public_url or "").startswith("https://"),
        "SESSION_COOKIE_SAMESITE": "Strict",
        "PERMANENT_SESSION_LIFETIME": SESSION_S,
        # An answer that arrives after the person signed out must not bring the cookie back.
        "SESSION_REFRESH_EACH_REQUEST": False,
    }


def require_access() -> Any:
    """Return None if the request is allowed, or the answer to give instead. Raises Forbidden.

    A link on another site may lead to a page. Every other request of another site is refused.
    """
    settings = current().settings
    require_not_outgoing(request, "console")
    if settings.admin_token is None:
        require_this_machine(settings, request, "console")
    if request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site"):
        return _redirect_in_browser()
    _require_own_origin()
    token = settings.admin_token
    if token is not None and request.endpoint not in _PUBLIC_ENDPOINTS and not _is_signed_in(token):
        if request.method != "GET" or "HX-Request" in request.headers:
            raise Forbidden("Sign in first.")
        return redirect(url_for("auth.sign_in", next=current_url()), 303)
    if request.method not in ("GET", "HEAD"):
        _require_form_token()
    return None


def form_token() -> str:
    """Return the session's token against cross-site request forgery, which every form carries."""
    if "form" not in session:
        session["form"] = secrets.token_urlsafe(16)
    return session["form"]


def current_url() -> str:
    """Return the path and query of the requested page as the browser sent them."""
    query = request.query_string.decode("ascii", "replace")
    # A NUL stands for an encoded slash, which is part of an id.
    path = quote(request.script_root + path_to_match(request), safe="/:@!$&'()*+,;=~").replace("%00", "%2F")
    return path + (f"?{query}" if query else "")


def safe_url(address: str | None) -> str | None:
    """Return the address if it is that of a console page, else None."""
    parts = urlsplit(address or "")
    root = f"{request.script_root}{CONSOLE}/"
    is_page = not parts.scheme and not parts.netloc and (parts.path + "/").startswith(root)
    return address if is_page and not _UNSAFE.search(address or "") else None


@blp.route("/sign-in", methods=["GET", "POST"])
def sign_in() -> Any:
    """Exchange the admin token for a session."""
    token = current().settings.admin_token
    is_wrong = False
    if request.method == "POST":
        if token is not None and hmac.compare_digest(request.form.get("token", "").encode(), token.encode()):
            session.clear()
            session.permanent = True
            session["signed_in"] = _token_fingerprint(token)
            form_token()  # now, so that no later answer has a cookie to set
            return redirect(safe_url(request.args.get("next")) or url_for("overview.show"), 303)
        is_wrong = True
    return render_template("sign_in.html", is_wrong=is_wrong), 403 if is_wrong else 200


@blp.post("/sign-out")
def sign_out() -> Any:
    """End the session, whose cookie is refused from now on."""
    token = session.get("form")
    if "signed_in" in session and token:
        current_app.ended_sessions.add(token)  # type: ignore[attr-defined]  # it is the Console
    session.clear()
    return redirect(url_for("auth.sign_in"), 303)


def _redirect_in_browser() -> Any:
    """Return a page that leads to the requested one. Raises Forbidden unless a person followed a link.

    With a request from another site the browser sends no `SameSite=Strict` cookie. With one from this page it does.
    """
    navigation = (request.method, request.headers.get("Sec-Fetch-Mode"), request.headers.get("Sec-Fetch-Dest"))
    if navigation != ("GET", "navigate", "document"):
        raise Forbidden("The console refuses requests of other sites.")
    return render_template("redirect.html", address=current_url())


def _require_own_origin() -> None:
    origin = request.headers.get("Origin")
    public = urlsplit(current().settings.public_url or "")
    own_origins = {f"{request.scheme}://{request.host}", f"{public.scheme}://{public.netloc}"}
    if origin is not None and origin not in own_origins:
        raise Forbidden("The console refuses requests of other sites.")


def _require_form_token() -> None:
    token = request.form.get("_token") or request.headers.get("X-Form-Token") or ""
    if not token or not hmac.compare_digest(token.encode(), session.get("form", "").encode()):
        raise Forbidden("The form is from an earlier session. Reload the page and send it again.")


def _is_signed_in(token: str) -> bool:
    if hmac.compare_digest(request.headers.get("x-dryline-token", "").encode(), token.encode()):
        return True
    if session.get("form", "") in current_app.ended_sessions:  # type: ignore[attr-defined]  # it is the Console
        return False
    return hmac.compare_digest(str(session.get("signed_in", "")), _token_fingerprint(token))


def _token_fingerprint(token: str) -> str:
    """Return a hash of the admin token, so that a session ends when the server gets another token."""
    return sha256(f"console/{token}".encode()).hexdigest()
