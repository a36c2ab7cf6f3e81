"""Names on the wire, and numbers in sentences. `dryline.testing` imports this module: standard library only."""


def camel(name: str) -> str:
    """Return a name in camelCase: `flow_id` -> `flowId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def count(number: int, noun: str = "") -> str:
    """Format 12345 as `12,345`; with the noun `row` as `12,345 rows`, and 1 as `1 row`."""
    return f"{number:,}" if not noun else f"{number:,} {noun}{'' if number == 1 else 's'}"
