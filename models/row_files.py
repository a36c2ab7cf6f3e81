"""Files that belong to rows: at most one per row, served by signed URLs that expire."""

import re
from collections.abc import Callable, Collection
from hashlib import sha256
from pathlib import Path
from typing import Any

from itsdangerous import BadData, Signer

from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.storage.files import matching
from dryline.storage.signatures import text_signer, token_serializer

_SAFE_NAME = re.compile("[a-z0-9_-]{1,100}")


class RowFiles:
    """The files of one kind of row, in a folder of that name in the data directory."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @property
    def folder(self) -> Path:
        """The folder of the files; it may not exist yet."""
        return current().directory / self.kind

    def path(self, id: str, suffix: str = "") -> Path:
        """Return the path of a row's file, whether it exists or not.

        An imported id may be unfit for a file name; its digest replaces it.
        """
        name = id if _SAFE_NAME.fullmatch(id) else sha256(id.encode()).hexdigest()
        return self.folder / f"{name}{suffix}"

    def sign(self, use: str, id: str, until: str, **claims: str) -> str:
        """Return a token for one use of one row's file, valid until a moment of API time."""
        return token_serializer(f"{self.kind} {use}").dumps({**claims, "id": id, "until": until})

    def check(self, use: str, id: str, token: str) -> dict[str, Any]:
        """Return the claims of a token, `id` and `until` among them. Raises Forbidden if it is not valid for this."""
        try:
            claims: dict[str, Any] = token_serializer(f"{self.kind} {use}").loads(token)
        except BadData:
            claims = {"id": None}
        if claims["id"] != id:
            raise Forbidden("The link is not valid.")
        _require_unexpired(claims["until"])
        return claims

    def signer(self, use: str, until: str) -> Signer:
        """Return a signer of row ids, for URLs with the id and `until`: faster than `sign`."""
        return text_signer(f"{self.kind} {use} {until}")

    def check_signature(self, use: str, id: str, until: str, signature: str) -> None:
        """Raise Forbidden unless `signer` made the signature, and `until` is after now."""
        if not self.signer(use, until).verify_signature(id, signature):
            raise Forbidden("The link is not valid.")
        _require_unexpired(until)

    def sweep(self, owned_among: Callable[[set[str]], Collection[str]]) -> bool:
        """Remove the files without a row. Return whether there were any.

        `owned_among` returns those of the given file names that belong to rows. The first look takes no lock. The
        second one takes it: a row that writes its file holds it until the commit, so no file is ahead of its row then.
        """
        names = {path.name for path in matching(self.folder, "*")}
        if names <= set(owned_among(names)):
            return False
        with current().transaction():
            orphans = names - set(owned_among(names))
            for name in orphans:
                (self.folder / name).unlink(missing_ok=True)
        return bool(orphans)


def _require_unexpired(until: str) -> None:
    if until <= current().stamp():
        raise Forbidden("The link has expired.")
