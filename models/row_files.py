"""Files that belong to rows: one a row, whole or not there, handed out by signed links that end."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from itsdangerous import BadData

from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.storage.files import write_whole
from dryline.storage.seals import sealer
from dryline.storage.signatures import signer
from dryline.world.clock import work_for

_PLAIN = re.compile("[a-z0-9_-]{1,100}")


class RowFiles:
    """The files of one kind of row, in a folder of that name in the data directory."""

    def __init__(self, kind: str) -> None:
        self.kind = kind

    @property
    def folder(self) -> Path:
        """Where they lie."""
        return current().directory / self.kind

    def path(self, id: str, suffix: str = "") -> Path:
        """Where a row's file lies, or would. An imported id may be no file name: its digest stands in."""
        name = id if _PLAIN.fullmatch(id) else sha256(id.encode()).hexdigest()
        return self.folder / f"{name}{suffix}"

    def write(self, path: Path, content: bytes) -> None:
        """Let `content` be the file at `path`, whole or not at all. Raises OSError."""
        self.folder.mkdir(exist_ok=True)
        write_whole(path, content, durable=current().durable)

    def sign(self, use: str, id: str, until: str, **about: str) -> str:
        """What an address carries that is good for one use of one row's file, until a moment of API time."""
        return signer(f"{self.kind} {use}").dumps({**about, "id": id, "until": until})

    def check(self, use: str, id: str, signature: str) -> dict[str, Any]:
        """What was signed: `id`, `until` and what else it was about. Raises Forbidden unless it is good for this."""
        try:
            signed: dict[str, Any] = signer(f"{self.kind} {use}").loads(signature)
        except BadData:
            signed = {"id": None}
        if signed["id"] != id:
            raise Forbidden("The link is not valid.")
        if "team" in signed:
            work_for(signed["team"])
        _demand_not_over(signed["until"])
        return signed

    def sealer(self, use: str, until: str, secret: str) -> Callable[[Iterable[str]], list[str]]:
        """As `sign`, about nothing else, for lists: what gives ids their seals. Addresses say `until` themselves.

        `secret` is the current world's.
        """
        return sealer(self.kind, use, until, secret)

    def demand_seal(self, use: str, id: str, until: str, seal: str) -> None:
        """Raises Forbidden unless what was sealed is good for this."""
        (good,) = self.sealer(use, until, current().secret)([id])
        if not hmac.compare_digest(good.encode(), seal.encode()):
            raise Forbidden("The link is not valid.")
        _demand_not_over(until)

    def sweep(self, owned: Callable[[set[str]], Collection[str]]) -> bool:
        """Remove the files that no row owns; `owned` tells which of these names are. Says whether there were any.

        They are looked for without a lock. Rows that write their files hold it until they are committed, so that under
        it no file is ahead of its row.
        """
        try:
            names = {path.name for path in self.folder.iterdir()}
        except FileNotFoundError:
            return False
        if names <= set(owned(names)):
            return False
        with current().transaction():
            strays = names - set(owned(names))
            for name in strays:
                (self.folder / name).unlink(missing_ok=True)
        return bool(strays)


def _demand_not_over(until: str) -> None:
    if until <= current().clock.stamp():
        raise Forbidden("The link has expired.")
