"""The data file of the built-in model: a header in JSON, the rows of the features, the columns of the intents."""

from typing import Any

import numpy as np
import orjson

from dryline.flow.model.encoder import DATA_FILE

MOST_CODE = 7  # rows have codes from -7 to 7


def write(names: list[str], rows: np.ndarray, intents: dict[str, np.ndarray], fitted: dict[str, Any]) -> None:
    """Write the data file. `intents` have their vectors, one a row."""
    vectors = np.vstack(list(intents.values()))
    scale = float(np.abs(vectors).max()) / 127
    columns = (np.rint(vectors.T / scale) + 128).astype(np.uint8).tobytes()
    counts = [len(each) for each in intents.values()]
    header = {"intents": list(intents), "vectors": counts, "intent_scale": scale, "fitted": fitted}
    header["features"] = "\n".join(names)
    content = orjson.dumps(header)
    DATA_FILE.write_bytes(len(content).to_bytes(4, "big") + content + _packed(rows) + columns)


def write_fitted(fitted: dict[str, Any]) -> None:
    """Write the fitted weights into the data file that exists."""
    content = DATA_FILE.read_bytes()
    end = 4 + int.from_bytes(content[:4], "big")
    header = orjson.dumps({**orjson.loads(content[4:end]), "fitted": fitted})
    DATA_FILE.write_bytes(len(header).to_bytes(4, "big") + header + content[end:])


def _packed(rows: np.ndarray) -> bytes:
    """Return rows as one byte of scale, in eighths of a power of two, and four bits for each dimension."""
    scale = np.ceil(8 * np.log2(np.abs(rows).max(1) / MOST_CODE + 1e-12)).clip(-128, 127)
    codes = np.rint(rows / 2 ** (scale / 8)[:, None]).astype(int) + 8
    nibbles = (codes[:, ::2] << 4 | codes[:, 1::2]).astype(np.uint8)
    return np.hstack([(scale + 128).astype(np.uint8)[:, None], nibbles]).tobytes()
