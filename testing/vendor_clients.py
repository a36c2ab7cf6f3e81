"""The vendor's HTTP clients, set up for a stand-in. A module apart, since it imports the package brainbase-labs."""

import asyncio
import contextlib
from typing import Any

from brainbase_labs import DefaultAsyncHttpxClient, DefaultHttpxClient


def _direct(url: str) -> dict[str, Any]:
    """Return options for no proxy, and for no TLS context, which takes 20 ms to make, where none is needed."""
    return {"base_url": url, "trust_env": False, "verify": url.startswith("https://")}


class DirectHttpClient(DefaultHttpxClient):
    """The vendor's HTTP client without a proxy. Like the vendor's own it closes itself when it is garbage collected."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(**_direct(url), **options)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                self.close()


class DirectAsyncHttpClient(DefaultAsyncHttpxClient):
    """The same for the async client."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__(**_direct(url), **options)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                asyncio.get_running_loop().create_task(self.aclose())
