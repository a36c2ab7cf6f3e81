"""The engine of a running world, and what is said there of code that cannot run."""

from __future__ import annotations

import threading

from dryline.engine.engine import Engine
from dryline.engine.errors import CodeRefused
from dryline.engine.remote_model import ModelJudge
from dryline.engine.web import fetcher
from dryline.storage.errors import Invalid
from dryline.world.world import World

_ENGINE = "engine"  # where a world remembers it
_making = threading.Lock()


def engine_of(world: World) -> Engine:
    """The world's engine: made when it is first asked for, ended with the world.

    It tells the world's time, reaches what webhooks may reach, and asks the model that the settings name.
    """
    with _making:
        if _ENGINE not in world.memory:
            settings = world.settings
            judge = None
            if settings.model_url and settings.model:
                judge = ModelJudge(settings.model_url, settings.model, settings.model_key)
            engine = Engine(judge=judge, fetch=fetcher(world.outgoing), now=world.clock.now)
            world.memory[_ENGINE] = world.endings.enter_context(engine)
        return world.memory[_ENGINE]


def demand_sound(world: World, code: str) -> None:
    """Raises Invalid for code that cannot run, with its line and column; Busy."""
    try:
        engine_of(world).demand_sound(code)
    except CodeRefused as refused:
        raise refusal(refused, "code") from None


def refusal(refused: CodeRefused, field: str) -> Invalid:
    """Why the code that the member holds, or leads to, cannot run."""
    fault = refused.findings[0]
    return Invalid(f"Line {fault.line}, column {fault.column}: {fault.sentence}", field)
