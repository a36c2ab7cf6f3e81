"""A thread pool that starts its threads on demand and lets idle ones end."""

import logging
import threading
from collections import deque
from collections.abc import Callable

from dryline.traffic.real_time import monotonic

# How long a thread waits for work before it ends, in seconds.
IDLE_S = 10.0

Work = Callable[[], object]

log = logging.getLogger("dryline")


class ThreadPool:
    """A pool of at most `max_threads` daemon threads, which run queued work in order.

    `concurrent.futures` would keep its threads for good and wait for all of them when the process exits.
    """

    def __init__(self, name: str, max_threads: float) -> None:
        self._name = name
        self._max_threads = max_threads
        # Guards everything below, and is notified when there is work or the pool ends.
        self._changed = threading.Condition()
        self._queue: deque[Work] = deque()
        self._threads: set[threading.Thread] = set()
        # The number of threads without work, including those that have just been started. Each of them looks at the
        # queue before it ends.
        self._idle = 0
        self._is_ending = False

    def add(self, work: Work) -> None:
        """Queue work for the next idle thread, and start a thread if there are too few. Once the pool ends, drop it."""
        with self._changed:
            if self._is_ending:
                return
            self._queue.append(work)
            self._changed.notify()
            self._start_threads()

    def start_missing_threads(self) -> None:
        """Start the threads that `add` could not start. The work that waits for them is still queued."""
        if self._queue:
            with self._changed:
                self._start_threads()

    def end(self, deadline: float) -> None:
        """Drop queued work, let the threads end, and wait for them until `deadline` (of `real_time.monotonic`)."""
        with self._changed:
            self._is_ending = True
            self._queue.clear()
            self._changed.notify_all()
            threads = list(self._threads)
        for thread in threads:
            thread.join(max(0.0, deadline - monotonic()))

    def _start_threads(self) -> None:
        while self._idle < len(self._queue) and len(self._threads) < self._max_threads:
            thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            try:
                thread.start()
            except RuntimeError as error:  # a limit of the system, such as a container's number of processes
                log.warning("A thread cannot be started (%s). Requests that wait: %d.", error, len(self._queue))
                return
            self._threads.add(thread)
            self._idle += 1

    def _run(self) -> None:
        while work := self._next_work():
            try:
                work()
            except BaseException:
                log.exception("A request failed outside of the application.")
            with self._changed:
                self._idle += 1

    def _next_work(self) -> Work | None:
        """Wait for work. Return None after IDLE_S or when the pool ends: the thread has left the pool then.

        The look at the queue and the leaving are one step under the lock, so `add` never counts on a thread that ends.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._queue or self._is_ending, IDLE_S)
            self._idle -= 1
            if self._queue:
                return self._queue.popleft()
            self._threads.discard(threading.current_thread())
            return None
