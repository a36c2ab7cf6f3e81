"""Makes believable calls and chats.

    prepare_calls(world, line, count), prepare_chats  plan them; `portions` runs the flow, and `write` writes
    make_call(line, rng, plan, start)                one call as rows, for `store([call, ...])`

`write` and `store` need a running transaction.
"""

from dryline.simulator.calls import make_call, prepare_calls, store
from dryline.simulator.chats import prepare_chats
from dryline.simulator.deployment_context import DeploymentContext, line_of

__all__ = [
    "DeploymentContext",
    "line_of",
    "make_call",
    "prepare_calls",
    "prepare_chats",
    "store",
]
