"""The work that goes on in a world."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from dryline.world.real_time import monotonic


@dataclass(eq=False, slots=True)
class OngoingWork:
    """Work that goes on. `began_at` is by `real_time.monotonic`."""

    name: str
    began_at: float


class Activity:
    """The requests of the control plane and the steps of background work that go on, for whoever waits for one."""

    def __init__(self) -> None:
        self._ongoing: dict[OngoingWork, None] = {}

    @contextmanager
    def doing(self, name: str) -> Iterator[None]:
        """List work of this name for a block."""
        work = OngoingWork(name, monotonic())
        self._ongoing[work] = None
        try:
            yield
        finally:
            del self._ongoing[work]

    def oldest_first(self) -> list[tuple[str, float]]:
        """Return the names of the work that goes on, and for how many seconds it has."""
        now = monotonic()
        return [(work.name, now - work.began_at) for work in list(self._ongoing)]
