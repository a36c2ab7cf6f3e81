"""The built-in language model: small, trained, and the same at each time. Contract: based.md, section 3."""

from dryline.flow.language.events import last_agent_text
from dryline.flow.language.language_model import NOT_SAID, AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.open_talk import arguments_of_tool
from dryline.flow.model.agent import agent_line, words_to_answer
from dryline.flow.model.filling import fill
from dryline.flow.model.questions import invites_any_request, last_question
from dryline.flow.model.understanding import Context, understand

_TURNS_HEARD = 12  # in which a caller may have given what a condition asks for


class BuiltInModel:
    """The trained choice of a condition, and rules for the rest. The interface is `language_model.LanguageModel`."""

    def choose(self, talk: Talk, said: str) -> Decision:
        heard = [message.text for message in talk.messages if message.who == "user"]
        earlier = "\n".join(heard[-_TURNS_HEARD:]).removesuffix(said)
        returned = talk.returned.index if talk.returned else None
        context = Context(words_to_answer(talk), talk.prompt, earlier, returned, _answers_returned(talk, said))
        understanding = understand(talk.conditions, said, context)
        if understanding.index is None:
            return Decision(None, understanding.why, 0.0)
        arguments = arguments_of_tool(self, talk, understanding.index, said)
        return Decision(understanding.index, understanding.why, understanding.sure, arguments=arguments)

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        text, how = agent_line(talk, said)
        return AgentUtterance(text, how=how)

    def ask(self, question: Question) -> Answer:
        value, how = fill(question)
        return Answer(value, how)

    def summarize(self, question: Question) -> AgentUtterance:
        lines = [line for line in question.about.splitlines() if line.strip()]
        said = [line.removeprefix("User: ") for line in lines if line.startswith("User: ")]
        return AgentUtterance(" ".join(said or lines)[:400], how="what the user said")


def _answers_returned(talk: Talk, said: str) -> bool:
    """Return whether the user's words have a value that the block of a condition asked for and did not get."""
    question = last_question(last_agent_text(talk.messages))
    if talk.returned is None or invites_any_request(question):
        return False
    about = f"Agent: {' '.join(question.split())}\nUser: {' '.join(said.split())}"
    for unanswered in talk.returned.unanswered:
        shape = Question(about, unanswered["question"], unanswered["example"], unanswered["schema"], now=talk.now)
        how = fill(shape)[1]
        if any(how.get(path, NOT_SAID) != NOT_SAID for path in unanswered["missing"]):
            return True
    return False
