"""Deployment history: what changed in a deployment, from what to what, and by whom."""

from collections.abc import Mapping
from typing import Any

from peewee import TextField

from dryline.models.collection import DEPLOYMENT, StateCollection
from dryline.models.open_json import OpenJsonRecord
from dryline.models.teams import ApiKey, Team
from dryline.storage.json_values import differ
from dryline.storage.record import JsonField, Record, Rows

# Contract: records.deployment_history_entry. What is not named here is CONFIG.
CHANGE_TYPES = {
    "flow_id": "FLOW_VERSION",
    "flow_version_id": "FLOW_VERSION",
    "external_config": "VOICE_SETTINGS",
    "enable_voice_sentiment": "VOICE_SETTINGS",
    "engine_model": "VOICE_SETTINGS",
    "status": "STATUS",
}
PARAMETERS = "PARAMETERS"


class DeploymentHistoryEntry(OpenJsonRecord):
    """One change. `changes` maps what changed to its `from` and `to`.

    The keys are attribute names, which the schema turns into the wire's; those of a PARAMETERS entry are the
    parameters' own names and stay as they are.
    """

    id_prefix = "dh"

    deployment_id = TextField()
    change_type = TextField()
    changes = JsonField(default=dict)
    author_type = TextField(default="API_KEY")
    author_user_id = TextField(null=True)
    author_api_key_id = TextField(null=True)

    @classmethod
    def of_deployment(cls, deployment: Record, change_type: str | None = None) -> Rows:
        """Return the deployment's history, newest first, or one kind of it. Contract: listDeploymentHistory."""
        where = {"change_type": change_type} if change_type else {}
        return Rows(cls, {"deployment_id": deployment.id, **where})  # of its team: SQLite would prefer that index

    @classmethod
    def record_changes(
        cls,
        deployment: Record,
        author: ApiKey | Team,
        before: Mapping[str, Any],
        after: Mapping[str, Any],
        change_type: str | None = None,
    ) -> None:
        """Add an entry for each change type among the values that differ, or one of `change_type`.

        Both map names to values; a missing value is None.
        """
        changes: dict[str, dict[str, Any]] = {}
        for name in dict.fromkeys((*before, *after)):
            old, new = before.get(name), after.get(name)
            if differ(old, new):
                type_of_name = change_type or CHANGE_TYPES.get(name, "CONFIG")
                changes.setdefault(type_of_name, {})[name] = {"from": old, "to": new}
        author_columns = {f"author_{name}": value for name, value in author.authorship.items()}
        for type_of_entry, entry in changes.items():
            cls.add(deployment, deployment_id=deployment.id, change_type=type_of_entry, changes=entry, **author_columns)


STATE = {"deploymentHistory": StateCollection(DeploymentHistoryEntry, required_links=DEPLOYMENT)}
