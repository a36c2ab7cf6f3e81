"""Names on the wire. It knows the standard library alone, as what other projects' tests import must."""

from __future__ import annotations


def camel(name: str) -> str:
    """`flow_id` -> `flowId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
