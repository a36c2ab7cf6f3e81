"""Helpers that create what most tests need: workers, and lines with a flow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from dryline.testing.clients import Clients
from dryline.testing.plane import DrylineError

if TYPE_CHECKING:
    from brainbase_labs import BrainbaseLabs
    from brainbase_labs.types.shared import VoiceDeployment, Worker
    from brainbase_labs.types.workers.deployments import ChatCreateResponse

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

CODE = """say("Good morning, how can I help you?")
loop:
    talk("Help the caller.", True)
until "caller says goodbye":
    say("Goodbye.")
"""
# The values that a call of every flow has, whatever the flow extracts.
WEBHOOK_FIELDS = "from_number,to_number,direction,status,start_timestamp,end_timestamp,duration_ms,summary,transcript"
# Numbers that belong to nobody: https://www.nanpa.com/numbering/555-line-numbers
NUMBERS = [f"+1415555{line:04}" for line in range(100, 200)]


class Builders(Clients):
    """The helpers that create rows through the API.

    No fault and no rate limit applies to their requests, and `verify`, `wait_for_request`, `requests` and the count of
    ignored names leave them out.
    """

    def worker(
        self, name: str = "Front desk", *, description: str | None = None, status: str | None = "active"
    ) -> Worker:
        """Create a worker, and return the vendor's row. No fault applies, and `verify` does not count it."""
        with self._client_for_arranging() as client:
            return client.workers.create(name=name, description=description, status=status)

    def voice_line(
        self,
        name: str = "Main line",
        *,
        number: str | None = None,
        code: str | None = None,
        webhook: str | None = None,
        webhook_fields: str | None = None,
        worker_id: str | None = None,
    ) -> VoiceDeployment:
        """Create a voice deployment with all that it needs, and return the vendor's row.

        It has a flow with this `code`, by default one that listens until the caller says goodbye. It belongs to the
        worker of `worker_id`, by default a new one. `number` is by default the first of +14155550100 to +14155550199
        that no line has. `webhook` is an address that is told of each call's start and end, with the values that
        `webhook_fields` names, such as `status,summary`; by default those that each call has.

        No fault applies to the requests, and `verify` does not count them. Raises DrylineError for what the API
        refuses, and for code that cannot run.
        """
        number = number or self._free_number()
        with self._client_for_arranging() as client:
            worker_id, flow_id = _create_flow(client, worker_id, code)
            lines = client.workers.deployments.voice
            line = lines.create(worker_id, name=name, phone_number=number, flow_id=flow_id)
            if webhook is None:
                return line
            lines.custom_webhooks.create(
                line.id, worker_id=worker_id, url=webhook, fields=webhook_fields or WEBHOOK_FIELDS
            )
            return lines.retrieve(line.id, worker_id=worker_id)

    def chat_line(
        self,
        name: str = "Web chat",
        *,
        welcome_message: str = "Hello, how can we help you?",
        code: str | None = None,
        worker_id: str | None = None,
    ) -> ChatCreateResponse:
        """Create a chat deployment with all that it needs, and return the vendor's row; `voice_line` explains more."""
        with self._client_for_arranging() as client:
            worker_id, flow_id = _create_flow(client, worker_id, code)
            chats = client.workers.deployments.chat
            return chats.create(worker_id, name=name, flow_id=flow_id, welcome_message=welcome_message)

    @contextmanager
    def _client_for_arranging(self) -> Iterator[BrainbaseLabs]:
        """Yield a client. Raises DrylineError instead of the client's errors."""
        from brainbase_labs import APIError  # noqa: PLC0415  # an optional package

        with self._arranging_client() as client:
            try:
                yield client
            except APIError as error:
                answer = error.body if isinstance(error.body, dict) else {}
                raise DrylineError(answer.get("error") or str(error), answer) from None

    def _free_number(self) -> str:
        workers = self.plane("GET", "/workers")
        taken = {line["phoneNumber"] for worker in workers for line in worker["deployments"]}
        number = next((number for number in NUMBERS if number not in taken), None)
        if number is None:
            raise DrylineError(f"Lines have all numbers from {NUMBERS[0]} to {NUMBERS[-1]}: pass a number.")
        return number


def _create_flow(client: BrainbaseLabs, worker_id: str | None, code: str | None) -> tuple[str, str]:
    """Create a flow, and a worker if none is named. Return the ids of both."""
    if worker_id is None:
        worker_id = client.workers.create(name="Front desk", description=None, status="active").id
    # Checked at once: a call of code that cannot run has no more than an error in its log.
    flow = client.workers.flows.create(worker_id, name="Main", label=None, code=code or CODE, validate=True)
    return worker_id, flow.id
