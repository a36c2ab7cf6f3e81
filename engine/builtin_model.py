"""The judge without a model. It decides the same way each time: contract/based.md, section 3."""

from __future__ import annotations

from typing import Any

from dryline.engine.agent_lines import agent_line
from dryline.engine.answer_filling import fill
from dryline.engine.conversation import function_of
from dryline.engine.intent_matching import Likeness, is_assent
from dryline.engine.language_model import Answer, Decision, Question, Talk, Words

ENOUGH = 0.3  # of a condition that has to be said
_CLEAR = 0.05  # by how much more of it than of the next


class BuiltInJudge:
    """See language_model.Judge."""

    def __init__(self) -> None:
        self._likeness = Likeness()

    def choose(self, talk: Talk, said: str) -> Decision:
        heard, why = said, "most of what it names was said"
        scores = self._likeness.scores(heard, talk.conditions)
        if max(scores, default=0) < ENOUGH and is_assent(said):
            asked = next((message.text for message in reversed(talk.messages) if message.who == "agent"), "")
            heard, why = f"{said} {asked}", "the user said yes to what the agent asked"
            scores = self._likeness.scores(heard, talk.conditions)
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        if best is None or scores[best] < ENOUGH:
            return Decision(None, "No condition is like what was said.", 0.0)
        alike = _nearest(scores, best)
        if len(alike) > 1:
            # A word itself says more than one that means the same: whoever cancels an appointment does not book one.
            literal = self._likeness.scores(heard, talk.conditions, synonyms=False)
            best = max(alike, key=literal.__getitem__)
            alike = [index for index in _nearest(literal, best) if index in alike]
        if len(alike) > 1:
            either = " and ".join(repr(talk.conditions[index]) for index in alike[:2])
            return Decision(None, f"What was said is as much like {either}.", 0.0)
        arguments = self.arguments(talk, best, said)
        return Decision(best, f"Of the {len(scores)}, {why}.", scores[best], arguments=arguments)

    def arguments(self, talk: Talk, index: int, said: str) -> dict[str, Any]:
        """What a tool among the conditions is called with; empty for a text."""
        if index not in talk.tools:
            return {}
        schema = function_of(talk.tools[index]).get("parameters")
        asked = Question(f"User: {said}", talk.conditions[index], schema=schema or {}, random=talk.random)
        value, _ = fill(asked)
        return value if isinstance(value, dict) else {}

    def reply(self, talk: Talk, said: str | None) -> Words:
        return agent_line(talk, said)

    def ask(self, question: Question) -> Answer:
        value, how = fill(question)
        return Answer(value, how)

    def summarize(self, question: Question) -> Words:
        lines = [line for line in question.about.splitlines() if line.strip()]
        said = [line.removeprefix("User: ") for line in lines if line.startswith("User: ")]
        return Words(" ".join(said or lines)[:400], how="what the user said")


def _nearest(scores: list[float], best: int) -> list[int]:
    """The best one and those that are no clearly worse, in their order."""
    return [index for index, score in enumerate(scores) if index == best or scores[best] - score < _CLEAR]
