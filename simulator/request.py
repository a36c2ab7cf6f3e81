"""A request for conversations: who, when, how many, and what shall happen in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random
from typing import Any

from dryline.models.scripted_outcomes import scripted_outcome
from dryline.simulator.deployment_context import DeploymentContext
from dryline.simulator.followed import FollowedFlow, NotFollowed
from dryline.storage.errors import Invalid
from dryline.world.world import World

LLM_LOGGED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationRequest:
    """The conversations that a client, a campaign or the rate of live calls wants. None is left to chance.

    They lie between `start_time`, when the first one begins, and `end_time`; without `start_time`, in the 24 hours
    before `end_time` (now), when the last call ends. No call ends after an `end_time`: one that does not fit begins
    before `start_time`. Calls `in_progress` go on by the clock, and without times begin now. Others without times begin
    `after` the newest conversation of the deployment.

    The other party has `customer_number` (E.164), else each call another number. Without an `outcome` the number may
    determine it (models/scripted_outcomes.py). The same `seed` gives the same conversations, people and outcomes; ids
    are always new. LLM logs are more than half of all rows, so more than LLM_LOGGED conversations have none by default.
    A campaign's call has `row`, the contact's, and an outcome that `is_drawn`: the flow may have another.
    `follow` is `flow`, `script` or None; `branch` and `shares` are those of FollowedFlow.
    """

    count: int = 1
    outcome: str | None = None
    is_drawn: bool = False
    direction: str | None = None
    customer_number: str | None = None
    row: Mapping[str, Any] | None = None
    seed: int | None = None
    start_time: datetime | None = None
    end_time: datetime | None = None
    llm_logs: bool | None = None
    follow: str | None = None
    branch: Sequence[str] = ()
    shares: Mapping[str, float] | None = None
    in_progress: bool = False
    after: datetime | None = None

    @property
    def wanted_outcome(self) -> str | None:
        """The outcome that was asked for, or that the number determines; None to draw one."""
        return self.outcome or scripted_outcome(self.customer_number)

    @property
    def is_fixed(self) -> bool:
        """Whether the outcome may be no other."""
        return self.wanted_outcome is not None and not self.is_drawn

    @property
    def has_llm_logs(self) -> bool:
        """Whether the conversations have LLM logs."""
        return self.count <= LLM_LOGGED if self.llm_logs is None else self.llm_logs

    def random(self, world: World) -> Random:
        """Return the generator of all that is left to chance."""
        return Random(world.ids.random.getrandbits(64) if self.seed is None else self.seed)

    def flow_of(self, world: World, deployment: DeploymentContext) -> FollowedFlow | NotFollowed:
        """Return the flow to follow, or why there is none. Raises Invalid for what it cannot do; Busy."""
        is_scripted = self.follow == "script"
        flow = NotFollowed("The script was asked for.") if is_scripted else FollowedFlow.read(world, deployment)
        if isinstance(flow, FollowedFlow):
            flow = flow.taking(self.branch, self.shares or {})
            flow.require_possible(self.wanted_outcome, never_scripted=self.follow == "flow")
        elif self.follow == "flow":
            raise Invalid(flow.why, "follow")
        elif self.branch:
            raise Invalid(flow.why, "branch")
        return flow
