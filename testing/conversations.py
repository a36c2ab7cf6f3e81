"""Helpers that simulate calls and chats, and that talk to flows."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, Required, TypedDict, Unpack

from dryline.testing.plane import ControlPlane, DrylineError, members

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class HttpStub(TypedDict, total=False):
    """A response to requests of a flow. Only `url` is required; `*` in it stands for any text."""

    url: Required[str]
    method: str
    status: int
    json: Any
    text: str
    headers: dict[str, str]
    error: Literal["timeout", "connection"]
    times: int


Answers = dict[str, Any] | list[Any]
Outcome = Literal["completed", "transferred", "voicemail", "no-answer", "busy", "failed"]


class ChatOptions(TypedDict, total=False):
    """Options of simulated chats.

    `deployment_id` is by default the first deployment of the oldest worker that has one; if there is none, it is made.
    """

    deployment_id: str | None
    deployment: str | None  # the former name of `deployment_id`
    seed: int | None
    start_time: str | datetime | None
    end_time: str | datetime | None
    llm_logs: bool | None
    follow: Literal["flow", "script"] | None
    branch: str | Sequence[str] | None
    shares: Mapping[str, float] | None
    answers: dict[str, Any] | None
    http: Sequence[HttpStub] | None
    anyway: bool


class CallOptions(ChatOptions, total=False):
    """Options of simulated calls: those of chats and more."""

    outcome: Outcome | None
    direction: Literal["inbound", "outbound"] | None
    customer_number: str | None
    in_progress: bool | None


class Talk:
    """A conversation with a flow. `events` is the trace, `waiting` the open conditions.

    `extracted` and `state` are the flow's, `ended` is why it ended, `failure` its error.
    """

    id: str
    events: list[dict[str, Any]]
    waiting: list[str]
    extracted: dict[str, Any]
    state: dict[str, Any]
    ended: str | None
    failure: dict[str, Any] | None

    def __init__(self, plane: Callable[[str, str, Any], Any], options: dict[str, Any]) -> None:
        self._plane = plane
        self.events = []
        self._apply_answer(plane("POST", "/talk", options))

    def say(self, text: str, *, answers: Answers | None = None) -> list[str]:
        """Send what the user says and return what the agent answers.

        `answers` replace a model's answers to the flow's `ask` in this turn: a dict, or a list with one for each
        question. Raises DrylineError if the flow has ended, and if no question asked for an answer.
        """
        return self._apply_answer(self._plane("POST", f"/talk/{self.id}", {"say": text, **members(answers=answers)}))

    def choose(
        self,
        condition: str | int,
        *,
        say: str | None = None,
        arguments: dict[str, Any] | None = None,
        answers: Answers | None = None,
    ) -> list[str]:
        """Take an open condition by its text or number, and return what the agent says next.

        `arguments` are those of a condition that is a tool.
        """
        options = members(say=say, arguments=arguments, answers=answers)
        return self._apply_answer(self._plane("POST", f"/talk/{self.id}", {"choose": condition, **options}))

    def of(self, type: str) -> list[dict[str, Any]]:
        """Return the events of a type, such as `taken`, `asked`, `requested`, `transferred`, `printed`."""
        return [event for event in self.events if event["type"] == type]

    @property
    def said(self) -> list[str]:
        """The agent's utterances so far."""
        return [event["text"] for event in self.of("said")]

    @property
    def taken(self) -> list[str]:
        """The conditions taken so far."""
        return [event["condition"] for event in self.of("taken")]

    def _apply_answer(self, answer: dict[str, Any]) -> list[str]:
        for name in ("id", "waiting", "extracted", "state", "ended", "failure"):
            setattr(self, name, answer[name])
        self.events += answer["events"]
        return [event["text"] for event in answer["events"] if event["type"] == "said"]


class NotTaken(DrylineError):
    """The flow's code led conversations elsewhere than `branch` or `outcome` wanted. They are kept.

    `answer` has the `ids` of all conversations of the request, and `notTaken` with these.
    """


