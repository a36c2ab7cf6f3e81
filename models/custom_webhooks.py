"""Custom webhooks: addresses that a voice deployment tells about its calls."""

from collections.abc import Callable, Sequence
from typing import Any, Self

from peewee import BooleanField, TextField

from dryline.models.collection import VOICE_DEPLOYMENT, StateCollection
from dryline.models.deployments import Deployment
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import Record, Rows

# The members of a webhook that is created by its address alone: all in the vendor's sample payload. Assumed.
ALL_FIELDS = "recording_url,transcript,duration_ms,start_timestamp,end_timestamp,from_number,sentiment,summary"
MAX_WEBHOOKS = 100  # of a deployment
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class CustomWebhook(Record):
    """An address, and the comma-separated names (`fields`) of what is sent there. Contract: records.custom_webhook."""

    id_prefix = "webhook"

    updated_at = TextField()
    deployment_id = TextField()
    url = TextField()
    fields = TextField(default=ALL_FIELDS)
    method = TextField(default="POST")
    name = TextField(null=True)
    active = BooleanField(default=True)

    @classmethod
    def add(cls, scope: Record, **values: Any) -> Self:
        """Insert a webhook, whose id has the vendor's form. Raises Invalid if the deployment has too many."""
        if cls.listing(scope, deployment_id=values["deployment_id"]).count() >= MAX_WEBHOOKS:
            raise Invalid(f"A deployment has at most {MAX_WEBHOOKS} webhooks.", "url")
        return super().add(scope, **{"id": new_webhook_id(), **values})

    @classmethod
    def of_deployment(cls, deployment: Record) -> Rows:
        """Return the deployment's webhooks, newest first."""
        return cls.listing(deployment, deployment_id=deployment.id)

    @classmethod
    def lookup_by_deployment(cls, worker: Record) -> Callable[[str], list[Self]]:
        """Return a function that returns the webhooks of one of the worker's deployments, by the deployment's id."""
        webhooks: dict[str, list[Self]] = {}
        query = cls.select().join(Deployment, on=(Deployment.id == cls.deployment_id))
        for webhook in query.where(Deployment.worker_id == worker.id).order_by(cls.created_at.desc(), cls.id.desc()):
            webhooks.setdefault(webhook.deployment_id, []).append(webhook)
        return lambda deployment_id: webhooks.get(deployment_id, [])

    @classmethod
    def replace_all(cls, deployment: Record, urls: Sequence[str]) -> None:
        """Give the deployment webhooks of these addresses instead of those it has."""
        cls.remove_where(deployment_id=deployment.id)
        for url in reversed(urls):  # the list is newest first, and shall read as it was sent
            cls.add(deployment, deployment_id=deployment.id, url=url)

    @classmethod
    def sending_deployment_ids(cls, team: Record, urls: Sequence[str]) -> set[str]:
        """Return the ids of the deployments with an active webhook to one of these addresses."""
        return {one.deployment_id for one in cls.listing(team, active=True) if one.url in urls}

    @classmethod
    def redirect(cls, deployment: Record, url: str, target: str) -> None:
        """Change the address of the deployment's webhooks from `url` to `target`. Without either, add one."""
        webhooks = list(cls.of_deployment(deployment))
        for webhook in webhooks:
            if webhook.url == url:
                webhook.change(url=target)
        if not any(webhook.active and webhook.url in (url, target) for webhook in webhooks):
            cls.add(deployment, deployment_id=deployment.id, url=target, name="Inbox")


def new_webhook_id() -> str:
    """Return an id like a cuid: `c` and 24 digits of base 36. Ids rise. Contract: records.custom_webhook."""
    uuid = current().ids.new("webhook").removeprefix("webhook_").replace("-", "")
    number = int(uuid[:12] + uuid[13:], 16)  # all but the version, which is the same in all
    digits = []
    for _ in range(24):
        number, digit = divmod(number, 36)
        digits.append(_DIGITS[digit])
    return "c" + "".join(reversed(digits))


STATE = {"customWebhooks": StateCollection(CustomWebhook, required_links=VOICE_DEPLOYMENT)}
