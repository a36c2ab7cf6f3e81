"""Voice deployments: a flow on the phone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Self

from peewee import BooleanField, TextField

from dryline.models.collection import ImportContext, Row
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployments import Deployment, DeploymentProfile, collection_of
from dryline.models.teams import ApiKey
from dryline.models.webhook_payloads import require_known_names
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.record import JsonField, Rows


class VoiceDeployment(Deployment):
    """A deployment on a phone number. `external_config` holds the engine's settings, under the wire's names."""

    channel = "Voice"
    name_in_messages = "Voice deployment"

    phone_number = TextField(null=True)
    enable_voice_sentiment = BooleanField(default=False)
    voice_provider = TextField(null=True)
    voice_id = TextField(null=True)
    agent_id = TextField(null=True)
    external_config = JsonField(null=True)
    backup_phone_number = TextField(null=True)
    backup_phone_message = TextField(null=True)
    twilml_bin_sid = TextField(null=True)
    engine_model = TextField(null=True)
    extractions = JsonField(null=True)
    success_criteria = JsonField(null=True)

    class Meta:
        table_name = "deployment"

    @classmethod
    def of_worker(cls, worker: Worker) -> Rows:
        """Return the worker's voice deployments and their webhooks, newest first. Contract: listVoiceDeployments."""
        rows = cls.listing(worker, worker_id=worker.id)
        return rows.attach("custom_webhooks", CustomWebhook.lookup_by_deployment(worker))

    @classmethod
    def deploy(cls, worker: Worker, *, flow_id: str, **values: Any) -> Self:
        """Create a new voice deployment; the worker's engine version is its own unless it brings one.

        Raises NotFound when the worker has no such flow. Contract: createVoiceDeployment.
        """
        config = {"engineVersion": worker.engine_version, **values.pop("external_config", {})}
        return super().deploy(worker, flow_id=flow_id, external_config=config, **values)

    @cached_property
    def custom_webhooks(self) -> list[CustomWebhook]:
        """Its webhooks, newest first."""
        return list(CustomWebhook.of_deployment(self))

    def profile(self) -> DeploymentProfile:
        config = self.external_config or {}
        engine_voice = "playht" if str(config.get("voiceModel")).startswith("Play") else "elevenlabs"
        longest_ms = config.get("maxCallDurationMs") or 0
        return DeploymentProfile(
            phone_number=self.phone_number,
            transfer_number=self.backup_phone_number,
            voicemail=config.get("voicemailMessage") or None,
            voice_provider=self.voice_provider or engine_voice,
            voice_id=config.get("voiceId") or self.voice_id,
            longest_s=int(longest_ms / 1000) if longest_ms > 0 else None,
            extractions=self.extractions,
            success_criteria=self.success_criteria,
        )

    def _change_values(
        self, *, custom_webhooks: Sequence[dict[str, str]] | None = None, **values: Any
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Change the values, `external_config` member by member.

        `custom_webhooks` (each a `url`) take the place of those before. Contract: updateVoiceDeployment.
        """
        if "external_config" in values:
            values["external_config"] = {**(self.external_config or {}), **values["external_config"]}
        before, after = super()._change_values(**values)
        if custom_webhooks is not None:
            urls = [webhook["url"] for webhook in custom_webhooks]
            addresses = self._addresses()
            if urls != [webhook["url"] for webhook in addresses]:
                CustomWebhook.replace_all(self, urls)
                self._forget_webhooks()
                before["custom_webhooks"], after["custom_webhooks"] = addresses, self._addresses()
        return before, after

    def add_webhook(self, author: ApiKey, **values: Any) -> CustomWebhook:
        """Create a new webhook, and its entry in the history. Contract: createCustomWebhook."""
        require_known_names(values["fields"], self)
        with self._recording_webhook_changes(author):
            return CustomWebhook.add(self, deployment_id=self.id, **values)

    def change_webhook(self, author: ApiKey, id: str, **values: Any) -> CustomWebhook:
        """Change one of its webhooks. A changed address is entered in the history. Raises NotFound."""
        webhook = self.child(CustomWebhook, id)
        require_known_names(values.get("fields", ""), self)
        with self._recording_webhook_changes(author):
            return webhook.change(**values)

    def remove_webhook(self, author: ApiKey, id: str) -> None:
        """Remove one of its webhooks, and enter that in the history. Raises NotFound."""
        webhook = self.child(CustomWebhook, id)
        with self._recording_webhook_changes(author):
            webhook.remove()

    @contextmanager
    def _recording_webhook_changes(self, author: ApiKey) -> Iterator[None]:
        """Enter in the history what a block changes in the addresses of the webhooks."""
        before = self._addresses()
        yield
        after = self._addresses()
        if after != before:
            self._forget_webhooks()
            DeploymentHistoryEntry.record_changes(self, author, {"custom_webhooks": before}, {"custom_webhooks": after})

    def _forget_webhooks(self) -> None:
        """Drop the webhooks that were read, and record the change of the deployment."""
        self.__dict__.pop("custom_webhooks", None)
        self.change(updated_at=current().stamp())

    def _addresses(self) -> list[dict[str, str]]:
        return [{"url": webhook.url} for webhook in CustomWebhook.of_deployment(self)]


def complete_imported_deployment(row: Row, rows: ImportContext) -> None:
    """Set the defaults of an imported deployment."""
    if "external_config" not in row:
        worker = rows.find_row("workers", row["worker_id"])
        row["external_config"] = {"engineVersion": worker.get("engine_version", Worker.engine_version.default)}


STATE = {"voiceDeployments": collection_of(VoiceDeployment, complete_imported_deployment)}
