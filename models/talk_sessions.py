"""Conversations with flows that go on from turn to turn."""

from __future__ import annotations

from typing import Any, Self

from peewee import BlobField, IntegerField, TextField

from dryline.world.errors import Conflict
from dryline.world.record import JsonField, Record

MOST_EVENTS = 5_000  # that are kept of a conversation: its newest


class TalkSession(Record):
    """A conversation with a flow. It goes with its worker and outlives its flow, whose code is in the dump.

    `dump` are the engine's bytes, which nothing authenticates: they come from this database alone, so these rows have
    no collection in the state document. `name` is the id by which a caller knows the conversation, where one was
    chosen. `turns` counts the answers, the first one too.
    """

    id_prefix = "talk"

    updated_at = TextField()
    worker_id = TextField(null=True)
    flow_id = TextField(null=True)
    deployment_id = TextField(null=True)
    log_id = TextField(null=True)
    name = TextField(null=True)
    turns = IntegerField(default=1)
    ended = TextField(null=True)
    waiting = JsonField()
    extracted = JsonField()
    state = JsonField()
    failure = JsonField(null=True)
    events = JsonField()
    dump = BlobField()

    @classmethod
    def noun(cls) -> str:
        """What messages call it."""
        return "Conversation"

    def keep_turn(self, *, events: list[dict[str, Any]], **values: Any) -> Self:
        """Add what happened since this row was read. Raises NotFound when it is gone, Conflict when it went on."""
        now = type(self).fetch(self, self.id)
        if now.turns != self.turns:
            raise Conflict(f"Conversation {self.id} went on meanwhile: one turn at a time.")
        return now.change(turns=now.turns + 1, events=[*now.events, *events][-MOST_EVENTS:], **values)
