"""Signatures for URLs and cursors, with the world's secret. What is signed for one use is not valid for another."""

from hashlib import sha256

from itsdangerous import Signer, URLSafeSerializer

from dryline.storage.current_world import current


def token_serializer(use: str) -> URLSafeSerializer:
    """Return a serializer that turns JSON values into signed text for URLs. Its `loads` raises itsdangerous.BadData."""
    return URLSafeSerializer(_signing_key(use), signer_kwargs={"key_derivation": "none"})


def text_signer(use: str) -> Signer:
    """Return a signer of texts, for URLs that contain the text anyway."""
    return Signer(_signing_key(use), key_derivation="none", digest_method=sha256)


def _signing_key(use: str) -> bytes:
    return sha256(f"{use} {current().secret}".encode()).digest()
