"""Helpers for other projects' tests: a stand-in as a context manager or as an httpx transport.

`pytest_plugin.py` has the fixtures for pytest. Importing this package needs only the standard library.
"""

from dryline.testing.conversations import NotTaken, Talk
from dryline.testing.plane import DrylineError
from dryline.testing.rows import Delivery, ExportRow, FaultRule, LoggedRequest, RuntimeValues
from dryline.testing.servers import DrylineInProcess, DrylineServer, async_transport, transport
from dryline.testing.stand_in import StandIn, Team, connect, wait_until

__all__ = [
    "Delivery",
    "DrylineError",
    "DrylineInProcess",
    "DrylineServer",
    "ExportRow",
    "FaultRule",
    "LoggedRequest",
    "NotTaken",
    "RuntimeValues",
    "StandIn",
    "Talk",
    "Team",
    "async_transport",
    "connect",
    "transport",
    "wait_until",
]
