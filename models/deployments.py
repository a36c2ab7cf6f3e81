"""Deployments of every channel, in one table; `type` is the channel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from peewee import TextField

from dryline.models.collection import DEPLOYMENTS, FLOW, WORKER, ImportContext, Row, StateCollection
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.logs_lookup import LOG_CLASSES
from dryline.models.teams import ApiKey, Team
from dryline.models.workers import Worker
from dryline.storage.record import Record, Rows


@dataclass(frozen=True, slots=True, kw_only=True)
class DeploymentProfile:
    """The members of a deployment that conversations depend on, the same for all channels.

    None where the deployment does not say it, or its channel has no such member.
    """

    flow_version_id: str | None = None
    phone_number: str | None = None
    transfer_number: str | None = None  # of the person to whom calls are passed on
    agent_name: str | None = None
    opening: str | None = None  # a sentence of its own, said before the flow's
    closing: str | None = None
    voicemail: str | None = None  # what it says to a voicemail
    voice_provider: str = "elevenlabs"
    voice_id: str | None = None
    longest_s: int | None = None  # a call ends then
    extractions: Mapping[str, Any] | None = None
    success_criteria: Any = None


class Deployment(Record):
    """A flow put on a channel. This class finds those of every channel, a channel's class only its own.

    It goes with its worker and outlives its flow. Its logs, history, parameters, webhooks and the rest go with it.
    """

    id_prefix = "deploy"
    channel: ClassVar[str] = ""  # the value of `type`; empty for all channels

    updated_at = TextField()
    worker_id = TextField()
    type = TextField()
    flow_id = TextField()
    name = TextField()
    status = TextField(default="ACTIVE")

    # There only where a lookup asked for them (models/deployments_lookup.py).
    included_success_criteria: list[Any]
    deployment_parameters: Rows
    sentinel_assignments: list[Any]

    @classmethod
    def find(cls, **where: Any) -> Self | None:
        """Return the one deployment of the channel with these column values, or None."""
        return super().find(**cls._within_channel(where))

    @classmethod
    def listing(cls, scope: Record, **where: Any) -> Rows:
        """Return the deployments of the scope's team and of the channel with these column values, newest first."""
        return super().listing(scope, **cls._within_channel(where))

    @classmethod
    def _within_channel(cls, where: dict[str, Any]) -> dict[str, Any]:
        return {**where, "type": cls.channel} if cls.channel else where

    @classmethod
    def deploy(cls, worker: Worker, *, flow_id: str, **values: Any) -> Self:
        """Create a deployment of one of the worker's flows. Contract: createChatDeployment and the like.

        Raises NotFound when the worker has no such flow, or the flow no such version (`flow_version_id`).
        """
        flow = worker.child(Flow, flow_id, field="flow_id")
        if values.get("flow_version_id") is not None:
            flow.child(FlowVersion, values["flow_version_id"], field="flow_version_id")
        return cls.add(worker, worker_id=worker.id, type=cls.channel, flow_id=flow.id, **values)

    def profile(self) -> DeploymentProfile:
        """Return what conversations depend on. Each channel's class says it; this one has no members of a channel."""
        return DeploymentProfile()

    def revise(self, author: ApiKey | Team, **values: Any) -> Self:
        """Change the values and write the history. Raises NotFound when the worker has no such flow."""
        before, after = self._change_values(**values)
        DeploymentHistoryEntry.record_changes(self, author, before, after)
        return self

    def _change_values(self, **values: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Change the values. Returns them as they were and as they are, for the history."""
        if "flow_id" in values:
            Flow.fetch(self, values["flow_id"], field="flow_id", worker_id=self.worker_id)
            if values["flow_id"] != self.flow_id and getattr(self, "flow_version_id", None) is not None:
                values["flow_version_id"] = None  # it is a version of the flow before
        before = {name: getattr(self, name) for name in values}
        self.change(**values)
        return before, values

    def remove(self) -> None:
        """Delete the deployment and its logs; the database deletes the rest that hangs on it."""
        # Logs name their deployment without a foreign key: an imported log may name one that is gone.
        for log_class in LOG_CLASSES:
            if log_class.channel.deployments:  # elsewhere a log's deployment is any text
                log_class.remove_below(self, "deployment_id")
        super().remove()


def collection_of(
    model: type[Deployment], complete: Callable[[Row, ImportContext], object] | None = None, **links: tuple[str, ...]
) -> StateCollection:
    """Return the state collection of one channel's deployments; `links` are those beside the flow."""
    return StateCollection(
        model,
        required_links=WORKER,
        optional_links={**FLOW, **links},
        fixed={"type": model.channel},
        shares_ids=DEPLOYMENTS,
        complete=complete,
    )
