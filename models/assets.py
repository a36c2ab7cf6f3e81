"""Assets: the team's telephone numbers, and the subaccount that bought ones belong to."""

from typing import Self

from peewee import BooleanField, TextField

from dryline.models.collection import WORKER, ImportContext, Row, StateCollection
from dryline.models.integrations import Integration
from dryline.models.numbering import country_of, e164
from dryline.models.teams import Team, forget_keys
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.record import JsonField, Record, unique

# The provider of a number: taken over from the team's own account, or bought. Contract: records.phone_number.
IMPORTED, BOUGHT = "twilio", "brainbase"


class PhoneNumber(Record):
    """A number of the team, unique in it, in E.164 form. `integration_id` is None for one bought from the vendor."""

    id_prefix = "phone"

    updated_at = TextField()
    phone_number = TextField()
    provider = TextField()
    a2p_verified = BooleanField(default=False)
    integration_id = TextField(null=True)
    worker_id = TextField(null=True)
    country_code = TextField(null=True)
    caller_name = TextField(null=True)
    metadata = JsonField(null=True)

    @classmethod
    def register(cls, team: Team, *, phone_number: str, integration_id: str) -> Self:
        """Take over a number of the team's own provider account. Contract: registerPhoneNumber.

        Raises NotFound for an unknown integration, Invalid for what is no number, Conflict for a number it has.
        """
        integration = Integration.fetch(team, integration_id, field="integration_id")
        return cls._enter(team, phone_number, "phone_number", provider=IMPORTED, integration_id=integration.id)

    @classmethod
    def purchase(cls, team: Team, *, phone_numbers: list[str], integration_id: str | None = None) -> list[Self]:
        """Buy numbers from the vendor, all or none. Contract: purchasePhoneNumbers. Raises as `register` does.

        Those that no integration is named for go to the team's subaccount, which the first purchase opens (assumed).
        """
        if integration_id is not None:
            Integration.fetch(team, integration_id, field="integration_id")
        elif phone_numbers:
            open_subaccount(team)
        return [
            cls._enter(team, number, f"phone_numbers.{index}", provider=BOUGHT, integration_id=integration_id)
            for index, number in enumerate(phone_numbers)
        ]

    @classmethod
    def _enter(cls, team: Team, text: str, field: str, **values: str | None) -> Self:
        number = e164(text)
        if number is None:
            raise Invalid("Not a telephone number.", field)
        with unique(f"The team already has the number {number}."):
            return cls.add(team, phone_number=number, country_code=country_of(number), **values)


def complete_imported_number(row: Row, rows: ImportContext) -> None:
    """Set the country and the provider of an imported number; without an integration it is a bought one."""
    if "country_code" not in row:
        row["country_code"] = country_of(row["phone_number"])
    row.setdefault("provider", IMPORTED if row.get("integration_id") else BOUGHT)


def open_subaccount(team: Team) -> None:
    """Give the team a telephony subaccount, unless it has one. Raises NotFound when the team is gone."""
    team = Team.fetch(team, team.id)
    if team.twilio_subaccount_sid is None:
        team.change(twilio_subaccount_sid=new_sid("AC"), twilio_subaccount_auth_token=new_sid(""))
        forget_keys()


def new_sid(prefix: str) -> str:
    """Return a provider's id: the prefix and 32 hex digits."""
    return prefix + current().ids.new("").removeprefix("_").replace("-", "")


STATE = {
    "phoneNumbers": StateCollection(
        PhoneNumber, optional_links={"integration_id": ("integrations",), **WORKER}, complete=complete_imported_number
    )
}
