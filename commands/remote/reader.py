"""A client that only reads from a service: GET, at a limited rate, with retries."""

from collections.abc import Callable
from time import sleep
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from dryline.world.exchange import HttpResponse, Unanswered
from dryline.world.masking import mask_addresses
from dryline.world.outgoing import Refused, send
from dryline.world.real_time import monotonic

# A service that has not sent its whole answer in this time is not asked again.
TIMEOUT_S = 60.0
# The longest pause that a service may ask for. Nobody waits longer in front of a command.
LONGEST_PAUSE_S = 3600.0
# Pauses from this length on are reported.
NOTICED_S = 2.0

REASONS = {401: ", the service does not accept the API key", 403: ", the API key may not read this"}


class ReadError(Exception):
    """The service did not answer as expected. The message names the request and the reason.

    `passing` says that the same request may succeed later, `pause_s` is the pause that the service asked for. `status`
    is None if there was no answer.
    """

    def __init__(
        self, message: str, status: int | None = None, *, passing: bool = False, pause_s: float | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.passing, self.pause_s = status, passing, pause_s


class Reply(NamedTuple):
    """An answer with a status below 300, and its JSON."""

    status: int
    value: Any


class Reader:
    """A reader of JSON below `base_url`.

    It sends at most `rate` requests a second (0: no limit). 429, 5xx and broken answers, but not silence, are
    retried up to `tries` times, after the answer's Retry-After or a pause that doubles. `on_progress` gets a text about
    each long pause.
    """

    def __init__(self, base_url: str, api_key: str, *, rate: float = 5, tries: int = 6) -> None:
        self.base_url, self.api_key = base_url.rstrip("/"), api_key
        self.rate, self.tries = rate, tries
        self.on_progress: Callable[[str], None] = lambda text: None
        self._next = 0.0

    def get(self, path: str, **query: Any) -> Any:
        """Return the JSON of an answer. Raises ReadError as `get_reply` does."""
        return self.get_reply(path, **query).value

    def get_reply(self, path: str, **query: Any) -> Reply:
        """Return the answer. Raises ReadError for a status from 300 on, and when every try has failed."""
        target = f"{path}?{urlencode(query)}" if query else path
        for turn in range(self.tries):
            self._wait_for_turn()
            try:
                return self._get_once(target)
            except ReadError as error:
                if not error.passing:
                    raise
                last = error
            if turn < self.tries - 1:
                pause_s = 0.5 * 2**turn if last.pause_s is None else last.pause_s
                self._pause(last, pause_s)
        raise ReadError(f"{last}, after {self.tries} tries", last.status, passing=True)

    def _get_once(self, target: str) -> Reply:
        request_line = f"GET {target}"
        headers = {"x-api-key": self.api_key, "accept": "application/json"}
        try:
            answer = send("GET", self.base_url + target, headers=headers, within_s=TIMEOUT_S)
        except Unanswered as error:
            passing = not (isinstance(error, Refused) or error.timed_out)
            raise ReadError(f"{request_line}: {str(error).rstrip('.')}", passing=passing) from None
        if answer.status == 429 or answer.status >= 500:
            pause_s = _retry_after_s(answer.headers.get("Retry-After"))
            raise ReadError(f"{request_line}: status {answer.status}", answer.status, passing=True, pause_s=pause_s)
        if answer.status >= 300:
            raise ReadError(f"{request_line}: status {answer.status}{self._refusal_reason(answer)}", answer.status)
        try:
            return Reply(answer.status, orjson.loads(answer.body))
        except orjson.JSONDecodeError:
            raise ReadError(f"{request_line}: the answer is not JSON", passing=True) from None

    def _refusal_reason(self, answer: HttpResponse) -> str:
        """Return why an answer with this status cannot be used."""
        location = answer.headers.get("Location")
        if answer.status < 400 and location:
            return f", to {mask_addresses(location)}: redirects are not followed"  # another host must not get the key
        if answer.status == 404 and self.base_url.endswith("/api"):
            return ", the base URL must not end in /api"
        return REASONS.get(answer.status, "")

    def _pause(self, error: ReadError, pause_s: float) -> None:
        if pause_s > LONGEST_PAUSE_S:
            raise ReadError(f"{error}, asking for a pause of {pause_s:.0f} s", error.status, passing=True)
        if pause_s >= NOTICED_S:
            self.on_progress(f"{error}: pausing for {pause_s:.0f} s")
        sleep(pause_s)

    def _wait_for_turn(self) -> None:
        if self.rate > 0:
            now = monotonic()
            if now < self._next:
                sleep(self._next - now)
            self._next = max(now, self._next) + 1 / self.rate


def _retry_after_s(header: str | None) -> float | None:
    """Return the pause in seconds of a Retry-After header, a number or an HTTP date; None if it is not readable."""
    try:
        return None if header is None else Retry().parse_retry_after(header)
    except (InvalidHeader, ValueError, OverflowError):
        return None
