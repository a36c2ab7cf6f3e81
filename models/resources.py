"""Resources: links and files that a worker may look things up in."""

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Self

from peewee import IntegerField, TextField

from dryline.models.collection import WORKER, ImportContext, Row, StateCollection
from dryline.models.due import due_rows
from dryline.models.folders import Folder
from dryline.models.plain_sql import index_text
from dryline.models.uploads import Upload, upload_id_in
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.passages import passages_of
from dryline.storage.record import JsonField, Record, constant
from dryline.world.clock import parse, wire

# How long after its creation a resource is PROCESSING, and done. Assumed.
PROCESSING_AFTER = timedelta(seconds=1)
DONE_AFTER = timedelta(seconds=3)
LINKS = ("WEBPAGE", "SITEMAP")


class Resource(Record):
    """A link or a file. STARTED -> PROCESSING -> AVAILABLE, or FAILED with `processing_error`.

    A trigger adds a row of `resource_text` for each, which the search reads (models/resource_search.py).
    """

    id_prefix = "resource"

    worker_id = TextField()
    folder_id = TextField(null=True)
    name = TextField()
    rag_type = TextField()
    status = TextField(null=True, default="STARTED")
    key = TextField(null=True)
    raw_link = TextField(null=True)
    update_frequency = TextField(null=True)
    file_name = TextField(null=True)
    mime_type = TextField(null=True)
    size = IntegerField(null=True)
    s3_file_path = TextField(null=True)
    signed_s3_file_path = TextField(null=True)
    base_url: str | None = None  # of the server, for the address of the file; not stored
    image_s3_file_path = TextField(null=True)
    num_scrolls = IntegerField(null=True)
    graph_status = JsonField(null=True)
    processing_error = TextField(null=True)
    last_updated = TextField(null=True)
    uploaded_at = TextField(null=True)

    @classmethod
    def of_types(cls, worker: Worker, *types: str, **where: Any) -> list[Self]:
        """Return the worker's resources of these `rag_type`s (of all when none is named), newest first."""
        resources = cls.listing(worker, worker_id=worker.id, **where)
        if not types:
            return list(resources)
        return [resource for resource in resources if resource.rag_type in types]

    @classmethod
    def create_link(cls, worker: Worker, *, raw_link: str, folder_id: str | None = None, **values: Any) -> Self:
        """Create a new link. Raises NotFound for an unknown folder. Contract: createLinkResource."""
        kind = "SITEMAP" if raw_link.endswith("sitemap.xml") else "WEBPAGE"
        return cls._create(worker, folder_id, rag_type=kind, raw_link=raw_link, **values)

    @classmethod
    def create_file(cls, worker: Worker, *, folder_id: str | None = None, **values: Any) -> Self:
        """Create a file whose bytes were uploaded before. Contract: createFileResource."""
        return cls._create(worker, folder_id, rag_type="FILE", uploaded_at=current().stamp(), **values)

    @classmethod
    def _create(cls, worker: Worker, folder_id: str | None, **values: Any) -> Self:
        if folder_id is not None:
            worker.child(Folder, folder_id, field="folder_id")
        now = current().stamp()
        return cls.add(worker, worker_id=worker.id, folder_id=folder_id, last_updated=now, **values)

    def move(self, folder_id: str | None) -> Self:
        """Move the resource into a folder of the worker, or out of any. Raises NotFound. Contract: moveResource."""
        if folder_id is not None:
            Folder.fetch(self, folder_id, field="folder_id", worker_id=self.worker_id)
        return self.change(folder_id=folder_id, last_updated=current().stamp())

    def remove(self) -> None:
        """Delete the resource, and its bytes when no other resource of the worker has them."""
        super().remove()
        if self.s3_file_path and Resource.find(worker_id=self.worker_id, s3_file_path=self.s3_file_path) is None:
            upload = Upload.find_by_url(self.worker_id, self.s3_file_path)
            if upload:
                upload.remove()
                current().db.after_commit(current().wake)

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form. `signedS3FilePath` of an upload of the worker is signed anew for each answer."""
        members = super().project(names)
        if "signedS3FilePath" in members and members["signedS3FilePath"] is None and self.s3_file_path:
            upload = Upload.find_by_url(self.worker_id, self.s3_file_path)
            if upload is not None:
                members["signedS3FilePath"] = upload.reading_address(self.s3_file_path, self.base_url)
        return members

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        now = parse(moment)
        started, processed = wire(now - PROCESSING_AFTER), wire(now - DONE_AFTER)
        return due_rows(cls._due_query, limit, moment=moment, latest_started=started, latest_processing=processed)

    @classmethod
    def _due_query(cls, moment: str, latest_started: str, latest_processing: str) -> Any:
        is_open = cls.status.in_([constant("STARTED"), constant("PROCESSING")])
        is_started = (cls.status == "STARTED") & (cls.created_at <= latest_started)
        # It waits for its end only, so that it is not due again before that.
        is_processed = (cls.status == "PROCESSING") & (cls.created_at <= latest_processing)
        # One that is newer than the moment was created before the clock was set back, and does not wait for the old
        # time.
        is_due = is_started | is_processed | (cls.created_at > moment)
        return cls.select().where(is_open, is_due).order_by(cls.created_at, cls.id)

    def proceed(self, moment: str) -> None:
        """Change the status to that of a moment. A resource that is newer, since the clock was set back, is done."""
        created_at = parse(self.created_at)
        age = parse(moment) - created_at
        if timedelta(0) <= age < DONE_AFTER:
            self.change(status="PROCESSING", last_updated=wire(created_at + PROCESSING_AFTER))
            return
        self._index_text()
        error = self._processing_fault()
        status = "FAILED" if error else "AVAILABLE"
        self.change(status=status, processing_error=error, last_updated=wire(created_at + DONE_AFTER))

    def _index_text(self) -> None:
        """Add the text of the uploaded file to the search index, if it has text."""
        upload = Upload.find_by_url(self.worker_id, self.s3_file_path)
        text = upload.text(self.mime_type or upload.mime_type) if upload else None
        if not text:
            return
        index_text(self.id, self.name, self.raw_link or self.file_name or "", passages_of(text))

    def _processing_fault(self) -> str | None:
        """Return why it cannot be processed, or None. Assumed: the real service cannot have read it either."""
        if self.rag_type in LINKS:
            is_address = re.match(r"https?://[^/?#\s]", self.raw_link or "", re.IGNORECASE)
            return None if is_address else f"{self.raw_link!r} is not an http or https address."
        if upload_id_in(self.s3_file_path or ""):
            upload = Upload.find_by_url(self.worker_id, self.s3_file_path)
            if upload is None:
                return f"No file was uploaded to {self.s3_file_path}."
            if upload.size == 0:
                return "The uploaded file is empty."
        return None


def complete_imported_resource(row: Row, rows: ImportContext) -> None:
    """Complete an imported row. Raises Invalid for a folder of another worker."""
    folder = rows.find_row("folders", row["folder_id"]) if row.get("folder_id") else {}
    if folder and folder["worker_id"] != row["worker_id"]:
        raise Invalid("The folder is of another worker.", "folder_id")
    times = [row.get(name) for name in ("created_at", "uploaded_at", "last_updated")]
    row["created_at"] = next(filter(None, times), current().stamp())


STATE = {
    "resources": StateCollection(
        Resource,
        required_links=WORKER,
        optional_links={"folder_id": ("folders",)},
        complete=complete_imported_resource,
        sorted_by=("uploaded_at", "last_updated", "id"),
        age=lambda cells: (cells[0] or cells[1] or "", cells[2]),
    )
}
