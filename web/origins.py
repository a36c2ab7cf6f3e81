"""The origin of a request."""

from flask import Request

from dryline.storage.errors import DomainError, Invalid
from dryline.web.plane import require_admission
from dryline.world.origins import ARRANGED, INBOX, ORIGIN_HEADER, ORIGIN_KEY, PROGRAM, TEST, Origin
from dryline.world.outgoing import INBOX as INBOX_PATH


def origin_of(request: Request) -> Origin:
    """Return the origin of a request. A header that is not believed changes nothing: the request is the program's."""
    origin: Origin | None = request.environ.get(ORIGIN_KEY)
    if origin is not None:
        return origin
    if request.environ["PATH_INFO"].startswith(INBOX_PATH):
        return INBOX
    try:
        return require_origin(request)
    except DomainError:
        return PROGRAM


def require_origin(request: Request) -> Origin:
    """Return the origin that the header of a request says, by default the program.

    Raises Invalid for a value that the header cannot have, and Forbidden for `arranged` from somebody who may not use
    the control plane: faults do not apply to such requests.
    """
    sent = request.headers.get(ORIGIN_HEADER)
    if sent is None:
        return PROGRAM
    if sent == TEST:
        return TEST
    if sent != ARRANGED:
        raise Invalid(f"Must be {TEST} or {ARRANGED}.", ORIGIN_HEADER)
    require_admission(request)
    return ARRANGED
