"""Names on the wire, and numbers in sentences. `dryline.testing` imports this module: standard library only."""

from collections.abc import Sequence


def camel(name: str) -> str:
    """Return a name in camelCase: `flow_id` -> `flowId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def count(number: int, noun: str = "") -> str:
    """Format 12345 as `12,345`; with the noun `row` as `12,345 rows`, and 1 as `1 row`."""
    if not noun:
        return f"{number:,}"
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def join_names(names: Sequence[str], longest: int = 3) -> str:
    """Join names as `Day, Night and Noon`; of more than `longest` the rest as a number: `Day, Night and 3 more`."""
    parts = list(names)
    if len(parts) > longest:
        parts = [*parts[: longest - 1], f"{len(parts) - longest + 1:,} more"]
    return " and ".join(filter(None, [", ".join(parts[:-1]), *parts[-1:]]))
