"""The decisions of a simulated caller for one turn, and the words that come of them."""

from dataclasses import dataclass, field
from typing import Any

from dryline.flow.language.program import Condition
from dryline.flow.language.session import FlowSession

ValuePath = tuple[int | None, str]  # the line of the question, and the path in its answer


@dataclass(eq=False, slots=True)
class CallerTurn:
    """The decisions of a caller for one turn: a condition, a phrase that means it, values, their sentences.

    `agent` is what the agent said last. `condition` is None where the flow waits for anything. A phrase that only
    `announces_value` makes way for the value, and so does one that `recites` the condition, for lack of a better one,
    where the value `answers_question`, the agent's. A caller `holds_back` who does not take the condition of those who
    give the value that the agent asks for.
    """

    session: FlowSession
    agent: str
    condition: Condition | None = None
    phrase: str = ""
    announces_value: bool = False
    holds_back: bool = False
    recites: bool = False
    answers_question: bool = False
    sentences: list[str] = field(default_factory=list)
    values: dict[ValuePath, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The utterance."""
        has_value = (self.announces_value and bool(self.sentences)) or (self.recites and self.answers_question)
        return " ".join(self.sentences if has_value else [self.phrase, *self.sentences])

    @property
    def said(self) -> str:
        """All that the caller has said, with the words of this turn."""
        return f"{self.text_of('user')} {self.words}"

    @property
    def wants_a_value(self) -> bool:
        """Whether the phrase announces a value that is not said yet."""
        return self.announces_value and not self.sentences

    def text_of(self, who: str) -> str:
        """Return all that the user, or the agent, said before."""
        return " ".join(message.text for message in self.session.messages if message.who == who)
