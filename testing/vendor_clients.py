"""The vendor's clients, set up for a stand-in. A module apart, since it imports the package brainbase-labs."""

import asyncio
import contextlib
from typing import Any

from brainbase_labs import DefaultAsyncHttpxClient, DefaultHttpxClient


class PlainHttpClient(DefaultHttpxClient):
    """The vendor's HTTP client without a TLS context, which takes 20 ms to make and which `http://` does not need.

    Like the vendor's own it closes itself when it is garbage collected.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"verify": False} | options)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                self.close()


class PlainAsyncHttpClient(DefaultAsyncHttpxClient):
    """The same for the async client."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"verify": False} | options)

    def __del__(self) -> None:
        with contextlib.suppress(Exception):
            if not self.is_closed:
                asyncio.get_running_loop().create_task(self.aclose())
