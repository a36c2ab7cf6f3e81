"""Real time for delays, deadlines and durations, in tests whose time functions are patched, too."""

import time


def monotonic() -> float:
    """Return the seconds of a clock that never goes back.

    freezegun replaces `time.monotonic` and `time.perf_counter` in the whole process. No tool replaces this clock.
    """
    return time.clock_gettime(time.CLOCK_MONOTONIC)
