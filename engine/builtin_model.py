"""The built-in language model: rules that decide the same way each time. Contract: based.md, section 3."""

from typing import Any

from dryline.engine.agent_lines import agent_line, words_to_answer
from dryline.engine.answer_filling import fill
from dryline.engine.conversation import question_of_tool
from dryline.engine.language_model import AgentUtterance, Answer, Decision, Question, Talk
from dryline.engine.returned_questions import answers_returned_question
from dryline.engine.understanding.decision import understand
from dryline.engine.understanding.scoring import Context

_TURNS_HEARD = 12  # in which a caller may have given what a condition asks for


class BuiltInModel:
    """The rules. The interface is `language_model.LanguageModel`."""

    def choose(self, talk: Talk, said: str) -> Decision:
        heard = [message.text for message in talk.messages if message.who == "user"]
        context = Context(words_to_answer(talk), talk.prompt, "\n".join(heard[-_TURNS_HEARD:]).removesuffix(said))
        understanding = understand(talk.conditions, said, context)
        if understanding.index is None and talk.returned is not None and answers_returned_question(talk, said):
            arguments = self.arguments(talk, talk.returned.index, said)
            return Decision(talk.returned.index, "It answers the question of this condition.", 0.8, arguments=arguments)
        if understanding.index is None:
            return Decision(None, understanding.why, 0.0, candidates=understanding.candidates)
        arguments = self.arguments(talk, understanding.index, said)
        return Decision(understanding.index, understanding.why, understanding.sure, arguments=arguments)

    def arguments(self, talk: Talk, index: int, said: str) -> dict[str, Any]:
        """Return the arguments of a condition that is a tool; none for a text."""
        question = question_of_tool(talk, index, said)
        value = fill(question)[0] if question else {}
        return value if isinstance(value, dict) else {}

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        return agent_line(talk, said)

    def ask(self, question: Question) -> Answer:
        value, how = fill(question)
        return Answer(value, how)

    def summarize(self, question: Question) -> AgentUtterance:
        lines = [line for line in question.about.splitlines() if line.strip()]
        said = [line.removeprefix("User: ") for line in lines if line.startswith("User: ")]
        return AgentUtterance(" ".join(said or lines)[:400], how="what the user said")
