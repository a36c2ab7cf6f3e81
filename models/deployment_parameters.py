"""Deployment parameters: named values of one deployment, which override the variables of its flow."""

from contextlib import AbstractContextManager
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import DEPLOYMENT, StateCollection
from dryline.models.deployment_history import PARAMETERS, DeploymentHistoryEntry
from dryline.models.deployments import Deployment
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.teams import ApiKey
from dryline.storage.record import JsonField, Record, Rows, unique


class DeploymentParameter(Record):
    """A named value; the name is unique in the deployment, the value any JSON but null."""

    id_prefix = "param"

    updated_at = TextField()
    deployment_id = TextField()
    name = TextField()
    value = JsonField()
    description = TextField(null=True)

    @classmethod
    def of_deployment(cls, deployment: Deployment) -> Rows:
        """Return the deployment's parameters, newest first. Contract: listDeploymentParameters."""
        return cls.listing(deployment, deployment_id=deployment.id)

    @classmethod
    def define(cls, deployment: Deployment, author: ApiKey, **values: Any) -> Self:
        """Create a new parameter, entered in the history.

        Raises Conflict when the deployment has one of that name. Contract: createDeploymentParameter.
        """
        with _unique_name(deployment, values["name"]):
            parameter = cls.add(deployment, deployment_id=deployment.id, **values)
        DeploymentHistoryEntry.record_changes(deployment, author, {}, parameter._values_in_history(), PARAMETERS)
        return parameter

    def revise(self, deployment: Deployment, author: ApiKey, **values: Any) -> Self:
        """Change name, value or description, and enter it in the history.

        Raises Conflict when another parameter has the name. Contract: updateDeploymentParameter.
        """
        before = self._values_in_history()
        with _unique_name(deployment, values.get("name", self.name)):
            self.change(**values)
        DeploymentHistoryEntry.record_changes(deployment, author, before, self._values_in_history(), PARAMETERS)
        return self

    def withdraw(self, deployment: Deployment, author: ApiKey) -> None:
        """Delete the parameter, and enter it in the history. Contract: deleteDeploymentParameter."""
        self.remove()
        DeploymentHistoryEntry.record_changes(deployment, author, self._values_in_history(), {}, PARAMETERS)

    def _values_in_history(self) -> dict[str, Any]:
        """Return the values that the history compares: the value by the name, the description by `name.description`."""
        values = {self.name: self.value}
        if self.description is not None:
            values[f"{self.name}.description"] = self.description
        return values


def _unique_name(deployment: Deployment, name: str) -> AbstractContextManager[None]:
    return unique(f"Deployment {deployment.id} already has a parameter named {name!r}.")


def apply_version_and_parameters(flow: Flow, version_id: str | None = None, deployment_id: str | None = None) -> Flow:
    """Give a flow the code of one of its versions and a deployment's parameters, without saving it, and return it.

    Raises NotFound when the flow has no such version or the team no such deployment. Contract: getFlow, lookupFlow.
    """
    if version_id is not None:
        version = flow.child(FlowVersion, version_id)
        flow.code, flow.variables = version.code, version.variables  # without saving
    if deployment_id is not None:
        parameters = DeploymentParameter.of_deployment(Deployment.fetch(flow, deployment_id))
        flow.merged_parameters = {**flow.variables, **{one.name: one.value for one in parameters}}
    return flow


STATE = {"deploymentParameters": StateCollection(DeploymentParameter, required_links=DEPLOYMENT)}
