"""Makes believable calls and chats.

    simulate_calls(world, voice_deployment, count)   writes calls, returns their log ids
    simulate_chats(world, chat_deployment, count)    likewise for chat and chat widget
    make_call(line_of(deployment), rng, starts=...)  one call as rows, for `store([call, ...])`

All write in the running transaction.
"""

from dryline.simulator.calls import Call, make_call, simulate_calls, store
from dryline.simulator.chats import simulate_chats
from dryline.simulator.lines import Line, line_of

__all__ = ["Call", "Line", "line_of", "make_call", "simulate_calls", "simulate_chats", "store"]
