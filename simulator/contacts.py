"""Contact rows for calls of outbound flows that no campaign places."""

import re
from collections.abc import Mapping
from datetime import datetime
from random import Random
from typing import Any

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.table import made_up
from dryline.models.deployments import Deployment
from dryline.simulator.analysis import fact_of
from dryline.simulator.deployment_context import DeploymentContext, context_of
from dryline.storage.current_world import current

_READ = re.compile(r"""\bstate(?:\[\s*|\.get\(\s*)["'](?P<member>\w+)["'](?:\s*,\s*["'](?P<default>[^"']*)["'])?""")
_PERSON = ("name", "first", "last", "phone", "email")
_NOT_CONTACT = {"Caller", "variables"}


def contact_row(deployment: DeploymentContext, random: Random, now: datetime) -> dict[str, Any]:
    """Return a row with all that the deployment's flow reads from `state`, as a campaign would have it at this time.

    Values are those of a row of its newest campaign, if it has one; the person is another.
    """
    sample: Mapping[str, Any] = random.choice(deployment.contact_rows) if deployment.contact_rows else {}
    members = {match["member"]: match["default"] for match in _READ.finditer(deployment.code or "")}
    row = {}
    for member, default in members.items():
        if member in _NOT_CONTACT:
            continue
        if member in sample and fact_of(member) not in _PERSON:
            row[member] = sample[member]
        else:
            row[member] = made_up(Slot(default or "", member), random, now)[0]
    return row


def sample_contact(deployment: Deployment) -> dict[str, Any]:
    """Return a made-up contact row for the flow of an outbound deployment; an empty one for any other."""
    context = context_of(deployment)
    return contact_row(context, Random(0), current().clock.now()) if context.is_outbound else {}


def with_person(row: Mapping[str, Any], facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the row with the name, number and e-mail address of the person who is called."""
    return {**row, **{member: facts[fact] for member in row if (fact := fact_of(member)) in _PERSON}}
