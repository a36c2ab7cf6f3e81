"""A deployment as the simulator sees it: what it is about, who answers, what runs behind it, whom it calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import TYPE_CHECKING, Any
from zlib import crc32

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.filling import made_up
from dryline.models.business_hours import BusinessHours, TeamPhoneHours
from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployment_parameters import apply_version_and_parameters
from dryline.models.deployments import Deployment, DeploymentProfile
from dryline.models.deployments_lookup import CHANNELS
from dryline.models.flows import Flow
from dryline.models.teams import Team
from dryline.models.workers import Worker
from dryline.simulator.analysis import fact_of
from dryline.simulator.opening_hours import Week, default_week, week_of
from dryline.simulator.people import City, cities
from dryline.simulator.tables import Industry, industry_of, table
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound

if TYPE_CHECKING:
    from dryline.simulator.facts import Facts

_AGENT = re.compile(r"\b(?:You(?: are|'re)|[Tt]his is) ([A-Z][a-z]{2,})(?=[,.]| (?:from|of|at|with|and) )")
_ROWS = 50  # of a campaign that are looked at
_READ = re.compile(r"""\bstate(?:\[\s*|\.get\(\s*)["'](?P<member>\w+)["'](?:\s*,\s*["'](?P<default>[^"']*)["'])?""")
_PERSON = ("name", "first", "last", "phone", "email")


@dataclass(slots=True, kw_only=True)
class DeploymentContext:
    """A deployment with all that its conversations need, looked up once.

    `profile` is what the deployment itself says; the rest is of its worker, flow and team, or made up.
    """

    team_id: str
    worker_id: str
    deployment_id: str
    channel: str  # the deployment's type
    profile: DeploymentProfile
    flow_id: str
    code: str | None
    variables: Mapping[str, Any]
    number: str  # its own, E.164
    desk_number: str  # transfers of scripted calls go there
    business: str
    agent: str
    address: str
    week: Week
    zone: str
    industry: Industry
    is_outbound: bool = False  # whether the flow calls people
    contact_rows: tuple[Mapping[str, Any], ...] = ()  # of the newest campaign of an outbound flow
    answers: dict[str, Any] | None = None  # stubs of a test for the flow's `ask`, and for other servers
    http: list[dict[str, Any]] | None = None

    @property
    def is_chat(self) -> bool:
        """Whether its conversations are typed."""
        return self.channel in ("Chat", "ChatEmbed")


def deployment_of(worker_id: str, id: str, *channels: str, team_id: str | None = None) -> Deployment:
    """Return a worker's deployment of one of the channels; with a team, only its own. Raises NotFound."""
    row = Deployment.find(id=id, worker_id=worker_id)
    if row is None or row.type not in channels or team_id not in (None, row.team_id):
        raise NotFound(f"Worker {worker_id} has no {' or '.join(channels)} deployment {id}.", "deployment_id")
    return CHANNELS[row.type].fetch(row, id)


def context_of(deployment: Deployment) -> DeploymentContext:
    """Return the context of a deployment, a record of its channel's class."""
    worker = Worker.fetch(deployment, deployment.worker_id)
    flow = Flow.find(id=deployment.flow_id, team_id=deployment.team_id)
    profile = deployment.profile()
    shown = apply_version_and_parameters(flow, profile.flow_version_id, deployment.id) if flow else None
    is_outbound = flow is not None and "outbound" in (flow.label or "").lower()
    context = _context_of_worker(
        worker,
        deployment.type,
        profile,
        code=shown.code if shown else None,
        variables=shown.merged_parameters if shown else {},
        about=f"{deployment.name} {flow and flow.name}",
        opening_hours=_hours(deployment.team_id, profile.phone_number or _made_up_number(worker)),
    )
    return replace(
        context,
        deployment_id=deployment.id,
        flow_id=deployment.flow_id,
        is_outbound=is_outbound,
        contact_rows=_contact_rows(deployment) if is_outbound else (),
    )


def context_of_flow(flow: Flow, channel: str) -> DeploymentContext:
    """Return a context in which a flow runs by itself, without a deployment."""
    worker = Worker.fetch(flow, flow.worker_id)
    context = _context_of_worker(
        worker, channel, DeploymentProfile(), code=flow.code, variables=flow.variables, about=flow.name
    )  # fmt: skip
    return replace(context, flow_id=flow.id)


def _context_of_worker(
    worker: Worker,
    channel: str,
    profile: DeploymentProfile,
    *,
    code: str | None,
    variables: Mapping[str, Any],
    about: str,
    opening_hours: BusinessHours | None = None,
) -> DeploymentContext:
    """Return the context of a worker's conversations, as yet without the ids of a deployment and a flow."""
    mark = _mark_of(worker)
    number = profile.phone_number or _made_up_number(worker)
    city = next((city for city in cities() if number[2:5] == city.area_code), _pick(cities(), mark))
    named = _AGENT.search(code or "")  # "You are Nora, …", "…, this is Nora."
    openings = [opening_hours.openings(day) for day in range(7)] if opening_hours else None
    return DeploymentContext(
        team_id=worker.team_id,
        worker_id=worker.id,
        deployment_id="",
        channel=channel,
        profile=profile,
        flow_id="",
        code=code,
        variables=variables,
        number=number,
        desk_number=profile.transfer_number or f"+1{city.area_code}5550199",
        business=worker.name,
        agent=profile.agent_name or (named[1] if named else _pick(table("agents"), mark)),
        address=_address(variables, mark, city),
        week=week_of(openings) if openings else default_week(mark),
        zone=opening_hours.timezone if opening_hours else city.zone,
        industry=industry_of(f"{worker.name} {worker.description or ''}", about, code),
    )


def _mark_of(worker: Worker) -> int:
    """Return a number by which the same worker has the same agent, the same address, and so on."""
    return crc32(worker.name.encode(errors="replace"))


def _made_up_number(worker: Worker) -> str:
    return f"+1{_pick(cities(), _mark_of(worker)).area_code}5550100"


def _contact_rows(deployment: Deployment) -> tuple[Mapping[str, Any], ...]:
    """Return rows of the newest campaign of a deployment, which show what its flow reads."""
    campaigns = OutboundCampaign.select(OutboundCampaign.data).where(OutboundCampaign.deployment_id == deployment.id)
    newest = campaigns.order_by(OutboundCampaign.created_at.desc()).first()
    return tuple(newest.data[:_ROWS]) if newest else ()


def _hours(team_id: str, number: str) -> BusinessHours | None:
    tie = next(iter(TeamPhoneHours.search(Team.by_id(team_id), phone_number=number)), None)
    return BusinessHours.find(id=tie.hours_id) if tie else None


def _pick(options: Sequence[Any], mark: int) -> Any:
    """Return the option that a mark stands for (see `_mark_of`)."""
    return options[mark % len(options)]


def _address(variables: Mapping[str, Any], mark: int, city: City) -> str:
    """Return the variable `address`, else an invented address."""
    if isinstance(variables.get("address"), str):
        return variables["address"]
    street = f"{_pick(table('last names'), mark // 7)} {_pick(table('streets'), mark // 11)}"
    return f"{100 + mark // 13 % 900} {street}, {city.name}"


def contact_row(deployment: DeploymentContext, random: Random, now: datetime) -> dict[str, Any]:
    """Return a row with all that the deployment's flow reads from `state`, as a campaign would have it at this time.

    Values are those of a row of its newest campaign, if it has one; the person is another.
    """
    sample: Mapping[str, Any] = random.choice(deployment.contact_rows) if deployment.contact_rows else {}
    members = {match["member"]: match["default"] for match in _READ.finditer(deployment.code or "")}
    row = {}
    for member, default in members.items():
        if member in ("Caller", "variables"):  # which no campaign sets
            continue
        if member in sample and fact_of(member) not in _PERSON:
            row[member] = sample[member]
        else:
            row[member] = made_up(Slot(default or "", member), random, now)
    return row


def sample_contact(deployment: Deployment) -> dict[str, Any]:
    """Return a made-up contact row for the flow of an outbound deployment; an empty one for any other."""
    context = context_of(deployment)
    return contact_row(context, Random(0), current().now()) if context.is_outbound else {}


def with_person(row: Mapping[str, Any], facts: Facts) -> dict[str, Any]:
    """Return the row with the name, number and e-mail address of the person who is called."""
    return {**row, **{member: facts[fact] for member in row if (fact := fact_of(member)) in _PERSON}}
