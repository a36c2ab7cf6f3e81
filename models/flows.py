"""Flows: the Based programs of a worker."""

from __future__ import annotations

from typing import Any, Self

from peewee import IntegerField, TextField

from dryline.models.flow_versions import FlowVersion
from dryline.models.teams import ApiKey
from dryline.models.workers import Worker
from dryline.world.collection import WORKER, Collection
from dryline.world.json_field import differ
from dryline.world.record import JsonField, Record

# What the committed version says when the update came without a message. Assumed.
UPDATE_MESSAGE = "Updated through the API"


class Flow(Record):
    """A program of a worker. Deleting it deletes its versions; deployments, tests and logs keep naming it.

    `version` counts the changes of code or variables; it is not the number of a committed version.
    `merged_parameters` is there only where a deployment's parameters were laid over the variables.
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
    def write(cls, worker: Worker, author: ApiKey, **values: Any) -> Self:
        """A new flow of the worker. No version is committed. Contract: createFlow."""
        return cls.add(worker, worker_id=worker.id, last_edited_by_api_key_id=author.id, **values)

    def revise(self, author: ApiKey, *, commit_message: str | None = None, **values: Any) -> Self:
        """Change the values; where code or variables really change, count up and commit a version.

        Contract: updateFlow.
        """
        if not values:
            return self
        program = any(name in values and differ(values[name], getattr(self, name)) for name in ("code", "variables"))
        if program:
            values["version"] = self.version + 1
        self.change(
            **values, last_edited_by_type="API_KEY", last_edited_by_user_id=None, last_edited_by_api_key_id=author.id
        )
        if program:
            FlowVersion.commit(self, author, UPDATE_MESSAGE if commit_message is None else commit_message)
        return self

    def show_version(self, version: FlowVersion) -> Self:
        """Take on that version's code and variables, without saving. Contract: getFlow, versionId."""
        self.code, self.variables = version.code, version.variables
        return self


STATE = {"flows": Collection(Flow, needs=WORKER)}
