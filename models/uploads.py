"""Uploads: the bytes of file resources, sent to a signed address before the resource is created.

Each upload is a file in the data directory and a row. Contract: getResourceUploadUrl.
"""

import re
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Self

from peewee import IntegerField, TextField

from dryline.models.row_files import RowFiles
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden, NotFound
from dryline.storage.files import read, write_whole
from dryline.storage.record import Record, tuples
from dryline.world.clock import wire

FILES = RowFiles("uploads")

# How long an address is valid, in API time. Assumed.
LIFE = timedelta(hours=1)

_ADDRESS = re.compile(r"/uploads/(upload_[^/?]+)/[^/?]+$")
_TEXTUAL = re.compile(r"text/|application/(.*\+)?(json|xml|yaml|x-yaml|csv|markdown|xhtml)")
_TEXT_LIMIT = 5_000_000  # characters of a file that are searched
_ENTITY = re.compile(r"&#?\w{1,31};")  # `unescape` fails for longer numbers
# Scripts, styles, comments and tags. One that is not closed extends to the end of the page, so that each character is
# read once; html.parser takes quadratic time for broken markup.
_MARKUP = re.compile(
    r"<(script|style)\b.*?(</\1\b[^>]*(>|\Z)|\Z)|<!--.*?(-->|\Z)|</?[a-z][^>]*(>|\Z)|<[!?][^>]*(>|\Z)", re.I | re.S
)


class Upload(Record):
    """Bytes that were sent to an upload address."""

    id_prefix = "upload"

    worker_id = TextField()
    file_name = TextField()
    mime_type = TextField()
    size = IntegerField()

    @property
    def path(self) -> Path:
        """The file with the bytes."""
        return FILES.path(self.id)

    @classmethod
    def new_address(cls, worker: Worker, base: str, file_name: str, content_type: str) -> str:
        """Return an absolute address below `base` that accepts the bytes, once or more, for an hour."""
        id = current().ids.new(cls.id_prefix)
        name = re.sub(r"[^A-Za-z0-9._-]", "_", file_name).strip(".") or "file"
        about = {"worker": worker.id, "name": file_name, "type": content_type}
        signature = FILES.sign("put", id, _expiry(), **about)
        return f"{base}/uploads/{id}/{name}?signature={signature}"

    @classmethod
    def receive(cls, id: str, signature: str, data: bytes) -> Self:
        """Store the bytes in place of earlier ones. Raises Forbidden, and NotFound if the worker was deleted."""
        signed = FILES.check("put", id, signature)
        worker = Worker.by_id(signed["worker"])
        upload = cls.find(id=id)
        if upload is not None and upload.worker_id != worker.id:  # with a seed, ids repeat after a reset
            raise Forbidden("The link is not valid.")
        if upload is None:
            values = {"file_name": signed["name"], "mime_type": signed["type"], "size": len(data)}
            upload = cls.add(worker, id=id, worker_id=worker.id, **values)
        else:
            upload.change(size=len(data))
        FILES.folder.mkdir(exist_ok=True)
        write_whole(upload.path, data)
        return upload

    @classmethod
    def from_link(cls, id: str, signature: str) -> Self:
        """Return the upload of a signed address for reading. Raises Forbidden and NotFound."""
        upload = cls.find(id=id)
        FILES.check("get", id, signature)
        if upload is None or not upload.path.exists():
            raise NotFound(f"Upload {id} not found.")
        return upload

    @classmethod
    def find_by_url(cls, worker_id: str, address: str | None) -> Self | None:
        """Return the worker's upload with this address, or None for another server's and before the PUT."""
        id = upload_id_in(address)
        return cls.find(id=id, worker_id=worker_id) if id else None

    def reading_address(self, address: str, base: str | None) -> str:
        """Return the upload's address below `base`, signed for reading within an hour. Without one it stays.

        The server may have had another address when the bytes came: another port, or a path of another application.
        """
        if base is not None:
            address = base + address[address.rindex("/uploads/") :]
        return f"{address}?signature={FILES.sign('get', self.id, _expiry())}"

    def text(self, mime_type: str) -> str | None:
        """Return the text of a textual file, of HTML the visible text. None for other types, and without the file."""
        if not _TEXTUAL.match(mime_type.lower()) or not self.path.exists():
            return None
        data = read(self.path)
        has_utf16_mark = data[:2] in (b"\xff\xfe", b"\xfe\xff")
        encoding = "utf-16" if has_utf16_mark else "utf-8-sig"
        text = data.decode(encoding, errors="replace")
        text = text[:_TEXT_LIMIT].replace("\0", " ")
        return _visible_text(text) if "html" in mime_type.lower() else text


def _visible_text(page: str) -> str:
    """Return the visible text of an HTML page."""
    words = " ".join(_MARKUP.sub(" ", page).split())
    return _ENTITY.sub(lambda match: unescape(match[0]), words)


def upload_id_in(address: str | None) -> str | None:
    """Return the upload's id in an address of this server, or None for any other address."""
    match = _ADDRESS.search(address or "")
    return match[1] if match else None


def sweep() -> bool:
    """Delete files without a row, and return whether there were any."""
    return FILES.sweep(lambda names: [FILES.path(id).name for (id,) in tuples(Upload.select(Upload.id))])


def _expiry() -> str:
    """Return the time until which an address that is signed now is valid."""
    return wire(current().now() + LIFE)
