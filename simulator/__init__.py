"""Makes believable calls and chats.

    simulate_calls(world, voice_deployment, count)   writes calls, returns their log ids
    simulate_chats(world, chat_deployment, count)    likewise for chat and chat widget
    prepare_calls(world, line, count), prepare_chats settle them, and run the flow; their `write` writes
    make_call(line_of(deployment), rng, starts=...)  one call as rows, for `store([call, ...])`

All write in the running transaction.
"""

from dryline.simulator.calls import make_call, prepare_calls, simulate_calls, store
from dryline.simulator.chats import prepare_chats, simulate_chats
from dryline.simulator.deployment_context import DeploymentContext, line_of

__all__ = [
    "DeploymentContext",
    "line_of",
    "make_call",
    "prepare_calls",
    "prepare_chats",
    "simulate_calls",
    "simulate_chats",
    "store",
]
