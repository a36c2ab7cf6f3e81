"""Workers: the conversational agents that everything else hangs on."""

from __future__ import annotations

from peewee import TextField

from dryline.world.collection import Collection
from dryline.world.record import JsonField, Record


class Worker(Record):
    """A conversational agent. Deleting it deletes its flows, deployments, logs, tag assignments and the rest."""

    id_prefix = "worker"

    updated_at = TextField()
    name = TextField()
    description = TextField(null=True)
    status = TextField(null=True)
    engine_version = TextField(default="v2")
    last_refreshed_at = TextField(null=True)
    icon = TextField(null=True)
    visualizations = JsonField(null=True)


STATE = {"workers": Collection(Worker)}
