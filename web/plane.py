"""The control plane's requests: who may send them, and which of them are logged."""

import hmac
from collections.abc import Callable
from typing import Any

from flask import Request, request

from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.web.hosts import require_not_outgoing, require_this_machine
from dryline.web.paths import READS
from dryline.world.real_time import monotonic
from dryline.world.world import World


def answer_and_report(world: World, request: Request, view: Callable[[], Any]) -> Any:
    """Return the view's response to a request of the control plane, and log the request if it is a write or failed."""
    start = monotonic()
    with world.activity.doing(f"{request.method} {request.url_rule or request.path}"):
        response = view()
    status = response.status_code
    has_failed = status >= 400
    if request.method in READS and not has_failed:
        return response

    duration_ms = (monotonic() - start) * 1000
    text = f"{request.method:<6} {request.path} {status} {duration_ms:.0f} ms"
    members = {"method": request.method, "path": request.path, "status": status, "durationMs": round(duration_ms, 3)}
    error = _error_of(response) if has_failed else ""
    if error:
        text += f"  {error}"
        members["error"] = error
    world.events.add(text, is_problem=has_failed, **members)
    return response


def _error_of(response: Any) -> str:
    """Return the message of an error response; an empty text if its body has none."""
    body = response.get_json(silent=True)
    if isinstance(body, dict) and "error" in body:
        return str(body["error"])
    return ""


def admit_running_request() -> None:
    """Admit the running request. Raises Forbidden, as `require_admission` says."""
    require_admission(request)


def require_admission(request: Request) -> None:
    """Admit requests with the token, or without one those from this machine that no other site's page sent.

    Raises Forbidden.
    """
    settings = current().settings
    require_not_outgoing(request, "control plane")
    if settings.admin_token is not None:
        sent = request.headers.get("x-dryline-token", "")
        if not hmac.compare_digest(sent.encode(), settings.admin_token.encode()):
            raise Forbidden("The control plane needs the header x-dryline-token: the server's --admin-token.")
        return
    require_this_machine(settings, request, "control plane")
    own_origin = f"{request.scheme}://{request.host}"
    is_other_site = request.headers.get("Sec-Fetch-Site") in ("cross-site", "same-site")
    if is_other_site or request.headers.get("Origin", own_origin) != own_origin:
        raise Forbidden("The control plane does not answer other sites' pages.")
