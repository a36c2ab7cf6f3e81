"""Conversations with flows that go on from turn to turn."""

from itertools import chain
from typing import Any, ClassVar, Self

from peewee import BlobField, IntegerField, TextField

from dryline.storage.errors import Conflict
from dryline.storage.record import JsonField, Record

MAX_CONVERSATIONS = 1_000  # of a team; the oldest ones are deleted


class TalkSession(Record):
    """A conversation with a flow. It goes with its worker and outlives its flow, whose code is in the dump.

    `dump` are the engine's bytes, which nothing authenticates: they come from this database alone, so these rows have
    no collection in the state document. `name` is the id by which a caller knows the conversation, where one was
    chosen. `turns` counts the answers, the first one too.
    """

    id_prefix = "talk"
    name_in_messages = "Conversation"

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
    dump = BlobField()

    # The events of the turns that are shown.
    events: list[dict[str, Any]]

    @classmethod
    def begin(cls, team: Record, *, events: list[dict[str, Any]], **values: Any) -> Self:
        """Create a conversation with its first events. Delete the team's oldest ones beyond MAX_CONVERSATIONS."""
        row = cls.add(team, **values)
        row._add_turn(events)
        newest = cls.select(cls.id).where(cls.team_id == row.team_id).order_by(cls.id.desc())
        oldest = newest.limit(1).offset(MAX_CONVERSATIONS)
        cls.delete().where(cls.team_id == row.team_id, cls.id <= oldest).execute()
        return row

    def go_on(self, *, events: list[dict[str, Any]], **values: Any) -> Self:
        """Store one more turn. Raises NotFound if the row was deleted, Conflict if another turn came meanwhile."""
        now = type(self).fetch(self, self.id)
        if now.turns != self.turns:
            raise Conflict(f"Conversation {self.id} took another turn meanwhile. Send one turn at a time.")
        now.change(turns=now.turns + 1, **values)
        now._add_turn(events)
        return now

    def _add_turn(self, events: list[dict[str, Any]]) -> None:
        TalkTurn.add(self, talk_id=self.id, number=self.turns, events=events)
        self.events = events

    def recall(self) -> Self:
        """Return this row with the events of all its turns."""
        self.events = list(chain.from_iterable(turn.events for turn in TalkTurn.listing(self, talk_id=self.id)))
        return self


class TalkTurn(Record):
    """The events of one turn, in a row of their own, so that a turn need not read the earlier ones."""

    id_prefix = "turn"
    order: ClassVar[tuple[str, ...]] = ("number",)

    talk_id = TextField()
    number = IntegerField()
    events = JsonField()
