"""Folders: where a worker's knowledge resources are kept."""

from typing import Any, Self

from peewee import TextField

from dryline.models.collection import WORKER, StateCollection
from dryline.models.workers import Worker
from dryline.storage.record import JsonField, Record, unique


class Folder(Record):
    """A folder of a worker, whose name no other folder of it has. Its resources outlive it."""

    id_prefix = "folder"

    updated_at = TextField()
    worker_id = TextField()
    name = TextField()
    description = TextField(null=True)
    graph_metadata = JsonField(null=True)

    @classmethod
    def define(cls, worker: Worker, *, name: str, description: str | None = None) -> Self:
        """Create a new folder. Raises Conflict when the worker has one of that name. Contract: createFolder."""
        with unique(f"Worker {worker.id} already has a folder named {name!r}."):
            return cls.add(worker, worker_id=worker.id, name=name, description=description)

    def revise(self, **values: Any) -> Self:
        """Change name or description. Raises Conflict when another folder of the worker has the name."""
        with unique(f"Worker {self.worker_id} already has a folder named {values.get('name')!r}."):
            return self.change(**values)


STATE = {"folders": StateCollection(Folder, required_links=WORKER)}
