"""Tags: the team's labels, and which workers carry them."""

from collections.abc import Callable
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import WORKER, StateCollection
from dryline.models.teams import Team
from dryline.models.workers import Worker
from dryline.storage.errors import NotFound
from dryline.storage.record import Record, Rows, unique


class Tag(Record):
    """A label of the team, unique in it. Deleting it takes it off its workers."""

    id_prefix = "tag"

    updated_at = TextField()
    label = TextField()
    color = TextField()

    @classmethod
    def define(cls, team: Team, *, label: str, color: str) -> Self:
        """Create a new tag. Raises Conflict when the team has the label already. Contract: createTag."""
        with unique(f"The team already has a tag labelled {label!r}."):
            return cls.add(team, label=label, color=color)

    def revise(self, **values: Any) -> Self:
        """Change label or color. Raises Conflict when another tag of the team has the label."""
        with unique(f"The team already has a tag labelled {values.get('label')!r}."):
            return self.change(**values)

    @classmethod
    def of_worker(cls, worker: Worker) -> list[Self]:
        """Return the worker's tags, the one assigned last first."""
        query = cls.select().join(WorkerTag, on=(WorkerTag.tag_id == cls.id))
        return list(
            query.where(WorkerTag.worker_id == worker.id).order_by(WorkerTag.created_at.desc(), WorkerTag.id.desc())
        )

    def assign(self, worker: Worker) -> bool:
        """Put the tag on the worker. Returns False when it was there already. Contract: assignTag."""
        if WorkerTag.find(worker_id=worker.id, tag_id=self.id):
            return False
        WorkerTag.add(worker, worker_id=worker.id, tag_id=self.id)
        return True


class WorkerTag(Record):
    """A tag on a worker."""

    id_prefix = "workertag"

    worker_id = TextField()
    tag_id = TextField()

    @classmethod
    def take_off(cls, worker: Worker, tag_id: str) -> None:
        """Remove a tag from the worker. Raises NotFound when it is not there. Contract: removeTag."""
        if not cls.remove_where(worker_id=worker.id, tag_id=tag_id):
            raise NotFound(f"Worker {worker.id} has no tag {tag_id}.")


def workers_with_tags(team: Team) -> Rows:
    """Return the team's workers, each with its tags. Contract: listWorkers."""
    return Worker.listing(team).attach("tags", _tags_by_worker(team))


def _tags_by_worker(team: Team) -> Callable[[str], list[Tag]]:
    by_worker: dict[str, list[Tag]] = {}
    tags = {tag.id: tag for tag in Tag.listing(team)}
    for assigned in WorkerTag.listing(team):
        by_worker.setdefault(assigned.worker_id, []).append(tags[assigned.tag_id])
    return lambda worker_id: by_worker.get(worker_id, [])


STATE = {
    "tags": StateCollection(Tag),
    "workerTags": StateCollection(
        WorkerTag,
        required_links={**WORKER, "tag_id": ("tags",)},
        has_id=False,
        sorted_by=("created_at", "worker_id", "tag_id"),
    ),
}
