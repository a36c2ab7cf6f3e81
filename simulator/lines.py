"""A deployment as the simulator sees it: what it is about, who answers, what runs behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any
from zlib import crc32

import orjson

from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import CHANNELS
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.workers import Worker
from dryline.simulator.people import CITIES, Person, pools
from dryline.simulator.trades import Trade, trades_of
from dryline.world.errors import NotFound


@dataclass(slots=True)
class Line:
    """A deployment with all that its conversations need, looked up once."""

    team_id: str
    worker_id: str
    deployment_id: str
    flow_id: str
    code: str | None
    number: str  # its own, E.164
    transfers_to: str
    business: str
    agent: str
    trades: tuple[Trade, ...]
    extractions: Mapping[str, Any] | None
    success_criteria: Any
    voice: str
    voice_id: str | None
    welcome: str | None

    def facts(self, trade: Trade, rng: Random, person: Person) -> dict[str, Any]:
        """The slots of a script for one conversation with this person."""
        facts = trade.facts(rng, person)
        facts["business"], facts["agent"], facts["line"] = self.business, self.agent, self.number
        return facts


def deployment_of(worker_id: str, id: str, *channels: str, team_id: str | None = None) -> Deployment:
    """The worker's deployment, if it is of one of the channels and, where a team is named, the team's.

    Raises NotFound.
    """
    found = Deployment.find(id=id, worker_id=worker_id)
    if found is None or found.type not in channels or team_id not in (None, found.team_id):
        raise NotFound(f"Worker {worker_id} has no {' or '.join(channels)} deployment {id}.", "deployment_id")
    return CHANNELS[found.type].fetch(found, id)


def line_of(deployment: Deployment) -> Line:
    """The line of a deployment, given as a record of its channel's class."""
    worker = Worker.fetch(deployment, deployment.worker_id)
    flow = Flow.find(id=deployment.flow_id, team_id=deployment.team_id)
    mark = crc32(worker.name.encode(errors="replace"))
    code = _code(deployment, flow)
    area_code = CITIES[mark % len(CITIES)][2]
    allowed = orjson.loads(getattr(deployment, "allowed_transfer_numbers", "[]"))
    return Line(
        team_id=deployment.team_id,
        worker_id=worker.id,
        deployment_id=deployment.id,
        flow_id=deployment.flow_id,
        code=code,
        number=getattr(deployment, "phone_number", None) or f"+1{area_code}5550100",
        transfers_to=getattr(deployment, "backup_phone_number", None) or next(iter(allowed), f"+1{area_code}5550199"),
        business=worker.name,
        agent=getattr(deployment, "agent_name", None) or pools().agents[mark % len(pools().agents)],
        trades=trades_of(f"{worker.name} {worker.description or ''}", f"{deployment.name} {flow and flow.name}", code),
        extractions=getattr(deployment, "extractions", None),
        success_criteria=getattr(deployment, "success_criteria", None),
        voice=getattr(deployment, "voice_provider", None) or "elevenlabs",
        voice_id=getattr(deployment, "voice_id", None),
        welcome=getattr(deployment, "welcome_message", None),
    )


def _code(deployment: Deployment, flow: Flow | None) -> str | None:
    """The code that runs: that of the version the deployment is pinned to, else the flow's; None when it is gone."""
    pinned = getattr(deployment, "flow_version_id", None)
    version = FlowVersion.find(id=pinned, team_id=deployment.team_id) if pinned else None
    return version.code if version else flow.code if flow else None
