"""Reads from a running service: GET only, at a bounded rate, patient with refusals, going on where it stopped."""

from __future__ import annotations

import hashlib
import http.client
import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from dryline.world.files import write_whole


class ReadError(Exception):
    """The service did not answer as it should. The message names the request and the reason."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class Reader:
    """GETs JSON below `base_url`.

    At most `rate` requests a second (0: no bound). 429, 5xx and broken or garbled answers are tried again up to
    `tries` times, after the answer's Retry-After or a wait that doubles. With `memory`, answers are kept in that folder
    and not asked for again.
    """

    def __init__(
        self, base_url: str, api_key: str, *, rate: float = 5, tries: int = 6, memory: Path | None = None
    ) -> None:
        self.base_url, self.api_key = base_url.rstrip("/"), api_key
        self.rate, self.tries, self.memory = rate, tries, memory
        self.sent = 0
        self._next = 0.0

    def get(self, path: str, **query: Any) -> Any:
        """The answer's JSON. Raises ReadError, with its status, for 4xx and when every try has failed."""
        query = {name: value for name, value in query.items() if value is not None}
        target = path + (f"?{urlencode(query)}" if query else "")
        kept = self._kept(target)
        if kept is not None and kept.exists():
            return json.loads(kept.read_bytes())
        raw, answer = self._ask(target)
        if kept is not None:
            kept.parent.mkdir(parents=True, exist_ok=True)
            write_whole(kept, raw)
        return answer

    def cursor_pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """The pages of a list that is read by cursor, or by page where it gives none."""
        page = self.get(path, limit=100, **query)
        yield page
        number = 1
        while page.get("nextCursor") or page.get("pagination", {}).get("hasNext"):
            number += 1
            cursor = page.get("nextCursor")
            position = {"cursor": cursor} if cursor else {"page": number}
            page = self.get(path, limit=100, **query, **position)
            yield page

    def offset_pages(self, path: str, **query: Any) -> Iterator[dict[str, Any]]:
        """The pages of a list that is read by limit and offset."""
        offset = 0
        while True:
            page = self.get(path, limit=100, offset=offset, **query)
            yield page
            offset += len(page["data"])
            if not page.get("hasMore") or not page["data"]:
                return

    def _kept(self, target: str) -> Path | None:
        if self.memory is None:
            return None
        return self.memory / (hashlib.sha256(f"{self.base_url}{target}".encode()).hexdigest() + ".json")

    def _ask(self, target: str) -> tuple[bytes, Any]:
        request = urllib.request.Request(
            self.base_url + target, headers={"x-api-key": self.api_key, "accept": "application/json"}, method="GET"
        )
        reason, status, wait = "", None, 0.5
        for _ in range(self.tries):
            self._wait_for_turn()
            retry_after: str | None = None
            try:
                with urllib.request.urlopen(request, timeout=60) as response:
                    raw = response.read()
                return raw, json.loads(raw)
            except urllib.error.HTTPError as error:
                reason, status = f"status {error.code}", error.code
                error.close()
                if error.code != 429 and error.code < 500:
                    raise ReadError(f"GET {target}: {reason}", status) from None
                retry_after = error.headers.get("Retry-After")
            except (OSError, http.client.HTTPException) as error:
                reason, status = f"{type(error).__name__}: {error}", None
            except ValueError:
                reason, status = "the answer is not JSON", None
            delay = _seconds(retry_after)
            time.sleep(wait if delay is None else delay)
            wait *= 2
        raise ReadError(f"GET {target}: {reason}, after {self.tries} tries", status)

    def _wait_for_turn(self) -> None:
        self.sent += 1
        if self.rate > 0:
            now = time.monotonic()
            if now < self._next:
                time.sleep(self._next - now)
            self._next = max(now, self._next) + 1 / self.rate


def _seconds(retry_after: str | None) -> float | None:
    try:
        return min(float(retry_after), 120) if retry_after is not None else None
    except ValueError:
        return None
