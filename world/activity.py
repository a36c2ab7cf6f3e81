"""The work that goes on in a world."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dryline.world.real_time import monotonic


@dataclass(eq=False, slots=True)
class Task:
    """Work that goes on. `began_at` is by `real_time.monotonic`."""

    name: str
    began_at: float


class Activity:
    """The requests of the control plane and the steps of background work that go on, for whoever waits for one."""

    def __init__(self) -> None:
        self._tasks: dict[Task, None] = {}

    @contextmanager
    def doing(self, name: str) -> Iterator[None]:
        """List work of this name for a block."""
        task = Task(name, monotonic())
        self._tasks[task] = None
        try:
            yield
        finally:
            del self._tasks[task]

    def oldest_first(self) -> list[tuple[str, float]]:
        """Return the names of the work that goes on, and for how many seconds it has."""
        now = monotonic()
        return [(task.name, now - task.began_at) for task in list(self._tasks)]
