"""A language model on any server with OpenAI's chat completions. If it fails, the built-in one takes its place."""

from typing import Any

import orjson

from dryline.flow.language.events import transcript
from dryline.flow.language.language_model import AgentUtterance, Answer, Decision, LanguageModel, Question, Talk
from dryline.flow.language.open_talk import function_of
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.model_replies import (
    Unfit,
    error_message,
    example_of,
    find_object,
    in_shape,
    member_of,
    text_of,
    whole_number,
)
from dryline.world import outgoing
from dryline.world.exchange import Unanswered
from dryline.world.masking import MASK

TIMEOUT_S = 10.0  # of the whole request
MAX_ANSWER_BYTES = 1_000_000
_LONGEST = 20_000  # characters of a conversation that are sent, counted from its end


class _Unusable(Exception):
    """The model gave no usable answer. The message is a sentence."""


class RemoteModel:
    """The model behind a server, such as http://127.0.0.1:11434/v1. The interface is `language_model.LanguageModel`."""

    def __init__(self, url: str, model: str, key: str | None = None, otherwise: LanguageModel | None = None) -> None:
        self._url = url.rstrip("/") + "/chat/completions"
        self._model = model
        self._key = key
        self._otherwise = otherwise or BuiltInModel()

    def choose(self, talk: Talk, said: str) -> Decision:
        offered: list[dict[str, Any]] = [
            {"index": index, "condition": condition} for index, condition in enumerate(talk.conditions)
        ]
        for index, tool in talk.tools.items():
            offered[index]["parameters"] = function_of(tool).get("parameters")
        task = (
            "You watch a conversation of an agent and a user. Say which condition holds now, after the user's last "
            'words. Answer with JSON only: {"index": the condition\'s index, or null when none holds, "why": one '
            'sentence, "sure": 0 to 1, "arguments": an object for a condition with parameters, else {}}.'
        )
        try:
            content = {"conditions": offered, "conversation": transcript(talk.messages)[-_LONGEST:]}
            answer = self._json(task, content, {"index"})
            sure = in_shape(member_of(answer, "sure", None), 0.5)
            arguments = member_of(answer, "arguments", None)
            return Decision(
                _index_of(member_of(answer, "index"), len(talk.conditions)),
                str(member_of(answer, "why", None) or "The model says so."),
                0.5 if sure is None else min(1.0, max(0.0, sure)),
                self._model,
                arguments if isinstance(arguments, dict) else {},
            )
        except _Unusable as fault:
            made = self._otherwise.choose(talk, said)
            return Decision(made.index, f"{fault} {made.why}", made.sure, made.by, made.arguments)

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        system = f"{talk.prompt}\nAnswer as the agent, in one or two spoken sentences."
        if talk.known:
            system += f"\nKnown: {orjson.dumps(talk.known).decode()}"
        if talk.note:
            system += f"\nTell the user: {talk.note}"
        roles = {"agent": "assistant", "user": "user"}
        messages = [{"role": roles[message.who], "content": message.text} for message in talk.messages[-40:]]
        try:
            return AgentUtterance(self._complete([{"role": "system", "content": system}, *messages]), self._model)
        except _Unusable as fault:
            made = self._otherwise.reply(talk, said)
            return AgentUtterance(made.text, made.by, f"{fault} {made.how or ''}".strip())

    def ask(self, question: Question) -> Answer:
        shape, example = "a text", ""
        if isinstance(question.schema, dict):
            shape = f"JSON of this schema: {orjson.dumps(question.schema).decode()}"
            example = example_of(question.schema)
        elif question.example is not None:
            shape = f"JSON of this shape: {orjson.dumps(question.example).decode()}"
            example = question.example
        task = (
            'Answer the question from the text alone. Answer with JSON only: {"value": …}, where the value is '
            f"{shape}. What the text does not say is null."
        )
        try:
            # Some models answer with the members at once.
            members: set[str] = set(example) if isinstance(example, dict) else set()
            content = {"question": question.question, "text": question.about[-_LONGEST:]}
            answer = self._json(task, content, {"value", *members})
            value = member_of(answer, "value", answer)
            try:
                return Answer(in_shape(value, example), {"value": "the model"}, self._model)
            except Unfit:
                raise _Unusable("The model's answer has not the shape that was asked for.") from None
        except _Unusable as fault:
            made = self._otherwise.ask(question)
            return Answer(made.value, {**made.how, "": str(fault)}, made.by)

    def summarize(self, question: Question) -> AgentUtterance:
        task = question.question or "Summarize this text in one or two sentences."
        try:
            text = question.about[-_LONGEST:]
            messages = [{"role": "system", "content": task}, {"role": "user", "content": text}]
            return AgentUtterance(self._complete(messages), self._model)
        except _Unusable as fault:
            made = self._otherwise.summarize(question)
            return AgentUtterance(made.text, made.by, str(fault))

    def _json(self, task: str, content: dict[str, Any], members: set[str]) -> dict[str, Any]:
        """Return the JSON object with one of these members that the model answers. Raises _Unusable."""
        request = orjson.dumps(content).decode()
        text = self._complete([{"role": "system", "content": task}, {"role": "user", "content": request}])
        answer = find_object(text, members)
        if answer is None:
            names = " or ".join(sorted(members))
            raise _Unusable(f"The model's answer has no JSON object with {names}.")
        return answer

    def _complete(self, messages: list[dict[str, str]]) -> str:
        """Return the text that the model answers. Raises _Unusable."""
        body = orjson.dumps({"model": self._model, "messages": messages, "temperature": 0})
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            answer = outgoing.send(
                "POST", self._url, headers=headers, body=body, within_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES
            )
        except Unanswered as fault:
            raise _Unusable(self._without_key(f"The model did not answer: {fault}")) from None
        if answer.status != 200:
            message = error_message(answer.body)
            reason = f": {message}" if message else "."
            raise _Unusable(self._without_key(f"The model's server answered {answer.status}{reason}"))
        try:
            text = text_of(orjson.loads(answer.body)["choices"][0]["message"])
        except (orjson.JSONDecodeError, LookupError, TypeError, AttributeError):
            message = error_message(answer.body)
            raise _Unusable(self._without_key(f"The model's server gave no completion: {message}")) from None
        if not text:
            raise _Unusable("The model said nothing.")
        return text

    def _without_key(self, text: str) -> str:
        """Return a text without the key, which some servers repeat."""
        return text.replace(self._key, MASK) if self._key else text


def _index_of(value: Any, count: int) -> int | None:
    """Return the index of a condition, or None for none. Raises _Unusable."""
    try:
        index = whole_number(value)
    except Unfit:
        index = -1
    if index is not None and not 0 <= index < count:
        raise _Unusable(f"The model chose {value!r}, which is no condition.")
    return index
