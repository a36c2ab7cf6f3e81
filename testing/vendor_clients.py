"""The vendor's clients, set up for a stand-in. A module apart, since it imports the package brainbase-labs."""

import asyncio
import contextlib
from typing import Any

import httpx
from brainbase_labs import DEFAULT_CONNECTION_LIMITS, DefaultAsyncHttpxClient, DefaultHttpxClient


def _transport_options(url: str) -> dict[str, Any]:
    """Return the options of a transport. One that is passed to a client keeps the client from using a proxy.

    A TLS context takes 20 ms to make, and `http://` does not need one.
    """
    return {"verify": url.startswith("https://"), "limits": DEFAULT_CONNECTION_LIMITS}


class DirectHttpClient(DefaultHttpxClient):
    """The vendor's HTTP client without a proxy. Like the vendor's own it closes itself when it is garbage collected."""

    def __init__(self, url: str, transport: httpx.BaseTransport | None = None) -> None:
        super().__init__(base_url=url, transport=transport or httpx.HTTPTransport(**_transport_options(url)))

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                self.close()


class DirectAsyncHttpClient(DefaultAsyncHttpxClient):
    """The same for the async client."""

    def __init__(self, url: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        super().__init__(base_url=url, transport=transport or httpx.AsyncHTTPTransport(**_transport_options(url)))

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                asyncio.get_running_loop().create_task(self.aclose())
