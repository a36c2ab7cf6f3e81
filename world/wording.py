"""Names on the wire. `dryline.testing` imports this module, so it imports the standard library only."""


def camel(name: str) -> str:
    """Return a name in camelCase: `flow_id` -> `flowId`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
