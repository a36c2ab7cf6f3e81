"""The pool of worker processes in which flows run, with their limits. It starts with the first flow."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pydantic_monty

from dryline.storage.errors import Busy

# Guards against endless loops, in seconds for which code executes. They are so long that no result of a flow depends on
# how fast the machine is: a conversation executes for some milliseconds.
STEP_S = 10.0  # between two host calls
CONVERSATION_S = 60.0  # in all turns
MEMORY_BYTES = 64 * 2**20
_RECURSION = 400
_LOST_S = 3 * STEP_S  # of real time, after which a worker that does not answer is killed
_WAIT_S = 30.0  # for a free worker
_PRINTED_S = 5.0  # what is printed between two host calls comes at once, up to 8 kB


class Sandbox:
    """The pool. `close` ends its processes, and can be called twice. A closed pool runs nothing."""

    def __init__(self, processes: int | None = None) -> None:
        self._processes = processes or max(4, os.cpu_count() or 1)
        self._lock = threading.Lock()
        self._pool: pydantic_monty.Monty | None = None
        self._closed = False

    @contextlib.contextmanager
    def worker(self, **options: Any) -> Iterator[pydantic_monty.MontySession]:
        """Check out a worker for the block. Raises Busy."""
        checkout = self._require_pool().checkout(
            limits={
                "max_turn_duration_secs": STEP_S,
                "max_feed_duration_secs": CONVERSATION_S,
                "max_memory": MEMORY_BYTES,
                "max_recursion_depth": _RECURSION,
                "max_suspensions": 1_000_000,  # host functions have a limit of their own, which names the line
            },
            os_policy={"datetime": "call_host", "sleep": "zero", **options.pop("os_policy", {})},
            external_modules={"zoneinfo": pydantic_monty.ExternalModule({"ZoneInfo": function_named("ZoneInfo")})},
            print_flush_interval=_PRINTED_S,
            **options,
        )
        with contextlib.ExitStack() as stack:
            try:
                session = stack.enter_context(checkout)
            except TimeoutError:
                raise Busy(f"No worker was free to run the flow within {_WAIT_S:g} s.") from None
            yield session

    def _require_pool(self) -> pydantic_monty.Monty:
        if self._pool is None:
            with self._lock:
                if self._closed:
                    raise Busy("The server is stopping, and runs no more flows.")
                if self._pool is None:
                    pool = pydantic_monty.Monty(
                        max_processes=self._processes, checkout_timeout=_WAIT_S, request_timeout=_LOST_S
                    )
                    self._pool = pool.__enter__()
        return self._pool

    def close(self) -> None:
        with self._lock:
            pool, self._pool, self._closed = self._pool, None, True
        if pool is not None:
            pool.__exit__(None, None, None)


def function_named(name: str) -> Callable[..., None]:
    """Return a function for the sandbox. Its calls come back as host calls of this name."""

    def function(*_args: Any, **_named: Any) -> None: ...

    function.__name__ = name
    return function