def not_taken_sentence(conversations: list[dict[str, Any]]) -> str:
    """Return which branch or outcome was missed by how many conversations, and what was taken instead."""
    first = conversations[0]
    missed = " and ".join(f"{name} {first[name]!r}" for name in ("branch", "outcome") if first[name] is not None)
    instead = f"took {first['taken']!r}" if first["taken"] else "took no condition"
    more = f", and {len(conversations) - 1} more" if len(conversations) > 1 else ""
    return f"The flow's code led {first['id']}{more} elsewhere: not taken was {missed}; the call {instead}."


class Conversations(ControlPlane):
    """The helpers that make conversations: simulated ones, and talks with a flow."""

    def simulate_calls(self, count: int = 1, **options: Unpack[CallOptions]) -> list[str]:
        """Simulate calls and return the ids of their logs. Raises NotTaken, unless `anyway`."""
        return self._simulate("voice", count, **options)

    def simulate_chats(self, count: int = 1, **options: Unpack[ChatOptions]) -> list[str]:
        """Simulate chats and return the ids of their logs. Raises NotTaken, unless `anyway`."""
        return self._simulate("chat", count, **options)

    def _simulate(
        self,
        kind: Literal["voice", "chat"],
        count: int,
        *,
        deployment_id: str | None = None,
        deployment: str | None = None,
        http: Sequence[HttpStub] | None = None,
        anyway: bool = False,
        **options: Any,
    ) -> list[str]:
        if deployment is not None:
            warnings.warn("deployment is now deployment_id.", DeprecationWarning, stacklevel=3)
        row = self._find_or_add_deployment(kind, deployment_id or deployment)
        body = {"workerId": row["workerId"], "deploymentId": row["id"], "count": count, **members(http=http, **options)}
        answer = self.plane("POST", f"/simulate/{'calls' if kind == 'voice' else 'chats'}", body)
        if answer.get("notTaken") and not anyway:
            raise NotTaken(not_taken_sentence(answer["notTaken"]), answer)
        ids: list[str] = answer["ids"]
        return ids

    def _find_or_add_deployment(self, kind: Literal["voice", "chat"], id: str | None) -> dict[str, Any]:
        workers = self.plane("GET", "/workers")
        if id is None:
            team_id = (
                self._scope.get("team") or self.plane("GET", "/teams")[0]["id"]
            )  # the team that `api_key` belongs to
            workers = [worker for worker in workers if worker["teamId"] == team_id]
        for worker in workers:
            for row in worker["deployments"]:
                if row["type"] == kind.title() and id in (None, row["id"]):
                    return {"workerId": worker["id"], **row}
        if id is not None:
            raise DrylineError(f"No {kind} deployment {id}.")
        # Added as rows, not through the API: no fault applies to them, and the request log is for the tested program.
        ending = f"line_{kind}_{self._scope.get('team', 'team_first').removeprefix('team_')}"
        of_worker, of_flow = {"workerId": f"worker_{ending}"}, {"flowId": f"flow_{ending}"}
        line = {"id": f"deployment_{ending}", "name": "Line", **of_worker, **of_flow}
        if kind == "voice":
            line["phoneNumber"] = "+14155550100"
        document = {
            "version": 1,
            "workers": [{"id": of_worker["workerId"], "name": "Worker", "status": "active"}],
            "flows": [{"id": of_flow["flowId"], **of_worker, "name": "Main", "code": "loop:\n    talk()\n"}],
            f"{kind}Deployments": [line],
        }
        self.plane("POST", "/state", document)
        return line

    def talk(
        self,
        *,
        code: str | None = None,
        flow_id: str | None = None,
        deployment_id: str | None = None,
        variables: dict[str, Any] | None = None,
        state: dict[str, Any] | None = None,
        channel: Literal["voice", "chat"] | None = None,
        seed: int | None = None,
        say: str | None = None,
        answers: dict[str, Any] | None = None,
        http: Sequence[HttpStub] | None = None,
        unsaid: Literal["none", "made-up"] | None = None,
    ) -> Talk:
        """Begin a conversation with `code`, with a flow, or with the flow of a deployment (docs/flows.md)."""
        options = members(code=code, flow_id=flow_id, deployment_id=deployment_id)
        options |= members(variables=variables, state=state, channel=channel, seed=seed, say=say, unsaid=unsaid)
        options |= members(answers=answers, http=http)
        return Talk(self.plane, options)
