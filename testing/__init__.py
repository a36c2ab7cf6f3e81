"""Helpers for other projects' tests: a stand-in as a context manager or as an httpx transport.

`pytest_plugin.py` has the fixtures for pytest. Importing this package needs only the standard library.
"""

from typing import TYPE_CHECKING, Any

from dryline.testing.conversations import Answers, CallOptions, ChatOptions, HttpStub, NotTaken, Outcome, Talk
from dryline.testing.plane import DrylineError, NoReply
from dryline.testing.rows import Delivery, ExportRow, FaultRule, LoggedRequest, RuntimeValues
from dryline.testing.servers import DrylineInProcess, DrylineServer, async_transport, transport
from dryline.testing.stand_in import StandIn, Team, connect, wait_until
from dryline.testing.traffic import Criteria, DelayDistribution, LogCriteria, RateLimit
from dryline.testing.webhooks import WebhookCriteria
from dryline.world.origins import Origin

if TYPE_CHECKING:
    from dryline.testing.transports import Transport

__all__ = [
    "Answers",
    "CallOptions",
    "ChatOptions",
    "Criteria",
    "DelayDistribution",
    "Delivery",
    "DrylineError",
    "DrylineInProcess",
    "DrylineServer",
    "ExportRow",
    "FaultRule",
    "HttpStub",
    "LogCriteria",
    "LoggedRequest",
    "NoReply",
    "NotTaken",
    "Origin",
    "Outcome",
    "RateLimit",
    "RuntimeValues",
    "StandIn",
    "Talk",
    "Team",
    "Transport",
    "WebhookCriteria",
    "async_transport",
    "connect",
    "transport",
    "wait_until",
]


def __getattr__(name: str) -> Any:
    """Import what needs a package besides the standard library when it is first used."""
    if name == "Transport":
        from dryline.testing.transports import Transport  # noqa: PLC0415  # an optional package

        return Transport
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
