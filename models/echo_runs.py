"""Echo runs: an agent, or every agent of a suite, talks to the worker and its scorecards judge. All simulated."""

from random import Random
from typing import Any, Self

from peewee import TextField

from dryline.models.collection import StateCollection
from dryline.models.deployments import Deployment
from dryline.models.echo import EchoAgent, EchoScorecard, EchoSuite
from dryline.models.runs import Run
from dryline.models.teams import Team
from dryline.storage.errors import NotFound
from dryline.storage.record import JsonField, Record

ITEM_PASSES = 0.93  # the share of scorecard items that come out well


class EchoRun(Run):
    """One run. `plan` is what it was going to judge when it was asked for: suites and agents may change meanwhile."""

    id_prefix = "echorun"
    waiting = "QUEUED"

    type = TextField()
    agent_data = JsonField(default=dict)
    plan = JsonField(default=list)

    @classmethod
    def start(cls, team: Team, *, type: str, agent_data: dict[str, Any]) -> Self:
        """Queue a run of an agent or a suite, which `agent_data` names or describes. Contract: runEcho.

        Raises NotFound when it names an agent, suite, deployment or scorecard that is not there.
        """
        return cls.begin(team, type=type, agent_data=agent_data, plan=make_plan(team, type, agent_data))

    @classmethod
    def of_all_teams(cls) -> list[Self]:
        """Return the runs of all teams, newest first."""
        return list(cls.select().order_by(cls.created_at.desc(), cls.id.desc()))

    def proceed(self, moment: str) -> None:
        """Take the step that is due: one conversation for each scorecard that an agent is judged by."""
        if self.status == self.waiting:
            self.start_running(moment, len(self.plan))
            return
        chance = Random(self.id)  # so that the result does not depend on other runs
        results = []
        for card in self.plan:
            items = [judge_item(item, chance) for item in card["items"]]
            passed = all(item["passed"] for item in items)
            results.append({**card, "items": items, "status": "PASSED" if passed else "FAILED"})
        self.end(moment, results, all(result["status"] == "PASSED" for result in results))


def make_plan(team: Team, type: str, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the pairs of agent and scorecard items for a run.

    `data` may name existing records: `agentId`, `suiteId`, `deploymentId`, `scorecardIds`, and `id` for a record of
    `type`. Otherwise it may describe an agent by its members (assumed; the contract shows no shape).
    """
    agent = _find_named_record(team, EchoAgent, data, "agentId", "id" if type == "agent" else None)
    suite = _find_named_record(team, EchoSuite, data, "suiteId", "id" if type == "test_suite" else None)
    _find_named_record(team, Deployment, data, "deploymentId")
    sent = data.get("scorecardIds") if isinstance(data.get("scorecardIds"), list) else []
    cards = [
        _fetch_named_record(team, EchoScorecard, id, f"scorecardIds.{index}") for index, id in enumerate(sent or [])
    ]
    agents = [agent] if agent else []
    if suite:
        agents = agents or list(EchoAgent.listing(team, suite_id=suite.id))
        cards += _scorecards_of(team, suite.echo_scorecard_ids, suite_id=suite.id)
    plan = []
    for one in agents or [None]:
        agent_cards = _scorecards_of(team, one.scorecard_ids, agent_id=one.id) if one else []
        who = {"agentId": one.id, "agentName": one.name} if one else {"agentId": None, "agentName": data.get("name")}
        judged = {card.id: card for card in [*cards, *agent_cards]}.values()
        plan += [{**who, "scorecardId": card.id, "scorecardName": card.name, "items": card.items} for card in judged]
        if not judged:
            goals = (one.goals if one else data.get("goals")) or "The conversation came to an end."
            texts = goals if isinstance(goals, list) else [goals]
            items = [{"title": str(text), "type": "BINARY"} for text in texts]
            plan.append({**who, "scorecardId": None, "scorecardName": None, "items": items})
    return plan


def judge_item(item: dict[str, Any], chance: Random) -> dict[str, Any]:
    """Return the item with a score and whether it is met. BINARY scores 0 or 1, SCORE on the threshold's scale."""
    is_score = item.get("type") == "SCORE"
    threshold = item.get("threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float):
        threshold = 0.5 if is_score else 1

    passed = chance.random() < ITEM_PASSES
    score: float = int(passed)
    if is_score:
        top = next((scale for scale in (1, 5, 10, 100) if threshold <= scale), threshold)
        score = round(chance.uniform(threshold, top) if passed else chance.uniform(0, threshold * 0.95), 2)
        passed = score >= threshold  # the score decides: rounded, it may be on the other side

    title = item.get("title") or item.get("name")
    reason = f"The conversation {'met' if passed else 'did not meet'} {title or 'the item'!r}."
    return {**item, "title": title, "score": score, "threshold": threshold, "passed": passed, "reason": reason}


def _find_named_record(team: Team, model: type[Record], data: dict[str, Any], *names: str | None) -> Any:
    """Return the record that the first of these members names, or None."""
    for name in names:
        if name is not None and data.get(name) is not None:
            return _fetch_named_record(team, model, data[name], name)
    return None


def _fetch_named_record(team: Team, model: type[Record], id: Any, name: str) -> Any:
    record = model.find(id=id, team_id=team.team_id) if isinstance(id, str) else None
    if record is None:
        # The member's own name is snake_case on the wire too, so it is no `field`.
        raise NotFound(f"agent_data.{name}: {model.noun()} {id} not found.")
    return record


def _scorecards_of(team: Team, ids: list[str], **linked: str) -> list[EchoScorecard]:
    """Return the scorecards that a record lists, and those that link to it."""
    listed = (EchoScorecard.find(id=id, team_id=team.team_id) for id in ids)
    return [card for card in (*listed, *EchoScorecard.listing(team, **linked)) if card is not None]


STATE = {"echoRuns": StateCollection(EchoRun, complete=EchoRun.complete, changes_at=EchoRun.import_changes_at)}
