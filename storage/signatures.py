"""Signatures for URLs and cursors, with the world's secret. What is signed for one use is not valid for another."""

import hmac
from collections.abc import Callable
from hashlib import sha256

from itsdangerous import URLSafeSerializer

from dryline.storage.current_world import current


def token_serializer(use: str) -> URLSafeSerializer:
    """Return a serializer that turns JSON values into signed text for URLs. Its `loads` raises itsdangerous.BadData."""
    return URLSafeSerializer(_signing_key(use), signer_kwargs={"key_derivation": "none"})


def text_signer(use: str) -> Callable[[str], str]:
    """Return a function from texts to their signatures, for URLs that contain the text anyway."""
    key = _signing_key(use)
    return lambda text: hmac.digest(key, text.encode(), "sha256").hex()


def is_signature(use: str, text: str, signature: str) -> bool:
    """Return whether a function of `text_signer` made this signature of the text."""
    return hmac.compare_digest(text_signer(use)(text).encode(), signature.encode())


def _signing_key(use: str) -> bytes:
    return sha256(f"{use} {current().secret}".encode()).digest()
