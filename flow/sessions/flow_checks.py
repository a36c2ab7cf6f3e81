"""Checks of a team's flows: their code, and whether something sets the variables that they read."""

from collections.abc import Mapping
from typing import Any

from dryline.flow.language.errors import CodeRefused, Finding
from dryline.flow.language.member_reads import FlowContext, reads_state
from dryline.flow.language.program import Program
from dryline.flow.sessions.engines import engine_of, invalid_code_error
from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.storage.errors import Invalid
from dryline.world.world import World

_CAMPAIGNS = 5  # the newest ones, whose first rows are looked at
_ROWS = 50


def find_missing_members(world: World, code: str, variables: Mapping[str, Any], flow: Flow | None) -> list[Finding]:
    """Return findings about members that code without errors needs and nothing sets. `flow` is None for a new one."""
    engine = engine_of(world)
    program = engine.program(code)
    return engine.find_missing_members(program, _build_context(program, variables, flow))


def require_valid_code(world: World, code: str, variables: Mapping[str, Any], flow: Flow | None = None) -> None:
    """Check code. Raises Invalid with line and column if it cannot run or needs what nothing sets, and Busy."""
    try:
        engine_of(world).checked_program(code)
    except CodeRefused as refused:
        raise invalid_code_error(refused, "code") from None
    for finding in find_missing_members(world, code, variables, flow):
        if finding.severity == "error":
            raise Invalid(f"Line {finding.line}, column {finding.column}: {finding.sentence}", "code")


def _build_context(program: Program, variables: Mapping[str, Any], flow: Flow | None) -> FlowContext:
    """Return what the conversations of a flow with this program begin with."""
    if flow is None:
        return FlowContext(variables)

    deployments = {one.id: one.name for one in Deployment.listing(flow, flow_id=flow.id)}
    parameters: dict[str, set[str]] = {id: set() for id in deployments}
    for parameter in DeploymentParameter.select().where(DeploymentParameter.deployment_id.in_([*deployments])):
        parameters[parameter.deployment_id].add(parameter.name)
    by_name = {name: parameters[id] for id, name in deployments.items()}
    columns = _campaign_columns([*deployments]) if deployments and reads_state(program) else set()
    return FlowContext(variables, by_name, columns)


def _campaign_columns(deployment_ids: list[str]) -> set[str]:
    """Return the names in the first rows of the newest campaigns of some deployments."""
    campaigns = OutboundCampaign.select(OutboundCampaign.data)
    campaigns = campaigns.where(OutboundCampaign.deployment_id.in_(deployment_ids))
    newest = campaigns.order_by(OutboundCampaign.created_at.desc()).limit(_CAMPAIGNS)
    return {name for campaign in newest for row in campaign.data[:_ROWS] for name in row}
