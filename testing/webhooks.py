"""Helpers for the webhooks that a stand-in sends: what was delivered, and checks of it."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Unpack

from dryline.testing import journal
from dryline.testing.plane import (
    ControlPlane,
    DrylineError,
    hint_at_loop,
    members,
    require_exact_or_bounds,
    require_timeout,
)
from dryline.testing.rows import Delivery

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class WebhookCriteria(TypedDict, total=False):
    """Criteria for deliveries of webhooks. In `url`, `*` stands for any text; `json` has members of the body.

    Only what was delivered counts, unless `status` is that of others, or `all`.
    """

    event: Literal["call_started", "call_ended"] | None
    url: str | None
    json: Any
    deployment_id: str | None
    webhook_id: str | None
    log_id: str | None
    status: Literal["PENDING", "DELIVERED", "FAILED", "REFUSED", "all"] | None


class Webhooks(ControlPlane):
    """The helpers for webhooks."""

    def webhooks(
        self,
        *,
        status: Literal["PENDING", "DELIVERED", "FAILED", "REFUSED"] | None = None,
        webhook_id: str | None = None,
        deployment_id: str | None = None,
        log_id: str | None = None,
        limit: int | None = None,
    ) -> list[Delivery]:
        """Return the webhook deliveries, newest first, at most `limit` (100)."""
        query = members(status=status, webhook_id=webhook_id, deployment_id=deployment_id, log_id=log_id, limit=limit)
        deliveries: list[Delivery] = self.plane("GET", "/webhooks", query=query)
        return deliveries

    def verify_webhook(
        self,
        *,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        **criteria: Unpack[WebhookCriteria],
    ) -> int:
        """Check that a webhook was delivered, `times` times or within bounds, and return how often.

        Due messages are sent before. Raises DrylineError with the deliveries that came nearest or were too many.
        """
        limits = members(times=require_exact_or_bounds(times, at_least, at_most))
        return int(self._run_webhook_check("verify", criteria, limits)["count"])

    def wait_for_webhook(
        self, *, count: int = 1, timeout_s: float = 5, **criteria: Unpack[WebhookCriteria]
    ) -> list[Delivery]:
        """Wait until `count` webhooks that match are delivered, and return them, newest first.

        Due messages are sent at once, and earlier ones count, too. Raises DrylineError as `verify_webhook` does, after
        `timeout_s` of real time.
        """
        require_timeout(timeout_s, may_be_0=True)
        limits = members(count=count, timeout_ms=round(timeout_s * 1000))
        answer = self._run_webhook_check("wait", criteria, limits, timeout_s=timeout_s + self.timeout_s)
        deliveries: list[Delivery] = answer["deliveries"]
        return deliveries

    def _run_webhook_check(
        self, route: str, criteria: WebhookCriteria, limits: dict[str, Any], *, timeout_s: float | None = None
    ) -> Any:
        sent = members(**criteria)
        try:
            return self.plane("POST", f"/webhooks/{route}", sent | limits, timeout_s=timeout_s)
        except DrylineError as error:
            if not error.answer:  # the server has not answered
                raise
            hint = hint_at_loop("dryline.wait_for_webhook") if route == "wait" else ""
            message = journal.format_failed_webhook_check(f"{error}{hint}", sent, error.answer)
            raise DrylineError(message, error.answer) from None
