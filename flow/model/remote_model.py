"""A language model on any server with OpenAI's chat completions. If it fails, the built-in one takes its place."""

from typing import Any

import orjson

from dryline.flow.language.events import transcript
from dryline.flow.language.language_model import AgentUtterance, Answer, Decision, LanguageModel, Question, Talk
from dryline.flow.language.open_talk import function_of
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.world import outgoing

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
        for at, tool in talk.tools.items():
            offered[at]["parameters"] = function_of(tool).get("parameters")
        task = (
            "You watch a conversation of an agent and a user. Say which condition holds now, after the user's last "
            'words. Answer with JSON only: {"index": the condition\'s index, or null when none holds, "why": one '
            'sentence, "sure": 0 to 1, "arguments": an object for a condition with parameters, else {}}.'
        )
        try:
            answer = self._json(task, {"conditions": offered, "conversation": transcript(talk.messages)[-_LONGEST:]})
            index, sure = answer.get("index"), answer.get("sure")
            if index is not None and (not isinstance(index, int) or not 0 <= index < len(talk.conditions)):
                raise _Unusable(f"The model chose {index!r}, which is no condition.")
            arguments = answer.get("arguments")
            return Decision(
                index,
                str(answer.get("why") or "The model says so."),
                min(1.0, max(0.0, float(sure))) if isinstance(sure, (int, float)) else 0.5,
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
        shape = "a text"
        if isinstance(question.schema, dict):
            shape = f"JSON of this schema: {orjson.dumps(question.schema).decode()}"
        elif question.example is not None:
            shape = f"JSON of this shape: {orjson.dumps(question.example).decode()}"
        task = (
            'Answer the question from the text alone. Answer with JSON only: {"value": …}, where the value is '
            f"{shape}. What the text does not say is null."
        )
        try:
            answer = self._json(task, {"question": question.question, "text": question.about[-_LONGEST:]})
            if "value" not in answer:
                raise _Unusable("The model's answer has no value.")
            return Answer(answer["value"], {"value": "the model"}, self._model)
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

    def _json(self, task: str, content: dict[str, Any]) -> dict[str, Any]:
        """Return the JSON object that the model answers. Raises _Unusable."""
        request = orjson.dumps(content).decode()
        text = self._complete([{"role": "system", "content": task}, {"role": "user", "content": request}])
        begin, end = text.find("{"), text.rfind("}")  # models often put fences and words around it
        try:
            answer = orjson.loads(text[begin : end + 1])
        except orjson.JSONDecodeError:
            raise _Unusable("The model's answer is not JSON.") from None
        if not isinstance(answer, dict):
            raise _Unusable("The model's answer is no object.")
        return answer

    def _complete(self, messages: list[dict[str, str]]) -> str:
        """Return the text that the model answers. Raises _Unusable."""
        body = orjson.dumps({"model": self._model, "messages": messages, "temperature": 0})
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        try:
            limits = {"timeout_s": TIMEOUT_S, "total_s": TIMEOUT_S}
            answer = outgoing.send("POST", self._url, headers=headers, body=body, **limits, max_bytes=MAX_ANSWER_BYTES)
        except outgoing.Unanswered as fault:
            raise _Unusable(f"The model did not answer: {fault}") from None
        if answer.status != 200:
            raise _Unusable(f"The model's server answered {answer.status}.")
        try:
            text = orjson.loads(answer.body)["choices"][0]["message"]["content"]
        except (orjson.JSONDecodeError, LookupError, TypeError):
            raise _Unusable("The model's server gave no completion.") from None
        if not isinstance(text, str) or not text.strip():
            raise _Unusable("The model said nothing.")
        return text.strip()
