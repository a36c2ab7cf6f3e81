"""Paths and methods that several modules tell apart."""

# The control plane's prefix. Pages of other origins cannot reach it.
PLANE = "/_dryline"
# The health check, which is open to everyone under any host name: scripts and containers wait for it.
HEALTH = f"{PLANE}/health"
# Prefixes of paths that no fault hits and that are not in the request log: the control plane, the documentation, and
# what a browser requests beside that.
UNRECORDED = (PLANE, "/docs", "/openapi.json", "/llms.txt", "/favicon.ico")
# The prefix of the console's pages.
CONSOLE = "/console"
# Prefixes of the files behind signed links, which pages of the console load, too.
SIGNED_FILES = ("/recordings/", "/downloads/")
# The methods that change nothing.
READS = {"GET", "HEAD", "OPTIONS"}


def is_below(prefix: str, path: str) -> bool:
    """Return whether a path is the prefix or lies below it."""
    return path.startswith(prefix) and (path == prefix or path[len(prefix)] == "/")


def is_unrecorded(path: str) -> bool:
    """Return whether requests for a path are not in the request log, and not hit by faults."""
    return path == "/" or (path.startswith(UNRECORDED) and any(is_below(prefix, path) for prefix in UNRECORDED))
