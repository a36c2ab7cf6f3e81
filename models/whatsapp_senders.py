"""WhatsApp senders: numbers of the team that may write on WhatsApp once the provider has let them."""

from datetime import timedelta
from typing import Any, Self

from peewee import TextField

from dryline.models.assets import new_sid
from dryline.models.collection import StateCollection
from dryline.models.due import due_rows
from dryline.models.numbering import e164
from dryline.models.teams import Team
from dryline.storage.record import JsonField, Record, constant
from dryline.world.clock import parse, wire

REVIEW = timedelta(seconds=60)  # API time from purchase to the provider's word
REFUSED = "+15005550001"  # the provider's own test number for one that cannot be used


class WhatsappSender(Record):
    """A sender. PENDING -> ONLINE after the review, or FAILED for REFUSED and for what is no number (assumed)."""

    id_prefix = "XE"  # and 32 hex digits

    updated_at = TextField()
    phone_number = TextField()
    status = TextField(default="PENDING")
    profile = JsonField()

    @classmethod
    def purchase(cls, team: Team, *, phone_number: str, profile: dict[str, Any]) -> Self:
        """Create a new sender, pending. Contract: purchaseWhatsappSender."""
        return cls.add(team, id=new_sid(cls.id_prefix), phone_number=phone_number, profile=profile)

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        latest = wire(parse(moment) - REVIEW)
        return due_rows(cls._due_query, limit, latest=latest, moment=moment)

    @classmethod
    def _due_query(cls, latest: str, moment: str) -> Any:
        # A sender that is newer than the moment was created before the clock was set back.
        is_due = (cls.created_at <= latest) | (cls.created_at > moment)
        return cls.select().where(cls.status == constant("PENDING"), is_due).order_by(cls.created_at, cls.id)

    def proceed(self, moment: str) -> None:
        """End the review, as of the moment it was over."""
        number = e164(self.phone_number)
        status = "FAILED" if number in (None, REFUSED) else "ONLINE"
        self.change(status=status, updated_at=wire(parse(self.created_at) + REVIEW))


STATE = {
    "whatsappSenders": StateCollection(
        WhatsappSender, complete=lambda row, rows: row.setdefault("profile", {"name": row["phone_number"]})
    )
}
