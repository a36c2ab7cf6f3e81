"""The agent's utterances without a model: what the prompt quotes or asks, a question for a value, and few other words.

The agent makes no sentence out of the text of a condition, and none of what it has not understood.
"""

from dryline.flow.language.language_model import Talk
from dryline.flow.model import encoder
from dryline.flow.model.answers.turns import SORRY
from dryline.flow.model.kinds import WORDS, kind_of
from dryline.flow.model.prompts import OPENING, Prompt, asked_in, can_be_said, read_prompt, statement_in
from dryline.flow.model.understanding import read_condition

NOT_MET = "no condition was met"

_GOING_ON = "What else can I do for you?"
_CLOSING = "Thank you, and goodbye!"
_OFFER = "Would you like to talk to a person?"
_GREETINGS = ("Hello", "Hi", "Good ", "Thank you for calling")
_PERSON = "want_person"  # the intent of conditions that lead to a person


def agent_line(talk: Talk, utterance: str | None) -> tuple[str, str]:
    """Return the agent's next utterance and its source. `utterance` is what has just met no condition."""
    agent = _Agent(talk)
    if utterance is not None:
        return agent.reply()
    if talk.note:
        return agent.handed_back(talk.note), "what return handed back"
    return agent.opening(), "the prompt"


def words_to_answer(talk: Talk) -> str:
    """Return the agent's words that the user's next ones answer: the last question, without an apology before it."""
    texts = [text.removeprefix(SORRY).strip() for text in _Agent(talk).unanswered]
    texts = texts or [message.text for message in talk.messages if message.who == "agent"][-1:]
    return next((text for text in reversed(texts) if "?" in text), texts[-1] if texts else "")


class _Agent:
    """The agent of a talk at one moment."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._prompt: Prompt = read_prompt(talk.prompt)
        self._said = [message.text for message in talk.messages if message.who == "agent"]
        # The agent's messages since a condition was last taken.
        self.unanswered = [message.text for message in talk.messages[talk.taken_at :] if message.who == "agent"]

    def opening(self) -> str:
        """Return what opens a talk: a greeting, and what the prompt says or asks."""
        prompt = self._prompt
        line = prompt.opening or self._next_question()
        if not line and prompt.says_goodbye:
            return _CLOSING
        is_waiting = bool(self.unanswered) and self.unanswered[-1].endswith("?")
        if not line and self._talk.conditions and not is_waiting:
            has_heard = any(message.who == "user" for message in self._talk.messages)
            line = self._value_question() or (_GOING_ON if has_heard else OPENING)
        has_greeted = bool(self._said) or line.startswith(_GREETINGS)
        if has_greeted or not prompt.greeting:
            return line
        return f"{prompt.greeting} {line}".strip()

    def handed_back(self, note: str) -> str:
        """Return what the agent says of a value that a `return` handed back, its instructions as questions."""
        questions = asked_in(note)
        if not questions:
            return note if can_be_said(note) else self._open_question()
        statement = statement_in(note)
        statement = f"{statement}." if statement and statement[-1] not in ".!?" else statement
        return " ".join(filter(None, (statement if can_be_said(statement) else "", *questions)))

    def reply(self) -> tuple[str, str]:
        """Return the reply to an utterance that met no condition, and its source.

        A prompt that asks several things goes on with the next one. Otherwise the agent asks again, and where that has
        failed offers a person, if the flow has such a condition.
        """
        asks_several = len(self._prompt.questions) > 1 and not self._talk.note
        upcoming = self._next_question() if asks_several else ""
        if upcoming:
            return upcoming, "the next question of the prompt"
        has_failed = bool(self.unanswered) and self.unanswered[-1].startswith(SORRY)
        offers_person = has_failed and any(map(_leads_to_person, self._talk.conditions))
        return f"{SORRY} {_OFFER if offers_person else self._open_question()}", NOT_MET

    def _next_question(self) -> str:
        """Return the first question of the prompt that was not asked yet."""
        for question in self._prompt.questions:
            if not any(question in text for text in self._said):
                return question
        return ""

    def _value_question(self) -> str:
        """Return the question for the first value that a condition asks for, if it is of a known kind."""
        for condition in self._talk.conditions:
            for slot in read_condition(condition[-encoder.LONGEST :]).slots:
                if kind_of(slot) is not WORDS:
                    return kind_of(slot).question
        return ""

    def _open_question(self) -> str:
        """Return the agent's last question that is not answered yet, with its sentence before; else the prompt's."""
        for text in reversed(self.unanswered):
            said = text.removeprefix(SORRY).strip()
            if "?" in said and said != _OFFER:
                return said
        return (self._prompt.questions or [self._prompt.opening])[-1] or self._value_question() or OPENING


def _leads_to_person(condition: str) -> bool:
    near = encoder.near_intents(encoder.without_subject(condition[-encoder.LONGEST :]), by_mean=True)
    return max(near, key=near.__getitem__) == _PERSON
