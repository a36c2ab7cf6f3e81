"""Uploads: the bytes of file resources, put to a signed address before the resource is made.

They lie on local disk, one file an upload; the row says whose they are. Contract: getResourceUploadUrl.
"""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Self

from peewee import IntegerField, TextField

from dryline.models.row_files import RowFiles
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import Record, connection
from dryline.world.clock import wire, work_for

FILES = RowFiles("uploads")

# How long an address works, in API time. Assumed: the real one's life is not shown.
LIFE = timedelta(hours=1)

_ADDRESS = re.compile(r"/uploads/(upload_[^/?]+)/[^/?]+$")
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|yaml|x-yaml|csv|markdown|xhtml)")
_TEXT_LIMIT = 5_000_000  # characters of a file that are searched
_TAG = re.compile(r"</?[a-z]|<[!?]", re.I)
_HIDDEN = re.compile(r"<(script|style)\b", re.I)
_HIDDEN_END = {tag: re.compile(rf"</{tag}\b", re.I) for tag in ("script", "style")}
_ENTITY = re.compile(r"&#?\w{1,31};")


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
        return FILES.path(self.id)

    @classmethod
    def address(cls, worker: Worker, base: str, file_name: str, content_type: str) -> str:
        """An absolute address below `base` that takes the bytes once or more, for an hour."""
        id = current().ids.new(cls.id_prefix)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", file_name).strip(".") or "file"
        about = {"worker": worker.id, "team": worker.team_id, "name": file_name, "type": content_type}
        signature = FILES.sign("put", id, _in_an_hour(), **about)
        return f"{base}/uploads/{id}/{name}?signature={signature}"

    @classmethod
    def receive(cls, id: str, signature: str, data: bytes) -> Self:
        """Keep the bytes; what was put there before is replaced. Raises Forbidden and NotFound (the worker is gone)."""
        signed = FILES.check("put", id, signature)
        worker = Worker.by_id(signed["worker"])
        upload = cls.find(id=id)
        if upload is None:
            values = {"file_name": signed["name"], "mime_type": signed["type"], "size": len(data)}
            upload = cls.add(worker, id=id, worker_id=worker.id, **values)
        else:
            upload.change(size=len(data))
        FILES.write(upload.path, data)
        return upload

    @classmethod
    def read(cls, id: str, signature: str) -> Self:
        """The upload behind a signed address for reading. Raises Forbidden and NotFound."""
        upload = cls.find(id=id)
        work_for(upload.team_id if upload else None)
        FILES.check("get", id, signature)
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
        text = text[:_TEXT_LIMIT].replace("\0", " ")
        return _visible(text) if "html" in mime_type.lower() else text


def _visible(page: str) -> str:
    """What a reader of an HTML page sees.

    Not html.parser, whose time grows with the square of broken markup: here what is not closed reaches to the end, so
    that no character is looked at twice.
    """
    seen, at = [], 0
    while (start := page.find("<", at)) >= 0:
        seen.append(page[at:start])
        at = _end_of_markup(page, start)
    seen.append(page[at:])
    words = " ".join(seen).split()
    return _ENTITY.sub(lambda match: unescape(match[0]), " ".join(words))


def _end_of_markup(page: str, start: int) -> int:
    """Where the tag or comment that begins at `start` ends; a script or style with all that it holds."""
    if page.startswith("<!--", start):
        return _behind(page, "-->", start)
    hidden = _HIDDEN.match(page, start)
    if hidden:
        end = _HIDDEN_END[hidden[1].lower()].search(page, start)
        return _behind(page, ">", end.end()) if end else len(page)
    return _behind(page, ">", start) if _TAG.match(page, start) else start + 1


def _behind(page: str, mark: str, start: int) -> int:
    at = page.find(mark, start)
    return at + len(mark) if at >= 0 else len(page)


def own_id(address: str | None) -> str | None:
    """The upload's id in an address of ours; None for any other address."""
    match = _ADDRESS.search(address or "")
    return match[1] if match else None


def reading_address(address: str | None) -> str | None:
    """An address of ours with a signature to read what was put there, for an hour from now; None for any other."""
    id = own_id(address)
    if address is None or id is None:
        return None
    if base := current().settings.public_url:  # it may have come from another server with its team
        address = base + address[address.rindex("/uploads/") :]
    return f"{address}?signature={FILES.sign('get', id, _in_an_hour())}"


def sweep() -> bool:
    """Remove the files whose rows are gone (with their resource, worker or team). Says whether there were any."""
    return FILES.sweep(_owned)


def _owned(names: set[str]) -> list[str]:
    return [FILES.path(id).name for (id,) in connection().execute("SELECT id FROM upload")]


def _in_an_hour() -> str:
    return wire(current().clock.now() + LIFE)
