"""The one HTTP client for what the stand-in itself asks: webhooks, another service, another server's control plane.

No proxy is used, whatever the environment says: most of what is asked is this machine, and keys and tokens go to nobody
else. Redirects are answers like any other: they could lead elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from dryline import __version__


class Answer(NamedTuple):
    """What came back. `headers` are read without regard to case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Unanswered(Exception):
    """Nothing came back. The message is a sentence; `timed_out` says whether it was for want of time."""

    def __init__(self, message: str, *, timed_out: bool = False) -> None:
        super().__init__(message)
        self.timed_out = timed_out


def send(
    method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes | None = None, timeout_s: float = 10
) -> Answer:
    """Ask once. `timeout_s` is for connecting, and for each piece that comes. Raises Unanswered."""
    import urllib3  # imported late: a start does not need it

    timeout = urllib3.Timeout(timeout_s)
    try:
        with urllib3.PoolManager(retries=False, timeout=timeout) as pool:
            answer = pool.request(
                method,
                url,
                body=body,
                headers={"User-Agent": f"dryline/{__version__}", **(headers or {})},
                redirect=False,
            )
    except urllib3.exceptions.NewConnectionError as error:  # to urllib3 one of its timeouts
        raise Unanswered(f"{type(error).__name__}: {error}") from None
    except urllib3.exceptions.TimeoutError:
        raise Unanswered(f"No answer within {timeout_s:g} s.", timed_out=True) from None
    except (urllib3.exceptions.HTTPError, OSError) as error:
        raise Unanswered(f"{type(error).__name__}: {error}") from None
    return Answer(answer.status, answer.headers, answer.data)
