"""dryline: a local, stateful stand-in for a voice-agent workers REST API."""

from typing import Any

from dryline.version import find_version


def __getattr__(name: str) -> Any:
    """Return `__version__`, which in a checkout asks git (5 ms), so only at its first use."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    version = globals()["__version__"] = find_version()
    return version
