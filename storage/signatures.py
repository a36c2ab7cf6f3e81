"""What this server has signed, and would know again."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from typing import Any

from itsdangerous import URLSafeSerializer
from itsdangerous.encoding import base64_encode

from dryline.storage.current_world import current


def signer(use: str) -> URLSafeSerializer:
    """Signs JSON values as text that may stand in an address; what was signed for one use is good for no other.

    Its `loads` raises itsdangerous.BadData.
    """
    return _signer(current().secret, use)


@lru_cache(maxsize=64)  # to make one takes 3 µs
def _signer(secret: str, use: str) -> URLSafeSerializer:
    return _Uncompressed(secret, salt=use, signer_kwargs={"digest_method": sha256})


class _Uncompressed(URLSafeSerializer):
    def dump_payload(self, obj: Any) -> bytes:
        """Without the try at compressing it, for which zlib clears a quarter of a megabyte: 13 µs of a page of logs."""
        return base64_encode(self.serializer.dumps(obj))
