"""The process that owns what it has started."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def ended_by_owner(end: Callable[[], object]) -> Iterator[None]:
    """Call `end` after a block, but not in a child that was forked within the block.

    A child has a copy of the parent's objects and none of its threads. When it ends, it leaves all blocks that were
    open as it was forked, generators included: the files belong to the parent, and a lock may be held by a thread that
    the child does not have.
    """
    owner = os.getpid()
    try:
        yield
    finally:
        if os.getpid() == owner:
            end()
