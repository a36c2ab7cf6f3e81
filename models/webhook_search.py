"""Searches among the deliveries to webhooks, and checks of how many there are."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.models.webhook_payloads import ALL_NAMES, split_names
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import Record
from dryline.world.criteria import (
    MAX_FOUND,
    Bounds,
    Matches,
    Near,
    Test,
    Verification,
    includes,
    json_parts,
    misses_of,
    nearest,
    verify_count,
)
from dryline.world.masking import mask_addresses
from dryline.world.path_patterns import text_pattern
from dryline.world.real_time import monotonic

ANY_STATUS = "all"
LOOK_EVERY_S = 0.02  # real time between two looks for changes

# The records that a delivery belongs to, by the names of its columns.
_OWNERS: dict[str, type[Record]] = {
    "deployment_id": VoiceDeployment,
    "webhook_id": CustomWebhook,
    "log_id": VoiceLog,
}


@dataclass(frozen=True)
class DeliveryCriteria:
    """Criteria for deliveries; None matches all.

    In `url`, `*` stands for any text. `json` has members that the body must have. A delivery that did not arrive
    matches only if `status` is its own, or `all`.
    """

    event: str | None = None
    url: str | None = None
    status: str = "DELIVERED"
    deployment_id: str | None = None
    webhook_id: str | None = None
    log_id: str | None = None
    team_id: str | None = None
    json: Any = None

    def tests(self) -> list[tuple[str, Test[WebhookDelivery]]]:
        """Return a test for each criterion, with the criterion's name in the API."""
        return list(self._named_tests())

    def _named_tests(self) -> Iterator[tuple[str, Test[WebhookDelivery]]]:
        if self.event is not None:
            yield "event", lambda delivery: delivery.event == self.event
        if self.url is not None:
            pattern = text_pattern(mask_addresses(self.url))
            yield "url", lambda delivery: pattern.fullmatch(mask_addresses(delivery.url)) is not None
        if self.deployment_id is not None:
            yield "deploymentId", lambda delivery: delivery.deployment_id == self.deployment_id
        if self.webhook_id is not None:
            yield "webhookId", lambda delivery: delivery.webhook_id == self.webhook_id
        if self.log_id is not None:
            yield "logId", lambda delivery: delivery.log_id == self.log_id
        if self.status != ANY_STATUS:
            yield "status", lambda delivery: delivery.status == self.status
        for name, part in json_parts(self.json).items():
            yield name, partial(_has_json, part)

    def candidates(self) -> Iterator[WebhookDelivery]:
        """Yield the deliveries of the team, newest first."""
        query = WebhookDelivery.select().order_by(WebhookDelivery.created_at.desc(), WebhookDelivery.id.desc())
        team = {} if self.team_id is None else {"team_id": self.team_id}
        deliveries: Iterator[WebhookDelivery] = query.filter(**team).iterator()
        return deliveries

    def require_known(self) -> None:
        """Raise NotFound for an id of no record, unless a delivery has it: a check would find that nothing was sent."""
        for name, owner in _OWNERS.items():
            id = getattr(self, name)
            if id is not None and WebhookDelivery.find(**{name: id}) is None:
                owner.by_id(id, self.team_id, field=name)

    def require_known_members(self) -> None:
        """Raise Invalid for a member of `json` that no message has."""
        names = set(self.json) if isinstance(self.json, dict) else set()
        unknown = names - set(ALL_NAMES)
        if unknown:
            unknown -= {name for webhook in CustomWebhook.select() for name in split_names(webhook.fields)}
            unknown -= {name for delivery in self.candidates() for name in delivery.body}
        for name in sorted(unknown):
            near = get_close_matches(name, ALL_NAMES, n=1)
            hint = f"; did you mean {near[0]}?" if near else "."
            raise Invalid(f"No message has the member {name}{hint}", "json")


def _has_json(expected: Any, delivery: WebhookDelivery) -> bool:
    return includes(delivery.request["body"], expected)


def search(criteria: DeliveryCriteria) -> Matches[WebhookDelivery]:
    """Find the deliveries that meet all criteria. Raises NotFound for an unknown id."""
    criteria.require_known()
    tests, count = criteria.tests(), 0
    newest: list[WebhookDelivery] = []
    for delivery in criteria.candidates():
        if not misses_of(tests, delivery):
            count += 1
            if len(newest) < MAX_FOUND:
                newest.append(delivery)
    return Matches(count, newest)


def find_nearest(criteria: DeliveryCriteria) -> tuple[Near[WebhookDelivery], ...]:
    """Return the deliveries that miss the fewest criteria, each with the names of those."""
    return nearest(criteria.tests(), criteria.candidates())


def verify(criteria: DeliveryCriteria, bounds: Bounds) -> Verification[WebhookDelivery]:
    """Check how many deliveries there are. Raises NotFound and Invalid, also if older ones were deleted."""
    if bounds.least == 0:
        criteria.require_known_members()
    return verify_count(
        search(criteria),
        bounds,
        require_complete=WebhookDelivery.require_none_deleted,
        find_nearest=lambda: find_nearest(criteria),
    )


def wait(criteria: DeliveryCriteria, count: int, within_s: float) -> Matches[WebhookDelivery]:
    """Wait until `count` deliveries meet all criteria, and return them. Work that is due is done at once.

    Returns fewer when the time is over or the server ends.
    """
    world = current()
    deadline = monotonic() + within_s
    world.run_due()
    while True:
        writes = world.writes
        with world.reading():
            matching = search(criteria)
        while world.writes == writes and matching.count < count:
            remaining_s = deadline - monotonic()
            if remaining_s <= 0 or world.ending.wait(min(remaining_s, LOOK_EVERY_S)):
                return matching
        if matching.count >= count or monotonic() >= deadline:
            return matching
