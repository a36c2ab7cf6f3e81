"""Stubs of a test: answers that replace a model's, and HTTP responses that replace other servers'."""

import re
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from dryline.flow.language.language_model import Answer, Question
from dryline.flow.language.web import Fetch
from dryline.world import outgoing

Answers = dict[str, Any] | list[Any]
_SOURCE = "the test"


class UnusedAnswers(ValueError):
    """Answers of a turn that no `.ask` took. The message is a sentence."""


class AnswerStubs:
    """Answers to the `.ask` calls of a session.

    A dict names members of an answer, or a whole question; a list has one answer for each question, in their order.
    `always` holds for the whole conversation, the answers of a turn go before it.
    """

    def __init__(self, always: dict[str, Any] | None = None) -> None:
        self.always = always or {}
        self._turn: Answers = {}
        self._unused: set[str] = set()
        self._names: list[str] = []  # of what this turn asked for

    def begin_turn(self, answers: Answers | None) -> None:
        """Set the answers for the questions up to the next wait."""
        self._turn = list(answers) if isinstance(answers, list) else answers or {}
        self._unused = set(self._turn) if isinstance(self._turn, dict) else set()
        self._names = []

    def check_used(self) -> None:
        """Raise UnusedAnswers if an answer of this turn belongs to no question."""
        unused = sorted(self._unused) if isinstance(self._turn, dict) else [repr(answer) for answer in self._turn]
        if not unused:
            return
        asked_for = f"It asked for: {', '.join(dict.fromkeys(self._names))}." if self._names else "It asked nothing."
        raise UnusedAnswers(f"No question of this turn asked for {', '.join(unused)}. {asked_for}")

    def answer(self, question: Question, ask: Callable[[Question], Answer]) -> Answer:
        """Return the stub's answer; `ask` answers what it leaves open."""
        members = _members(question)
        self._names += [*members] if members else [question.question]
        if isinstance(self._turn, list) and self._turn:
            value = self._turn.pop(0)
            if not (members and isinstance(value, dict)):
                return Answer(value, {"": _SOURCE}, _SOURCE)
            stubs = self.always | value
        else:
            stubs = self.always | (self._turn if isinstance(self._turn, dict) else {})
            if question.question in stubs:
                self._unused.discard(question.question)
                return Answer(stubs[question.question], {"": _SOURCE}, _SOURCE)
        stubs = {name: value for name, value in stubs.items() if name in members}
        self._unused -= set(stubs)
        if not stubs:
            return ask(question)
        if len(stubs) == len(members):
            return Answer({name: stubs[name] for name in members}, dict.fromkeys(members, _SOURCE), _SOURCE)
        answer = ask(question)
        value = answer.value if isinstance(answer.value, dict) else {}
        return Answer(value | stubs, answer.how | dict.fromkeys(stubs, _SOURCE), answer.by)


def _members(question: Question) -> list[str]:
    """Return the names of the members that an answer has."""
    if isinstance(question.schema, dict):
        properties = question.schema.get("properties")
        return list(properties) if isinstance(properties, dict) else []
    return list(question.example) if isinstance(question.example, dict) else []


def with_stubs(rules: list[dict[str, Any]], fetch: Fetch) -> Fetch:
    """Return a Fetch that answers by the first rule that fits, and sends other requests with `fetch`.

    A rule has `url`, in which `*` stands for any text, and perhaps `method`, `status`, `json` or `text`, `headers`,
    `error` (`timeout` or `connection`), and `times`, which this counts down.
    """

    def fetch_or_answer(
        method: str, url: str, headers: dict[str, str], body: bytes | None, timeout_s: float
    ) -> outgoing.HttpResponse:
        for rule in rules:
            if not _fits(rule, method, url):
                continue
            if rule.get("times") is not None:
                rule["times"] -= 1
            return _response(rule)
        return fetch(method, url, headers, body, timeout_s)

    return fetch_or_answer


def _fits(rule: Mapping[str, Any], method: str, url: str) -> bool:
    if rule.get("times") == 0 or (rule.get("method") or method).upper() != method.upper():
        return False
    pattern = str(rule["url"])
    if "?" not in pattern:
        url = url.partition("?")[0]
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), url, re.DOTALL) is not None


def _response(rule: Mapping[str, Any]) -> outgoing.HttpResponse:
    if rule.get("error"):
        timed_out = rule["error"] == "timeout"
        raise outgoing.Unanswered("timed out" if timed_out else "Connection refused", timed_out=timed_out)
    headers = {str(name): str(value) for name, value in (rule.get("headers") or {}).items()}
    if "json" in rule:
        return outgoing.HttpResponse(
            rule.get("status") or 200, {"Content-Type": "application/json"} | headers, orjson.dumps(rule["json"])
        )
    return outgoing.HttpResponse(rule.get("status") or 200, headers, str(rule.get("text") or "").encode())
