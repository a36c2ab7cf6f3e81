"""A conversation with a flow."""

from collections.abc import Callable
from typing import Any

from dryline.testing.plane import members

Answers = dict[str, Any] | list[Any]

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class Talk:
    """A conversation with a flow, from `StandIn.talk`. `events` is the whole trace, `waiting` the open conditions.

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
        self._take(plane("POST", "/talk", options))

    def say(self, text: str, *, answers: Answers | None = None) -> list[str]:
        """Send what the user says and return what the agent answers.

        `answers` replace a model's answers to the flow's `ask` in this turn: a dict by the name of the member or by the
        question, or a list with one answer for each question. Raises DrylineError if the flow has ended, and if no
        question asked for an answer.
        """
        return self._take(self._plane("POST", f"/talk/{self.id}", {"say": text, **members(answers=answers)}))

    def choose(
        self,
        condition: str | int,
        *,
        say: str | None = None,
        arguments: dict[str, Any] | None = None,
        answers: Answers | None = None,
    ) -> list[str]:
        """Take an open condition by its text or number, and return what the agent says next.

        `say` are the words of the user that led to it, `arguments` those of a condition that is a tool. `answers` are
        those of `say`.
        """
        options = members(say=say, arguments=arguments, answers=answers)
        return self._take(self._plane("POST", f"/talk/{self.id}", {"choose": condition, **options}))

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

    def _take(self, answer: dict[str, Any]) -> list[str]:
        for name in ("id", "waiting", "extracted", "state", "ended", "failure"):
            setattr(self, name, answer[name])
        self.events += answer["events"]
        return [event["text"] for event in answer["events"] if event["type"] == "said"]
