"""Workers: the conversational agents that everything else hangs on."""

from peewee import TextField

from dryline.models.collection import StateCollection
from dryline.models.logs_lookup import LOG_CLASSES
from dryline.models.plain_sql import remove_llm_logs
from dryline.storage.record import JsonField, Record


class Worker(Record):
    """A conversational agent."""

    id_prefix = "worker"

    updated_at = TextField()
    name = TextField()
    description = TextField(null=True)
    status = TextField(null=True)
    engine_version = TextField(default="v2")
    last_refreshed_at = TextField(null=True)
    icon = TextField(null=True)
    visualizations = JsonField(null=True)

    def remove(self) -> None:
        """Delete the worker with its flows, deployments, logs, tag assignments and the rest. Contract: deleteWorker."""
        for log_class in LOG_CLASSES:
            log_class.remove_below(self, "worker_id")
        remove_llm_logs(self.id)
        super().remove()


STATE = {"workers": StateCollection(Worker)}
