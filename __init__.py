"""dryline: a local, stateful stand-in for a voice-agent workers REST API."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Return `__version__`, which in a checkout asks git (5 ms), so only at its first use."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from dryline.version import find_version  # noqa: PLC0415  # 25 ms with the others of pytest_plugin

    version = globals()["__version__"] = find_version()
    return version
