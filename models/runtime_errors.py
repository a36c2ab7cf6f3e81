"""Runtime errors of the engine."""

from typing import Any, Self

from peewee import IntegerField, TextField, fn

from dryline.models.collection import DEPLOYMENT, FLOW, WORKER, StateCollection
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.logs import Log
from dryline.models.workers import Worker
from dryline.storage.record import JsonField, Record, Rows


class RuntimeErrorRecord(Record):
    """An error that the engine recorded. It is deleted with its worker and with the log of its call.

    If only its deployment is deleted, `deployment_id` becomes null.
    """

    id_prefix = "rterr"

    worker_id = TextField()
    error = TextField()
    service = TextField()
    type = TextField()
    severity = TextField(default="error")
    deployment_id = TextField(null=True)
    flow_id = TextField(null=True)
    function_name = TextField(null=True)
    line_number = IntegerField(null=True)
    bb_engine_session_id = TextField(null=True)
    traceback = TextField(null=True)
    metadata = JsonField(null=True)

    class Meta:
        table_name = "runtime_error"

    @property
    def title(self) -> str:
        """The type and the message, as Python prints an exception."""
        return self.error if self.error.startswith(self.type) else f"{self.type}: {self.error}"

    @classmethod
    def record(cls, worker: Worker, **values: Any) -> Self:
        """Record an error. Without a deployment it gets the newest deployment of its flow, if there is one.

        Raises NotFound if the worker has no such deployment or flow. Contract: recordRuntimeError.
        """
        deployment_id, flow_id = values.get("deployment_id"), values.get("flow_id")
        if deployment_id is not None:
            worker.child(Deployment, deployment_id, field="deployment_id")
        if flow_id is not None:
            worker.child(Flow, flow_id, field="flow_id")
            if deployment_id is None:
                newest = Deployment.listing(worker, worker_id=worker.id, flow_id=flow_id).slice(1)
                values["deployment_id"] = next((deployment.id for deployment in newest), None)
        return cls.add(worker, worker_id=worker.id, **values)

    @classmethod
    def of_conversation(cls, log: Log) -> list[Self]:
        """Return the errors that refer to a conversation's session or log, oldest first."""
        is_of_log = fn.json_extract(cls.metadata, "$.logId") == log.id
        if (session_id := log.engine_ids[0]) is not None:
            is_of_log |= cls.bb_engine_session_id == session_id
        return list(cls.select().where(cls.worker_id == log.worker_id, is_of_log).order_by(cls.created_at, cls.id))

    @classmethod
    def of_worker(cls, worker: Worker, *, limit: int, offset: int, **where: Any) -> Rows:
        """Return `limit` of the worker's errors after the first `offset`, newest first. Contract: listRuntimeErrors."""
        return cls.listing(worker, worker_id=worker.id, **where).slice(limit, offset)


STATE = {
    "runtimeErrors": StateCollection(RuntimeErrorRecord, required_links=WORKER, optional_links={**DEPLOYMENT, **FLOW})
}
