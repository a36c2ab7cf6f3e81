"""Echo: test suites, agents that play the caller, and the scorecards that judge. Their runs: models/echo_runs.py."""

from typing import Any, ClassVar, Self

from peewee import TextField

from dryline.models.collection import DEPLOYMENT, StateCollection
from dryline.models.deployments import Deployment
from dryline.models.teams import Team
from dryline.models.workers import Worker
from dryline.storage.record import JsonField, Record


class EchoRecord(Record):
    """Base of suites, agents and scorecards. Their links must lead to rows of the team.

    Deleting what a link leads to clears it: foreign keys do so for single links, `EchoScorecard.remove` for lists.
    """

    scorecard_list: ClassVar[str] = ""  # the column that lists Echo scorecards

    updated_at = TextField()
    name = TextField()

    @classmethod
    def define(cls, team: Team, **values: Any) -> Self:
        """Create a new record. Raises NotFound, naming the member, when a link leads nowhere."""
        cls._check_links(team, values)
        return cls.add(team, **values)

    def revise(self, **values: Any) -> Self:
        """Change the values. Raises NotFound, naming the member, when a link leads nowhere."""
        self._check_links(self, values)
        return self.change(**values)

    @classmethod
    def _check_links(cls, team: Record, values: dict[str, Any]) -> None:
        single: dict[str, type[Record]] = {"deployment_id": Deployment, "suite_id": EchoSuite, "agent_id": EchoAgent}
        for name, model in single.items():
            if name in values:
                model.fetch(team, values[name], field=name)
        for index, id in enumerate(values.get(cls.scorecard_list, ())):
            EchoScorecard.fetch(team, id, field=f"{cls.scorecard_list}.{index}")


class EchoSuite(EchoRecord):
    """A test suite. `scorecard_ids` are stored as sent, `echo_scorecard_ids` are checked. Contract: createEchoSuite."""

    id_prefix = "echosuite"
    scorecard_list = "echo_scorecard_ids"

    description = TextField(null=True)
    deployment_id = TextField(null=True)
    scorecard_ids = JsonField(default=list)
    echo_scorecard_ids = JsonField(default=list)


class EchoAgent(EchoRecord):
    """A simulated caller. `goals` is a list of texts, or one text."""

    id_prefix = "echoagent"
    scorecard_list = "scorecard_ids"

    type = TextField(default="")
    purpose = TextField(default="")
    goals = JsonField(default=list)
    deployment_id = TextField(null=True)
    suite_id = TextField(null=True)
    scorecard_ids = JsonField(default=list)


class EchoScorecard(EchoRecord):
    """Criteria for conversations. `items` are objects, stored as sent."""

    id_prefix = "echoscorecard"

    description = TextField(null=True)
    items = JsonField(default=list)
    suite_id = TextField(null=True)
    agent_id = TextField(null=True)
    deployment_id = TextField(null=True)

    def remove(self) -> None:
        """Delete the scorecard and drop its id from suites and agents. Contract: deleteEchoScorecard."""
        for model, names in ((EchoSuite, ("scorecard_ids", "echo_scorecard_ids")), (EchoAgent, ("scorecard_ids",))):
            for record in model.listing(self):
                remaining = {}
                for name in names:
                    ids = getattr(record, name)
                    if self.id in ids:
                        remaining[name] = [id for id in ids if id != self.id]
                record.change(**remaining)
        super().remove()


def echo_of(worker: Worker) -> tuple[list[EchoSuite], list[EchoAgent], list[EchoScorecard]]:
    """Return the suites, agents and scorecards of the worker: linked by its deployments, or by each other."""
    deployments = {one.id for one in Deployment.listing(worker, worker_id=worker.id)}
    suites = [suite for suite in EchoSuite.listing(worker) if suite.deployment_id in deployments]
    owners = deployments | {suite.id for suite in suites}
    agents = [agent for agent in EchoAgent.listing(worker) if {agent.deployment_id, agent.suite_id} & owners]
    owners |= {agent.id for agent in agents}
    listed = {id for suite in suites for id in suite.echo_scorecard_ids}
    listed |= {id for agent in agents for id in agent.scorecard_ids}
    cards = [
        card
        for card in EchoScorecard.listing(worker)
        if card.id in listed or {card.deployment_id, card.suite_id, card.agent_id} & owners
    ]
    return suites, agents, cards


STATE = {
    "echoSuites": StateCollection(EchoSuite, optional_links={**DEPLOYMENT, "echo_scorecard_ids": ("echoScorecards",)}),
    "echoScorecards": StateCollection(
        EchoScorecard, optional_links={**DEPLOYMENT, "suite_id": ("echoSuites",), "agent_id": ("echoAgents",)}
    ),
    "echoAgents": StateCollection(
        EchoAgent, optional_links={**DEPLOYMENT, "suite_id": ("echoSuites",), "scorecard_ids": ("echoScorecards",)}
    ),
}
