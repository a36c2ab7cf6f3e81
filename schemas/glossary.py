"""Descriptions of fields and parameters that many records have, by their name on the wire.

A field with another meaning in its record has its own description in its metadata.
"""

from pathlib import Path

import orjson

_GROUPS = orjson.loads(Path(__file__).with_name("glossary.json").read_bytes())
MEMBERS: dict[str, str] = {name: text for group in _GROUPS.values() for name, text in group.items()}
