"""Flow versions: the committed code and variables of a flow."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from peewee import SQL, IntegerField, TextField, fn

from dryline.models.collection import FLOW, ImportContext, Row, StateCollection
from dryline.models.teams import ApiKey, Team
from dryline.storage.record import JsonField, Record, tuples

if TYPE_CHECKING:
    from dryline.models.flows import Flow


class FlowVersion(Record):
    """One committed version, never changed. `version_number` starts at 1 in its flow and counts up by one."""

    id_prefix = "fv"
    order: ClassVar[tuple[str, ...]] = ("-version_number", "-id")

    flow_id = TextField()
    version_number = IntegerField()
    code = TextField()
    variables = JsonField()
    commit_message = TextField(default="")
    author_type = TextField(default="API_KEY")
    author_user_id = TextField(null=True)
    author_api_key_id = TextField(null=True)

    @classmethod
    def counts(cls, team: Record) -> dict[str, int]:
        """Return how many versions each flow of the team has, by the id of the flow."""
        query = cls.select(cls.flow_id, fn.COUNT(SQL("*"))).where(cls.team_id == team.team_id).group_by(cls.flow_id)
        return dict(tuples(query))

    @classmethod
    def commit(cls, flow: Flow, author: ApiKey | Team, message: str) -> Self:
        """Store the flow's present code and variables as its next version. Contract: commitFlowVersion."""
        highest = cls.select(fn.MAX(cls.version_number)).where(cls.flow_id == flow.id).scalar()
        return cls.add(
            flow,
            flow_id=flow.id,
            version_number=(highest or 0) + 1,
            code=flow.code,
            variables=flow.variables,
            commit_message=message,
            **{f"author_{name}": value for name, value in author.authorship.items()},
        )


def complete_imported_version(row: Row, rows: ImportContext) -> None:
    """Give an imported version without variables those of its flow."""
    row.setdefault("variables", rows.find_row("flows", row["flow_id"]).get("variables") or {})


STATE = {"flowVersions": StateCollection(FlowVersion, required_links=FLOW, complete=complete_imported_version)}
