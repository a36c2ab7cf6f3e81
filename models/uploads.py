"""Uploads: the bytes of file resources, put to a signed address before the resource is made.

They lie on local disk, one file an upload; the row says whose they are. Contract: getResourceUploadUrl.
"""

from __future__ import annotations

import re
from datetime import timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Self

from itsdangerous import BadSignature, URLSafeSerializer
from peewee import IntegerField, TextField

from dryline.models.workers import Worker
from dryline.world.clock import wire
from dryline.world.errors import Forbidden, NotFound
from dryline.world.files import write_whole
from dryline.world.record import Record
from dryline.world.world import World, current

# How long an address works, in API time. Assumed: the real one's life is not shown.
LIFE = timedelta(hours=1)

_ADDRESS = re.compile(r"/uploads/(upload_[^/?]+)/[^/?]+$")
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|yaml|x-yaml|csv|markdown|xhtml)")
_TEXT_LIMIT = 5_000_000  # characters of a file that are searched


class Upload(Record):
    """Bytes that were put to an upload address."""

    id_prefix = "upload"

    worker_id = TextField()
    file_name = TextField()
    mime_type = TextField()
    size = IntegerField()

    @property
    def path(self) -> Path:
        """Where the bytes lie."""
        return directory(current()) / self.id

    @classmethod
    def address(cls, worker: Worker, base: str, file_name: str, content_type: str) -> str:
        """An absolute address below `base` that takes the bytes once or more, for an hour."""
        id = current().ids.new(cls.id_prefix)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", file_name).strip(".") or "file"
        token = {"id": id, "worker": worker.id, "name": file_name, "type": content_type}
        return f"{base}/uploads/{id}/{name}?{_sign('put', token)}"

    @classmethod
    def receive(cls, id: str, signature: str, data: bytes) -> Self:
        """Keep the bytes; what was put there before is replaced. Raises Forbidden and NotFound (the worker is gone)."""
        token = _check("put", id, signature)
        worker = Worker.find(id=token["worker"])
        if worker is None:
            raise NotFound(f"Worker {token['worker']} not found.")
        upload = cls.find(id=id)
        if upload is None:
            values = {"file_name": token["name"], "mime_type": token["type"], "size": len(data)}
            upload = cls.add(worker, id=id, worker_id=worker.id, **values)
        else:
            upload.change(size=len(data))
        upload.path.parent.mkdir(exist_ok=True)
        write_whole(upload.path, data, durable=current().durable)
        return upload

    @classmethod
    def read(cls, id: str, signature: str) -> Self:
        """The upload behind a signed address for reading. Raises Forbidden and NotFound."""
        _check("get", id, signature)
        upload = cls.find(id=id)
        if upload is None or not upload.path.exists():
            raise NotFound(f"Upload {id} not found.")
        return upload

    @classmethod
    def at(cls, worker_id: str, address: str | None) -> Self | None:
        """What the worker was sent at this address, without its query; None for another host's, and before the PUT."""
        id = own_id(address)
        return cls.find(id=id, worker_id=worker_id) if id else None

    def text(self, mime_type: str) -> str | None:
        """The words of a textual file, of HTML those that a reader sees; None for other types and without the bytes."""
        if not _TEXTUAL.match(mime_type.lower()) or not self.path.exists():
            return None
        data = self.path.read_bytes()
        text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig", errors="replace")
        if "html" in mime_type.lower():
            page = _Page()
            page.feed(text)
            page.close()
            text = " ".join(page.words)
        return text[:_TEXT_LIMIT].replace("\0", " ")


class _Page(HTMLParser):
    """Collects a page's visible text."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self._hidden += tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("script", "style") and self._hidden > 0

    def handle_data(self, data: str) -> None:
        if not self._hidden and data.strip():
            self.words.append(data.strip())


def own_id(address: str | None) -> str | None:
    """The upload's id in an address of ours; None for any other address."""
    found = _ADDRESS.search(address or "")
    return found[1] if found else None


def reading_address(address: str | None) -> str | None:
    """An address of ours with a signature to read what was put there, for an hour from now; None for any other."""
    id = own_id(address)
    return f"{address}?{_sign('get', {'id': id})}" if id else None


def directory(world: World) -> Path:
    """Where the bytes lie."""
    return world.directory / "uploads"


def sweep(world: World) -> bool:
    """Remove the files whose rows are gone (with their resource, worker or team). Says whether there were any."""
    try:
        names = {path.name for path in directory(world).iterdir()}
    except FileNotFoundError:
        return False
    if not names:
        return False
    with world.transaction():  # a writer in between would have its new file swept
        kept = {id for (id,) in world.db.execute_sql("SELECT id FROM upload")}
        for name in names - kept:
            (directory(world) / name).unlink(missing_ok=True)
    return bool(names - kept)


def _signer(verb: str) -> URLSafeSerializer:
    return URLSafeSerializer(current().secret, salt=f"upload-{verb}")


def _sign(verb: str, token: dict[str, Any]) -> str:
    token["until"] = wire(current().clock.now() + LIFE)
    return f"signature={_signer(verb).dumps(token)}"


def _check(verb: str, id: str, signature: str) -> dict[str, Any]:
    try:
        token = _signer(verb).loads(signature)
    except BadSignature:
        raise Forbidden("The address's signature is not valid.") from None
    if token["id"] != id:
        raise Forbidden("The address's signature is not valid.")
    if token["until"] < current().clock.stamp():
        raise Forbidden("The address has expired.")
    return token
