"""What the logs of every channel share. Each channel has a table of its own."""

from __future__ import annotations

from typing import ClassVar

from dryline.models.base import JsonField, Record
from peewee import TextField


class Log(Record):
    """One conversation of a deployment. Ids are unique across the channels.

    Each channel adds `kind` and the column `type`, which holds it. A log goes with its worker (foreign key) and with its
    deployment (models/deployments.py), and outlives its flow.
    """

    id_prefix = "log"
    kind: ClassVar[str]

    updated_at = TextField()
    worker_id = TextField()
    deployment_id = TextField(null=True)
    flow_id = TextField(null=True)
    start_time = TextField(null=True)
    end_time = TextField(null=True)
    messages = JsonField(null=True)
    extractions_data = JsonField(null=True)
    metadata = JsonField(null=True)
    flow_snapshot = JsonField(null=True)
    session_log_data = JsonField(null=True)
