"""The vendor's HTTP clients, which close themselves when they are garbage collected, like the vendor's own.

A module apart, since it imports the package brainbase-labs.
"""

import asyncio
import contextlib

from brainbase_labs import DefaultAsyncHttpxClient, DefaultHttpxClient


class DirectHttpClient(DefaultHttpxClient):
    """A client for requests without a proxy: `client()` passes the options."""

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            self.close()


class DirectAsyncHttpClient(DefaultAsyncHttpxClient):
    """The same for the async client."""

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                asyncio.get_running_loop().create_task(self.aclose())
