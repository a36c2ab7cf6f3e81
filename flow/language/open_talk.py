"""The open talk of a session: its conditions, its messages, and the choice of a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dryline.flow.language.events import transcript
from dryline.flow.language.json_values import plain, text
from dryline.flow.language.language_model import NOT_SAID, Answer, Decision, LanguageModel, Question, Returned, Talk

if TYPE_CHECKING:
    from dryline.flow.language.session import FlowSession

_SHARED = ("prompt", "conditions", "tools", "note", "taken_at", "known")  # with the model's Talk
_BY_INDEX = ("tools", "starts", "taken")  # whose keys are integers


class OpenTalk:
    """The state of the open talk, in plain values, so that a session can be stored."""

    def __init__(self, session: FlowSession) -> None:
        self._session = session
        self.loop: int | None = None  # of the open talk; None if there is none
        self.prompt = ""
        self.conditions: list[str] = []
        self.tools: dict[int, dict[str, Any]] = {}
        self.known: dict[str, Any] = {}
        self.note: str | None = None
        self.starts: dict[int, int] = {}  # the index of the first message of each loop
        self.taken_at = 0  # the number of messages when a condition was last taken
        self.taken: dict[int, int] = {}  # the index of the condition of each loop that was last taken
        self.unanswered: list[dict[str, Any]] = []  # questions since then that were not answered in full
        self.pending: str | None = None  # an utterance of the user that no talk has taken yet
        self.agent_opens = False  # whether the agent opens the talk if the pending utterance meets no condition

    def open(self, loop: int, conditions: Any, note: Any, prompt: str, first: bool, known: Any, info: Any) -> None:
        """Open a talk, or resume it after a `return` (then `note` is a list). The agent speaks if it is its turn.

        A message of the user that is still unanswered goes first: it can meet a condition. After a bare `return` the
        agent stays silent if it has just spoken. Assumed: based.md, section 4.
        """
        messages = self._session.messages
        again = note is not None and loop in self.starts
        if not again:  # a pending message, the user's last, belongs to the talk that takes it
            heard = [index for index, message in enumerate(messages) if message.who == "user"]
            self.starts[loop] = len(messages) if self.pending is None else heard[-1]
        self.loop = loop
        self.note = None if not note or note[0] is None else text(note[0])
        self.prompt = prompt
        self.known = {}
        for values in (known, info):
            if isinstance(values, dict):
                self.known |= values
        self.conditions = [condition_text(condition) for condition in conditions or []]
        self.tools = {index: plain(one) for index, one in enumerate(conditions or []) if isinstance(one, dict)}
        agent_speaks = first
        if again:
            agent_speaks = self.note is not None or len(messages) == self.taken_at
        self.agent_opens = first and not again and self.pending is not None
        if conditions is None or (agent_speaks and self.pending is None):
            self._reply(None)
        if conditions is None:
            self.loop = None  # outside of a loop the agent speaks, and nothing is awaited

    def hear_pending(self) -> list[Any] | None:
        """Take an utterance that was said before the talk began. Return the talk's result if it meets a condition."""
        if self.loop is None or self.pending is None:
            return None
        said, self.pending = self.pending, None
        return self.hear(said)

    def hear(self, said: str) -> list[Any] | None:
        """Take an utterance of the user. Return the result of the talk if it meets a condition."""
        session = self._session
        decision = session.model.choose(self.talk(), said)
        agent_opens, self.agent_opens = self.agent_opens, False
        if decision.index is None or not 0 <= decision.index < len(self.conditions):
            self._reply(None if agent_opens else said)
            return None
        return self.take(decision)

    def take(self, decision: Decision) -> list[Any]:
        """Take a condition, and return the result of the talk for the flow."""
        session, index = self._session, decision.index
        assert index is not None and self.loop is not None
        details = {"arguments": decision.arguments} if index in self.tools else {}
        session.log_event(
            "taken",
            session.program.loops[self.loop].conditions[index].line,
            condition=self.conditions[index],
            index=index,
            why=decision.why,
            sure=round(decision.sure, 2),
            by=decision.by,
            **details,
        )
        said = transcript(session.messages[self.starts.get(self.loop, 0) :])
        self.taken_at = len(session.messages)
        self.taken[self.loop] = index
        self.unanswered = []
        self.loop = None
        return [index, decision.arguments, said]

    def note_answer(self, question: Question, answer: Answer) -> None:
        """Remember a question of the flow whose answer lacks members: what a `return` hands back may ask for them."""
        missing = [path for path, source in answer.how.items() if source == NOT_SAID]
        if missing:
            arguments = {name: getattr(question, name) for name in ("question", "example", "schema")}
            self.unanswered.append({**arguments, "missing": missing})

    def talk(self) -> Talk:
        session = self._session
        loop = session.program.loops[self.loop] if self.loop is not None and self.loop >= 0 else None
        returned = None
        if self.note is not None and self.loop is not None and self.loop in self.taken:
            returned = Returned(self.taken[self.loop], self.unanswered)
        shared = {name: getattr(self, name) for name in _SHARED}
        return Talk(
            **shared,
            messages=session.messages,
            line=loop.talk_line if loop else -(self.loop or 0),
            condition_lines=[condition.line for condition in loop.conditions] if loop else [],
            returned=returned,
            random=session.random(),
            now=session.now(),
            unsaid=session.unsaid,
        )

    def index_of(self, choice: str | int) -> int:
        """Return the index of the condition with this text or index. Raises LookupError."""
        name = str(choice).strip().casefold()
        conditions = self.conditions if self.loop is not None else []
        for index, condition in enumerate(conditions):
            if condition.strip().casefold() == name or str(index) == name:
                return index
        offered = "; ".join(conditions) or "none"
        raise LookupError(f"The talk has no condition {choice!r}. It has: {offered}.")

    def _reply(self, said: str | None) -> None:
        talk = self.talk()
        words = self._session.model.reply(talk, said)
        if words.text:
            how = {"how": words.how} if words.how else {}
            self._session.add_agent_message(
                words.text, talk.line, by="talk", prompt=self.prompt, judgedBy=words.by, **how
            )

    def as_dict(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_session"}

    def restore(self, values: dict[str, Any]) -> None:
        vars(self).update(values)
        for name in _BY_INDEX:  # JSON makes texts of their keys
            vars(self)[name] = {int(key): value for key, value in values[name].items()}


def condition_text(condition: Any) -> str:
    """Return the text of a condition; of a tool, its description or else its name."""
    if isinstance(condition, dict):
        tool = function_of(condition)
        return text(tool.get("description") or tool.get("name") or "")
    return text(condition)


def arguments_of_tool(model: LanguageModel, talk: Talk, index: int, said: str) -> dict[str, Any]:
    """Return the arguments that an utterance gives to a condition that is a tool; none for a text."""
    if index not in talk.tools:
        return {}
    value = model.ask(question_of_tool(talk, index, said)).value
    return value if isinstance(value, dict) else {}


def question_of_tool(talk: Talk, index: int, said: str) -> Question:
    """Return the question for the arguments of a tool."""
    return Question(
        f"User: {said}",
        talk.conditions[index],
        schema=function_of(talk.tools[index]).get("parameters") or {},
        random=talk.random,
        now=talk.now,
        unsaid=talk.unsaid,
    )


def function_of(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's schema, also if it is wrapped as a function."""
    function = tool.get("function")
    return function if isinstance(function, dict) else tool
