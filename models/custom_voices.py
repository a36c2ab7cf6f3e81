"""Custom voices: voices of the team at the speech provider."""

import string
from random import Random
from typing import Self

from peewee import TextField

from dryline.models.collection import StateCollection
from dryline.models.teams import Team
from dryline.storage.record import Record

NAMES = ("Adele", "Bruno", "Carla", "Dario", "Elena", "Felix", "Greta", "Hugo", "Irene", "Jonas", "Karin", "Louis")
MANNERS = ("Warm", "Calm", "Bright", "Friendly", "Clear", "Deep", "Gentle", "Lively", "Soft", "Steady")


class CustomVoice(Record):
    """A voice of the team. The real service looks name and owner up; here they follow from the provider's id."""

    id_prefix = "voice"

    updated_at = TextField()
    elevenlabs_voice_id = TextField()
    name = TextField()
    owner_id = TextField(null=True)

    @classmethod
    def adopt(cls, team: Team, *, elevenlabs_voice_id: str) -> Self:
        """Create a voice. Equal provider's ids give equal names and owners. Contract: createCustomVoice."""
        return cls.add(team, elevenlabs_voice_id=elevenlabs_voice_id, **cls.looked_up(elevenlabs_voice_id))

    @staticmethod
    def looked_up(elevenlabs_voice_id: str) -> dict[str, str]:
        """Return the name and the owner of the provider's voice."""
        chance = Random(elevenlabs_voice_id)
        name = f"{chance.choice(NAMES)} - {chance.choice(MANNERS)}"
        return {"name": name, "owner_id": "".join(chance.choices(string.ascii_letters + string.digits, k=28))}


STATE = {
    "customVoices": StateCollection(
        CustomVoice, complete=lambda row, rows: row.update(CustomVoice.looked_up(row["elevenlabs_voice_id"]) | row)
    )
}
