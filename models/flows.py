"""Flows: the Based programs of a worker."""

from hashlib import sha256
from typing import Any, Self

import orjson
from peewee import IntegerField, TextField

from dryline.models.collection import WORKER, StateCollection
from dryline.models.flow_versions import FlowVersion
from dryline.models.teams import ApiKey, Team
from dryline.models.workers import Worker
from dryline.storage.errors import Conflict
from dryline.storage.json_values import differ
from dryline.storage.record import JsonField, Record

# The message of the version that an update without a message commits. Assumed.
UPDATE_MESSAGE = "Updated through the API"


class Flow(Record):
    """A program of a worker. Deleting it deletes its versions; deployments, tests and logs keep its id.

    `version` counts the changes of code or variables; it is not the number of a committed version.
    `apply_version_and_parameters` sets `merged_parameters`: the variables, overridden by a deployment's parameters.
    """

    id_prefix = "flow"

    updated_at = TextField()
    worker_id = TextField()
    version = IntegerField(default=1)
    name = TextField()
    label = TextField(null=True)
    code = TextField()
    variables = JsonField(default=dict)
    last_edited_by_type = TextField(default="API_KEY")
    last_edited_by_user_id = TextField(null=True)
    last_edited_by_api_key_id = TextField(null=True)

    merged_parameters: dict[str, Any]

    @classmethod
    def write(cls, worker: Worker, author: ApiKey | Team, **values: Any) -> Self:
        """Create a flow of the worker. No version is committed. Contract: createFlow."""
        return cls.add(worker, worker_id=worker.id, **_edited_by(author), **values)

    @property
    def etag(self) -> str:
        """A hash of the content, for optimistic locking: `updated_at` and `version` may be set back."""
        content = [self.name, self.label, self.code, self.variables]
        return sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()

    def require_etag(self, etag: str) -> None:
        """Raise Conflict unless the flow still has the `etag` of the one that an author edits."""
        if etag != self.etag:
            raise Conflict(f"Flow {self.id} was changed meanwhile.")

    def revise(self, author: ApiKey | Team, *, commit_message: str | None = None, **values: Any) -> Self:
        """Change the values. If code or variables change, increase `version` and commit a version.

        Contract: updateFlow.
        """
        if not values:
            return self
        program = any(name in values and differ(values[name], getattr(self, name)) for name in ("code", "variables"))
        if program:
            values["version"] = self.version + 1
        self.change(**values, **_edited_by(author))
        if program:
            FlowVersion.commit(self, author, UPDATE_MESSAGE if commit_message is None else commit_message)
        return self


def _edited_by(author: ApiKey | Team) -> dict[str, str | None]:
    return {f"last_edited_by_{name}": value for name, value in author.authorship.items()}


STATE = {"flows": StateCollection(Flow, required_links=WORKER)}
