"""The data file of the built-in model: a header in JSON, then the rows."""

from typing import Any

import orjson

from dryline.flow.model.encoder import DATA_FILE


def write(names: list[str], intents: list[str], rows: bytes, fitted: dict[str, Any]) -> None:
    """Write the data file."""
    header = orjson.dumps({"intents": intents, "fitted": fitted, "features": "\n".join(names)})
    DATA_FILE.write_bytes(len(header).to_bytes(4, "big") + header + rows)
