"""Stubs of a test: answers that replace a model's, and HTTP responses that replace other servers'."""

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from dryline.flow.language.language_model import Answer, Question
from dryline.flow.language.web import Fetch
from dryline.world import exchange
from dryline.world.path_patterns import normal_path, path_pattern

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
        self.begin_turn(None)

    def begin_turn(self, answers: Answers | None) -> None:
        """Set the answers for the questions up to the next wait."""
        self._named = answers if isinstance(answers, dict) else {}
        self._listed = list(answers) if isinstance(answers, list) else []
        self._used: set[str] = set()
        self._asked: list[str] = []  # names of what this turn asked for

    def check_used(self) -> None:
        """Raise UnusedAnswers if an answer of this turn belongs to no question."""
        unused = sorted(set(self._named) - self._used) + [repr(answer) for answer in self._listed]
        if unused:
            explanation = "It asked nothing."
            if self._asked:
                explanation = f"It asked for: {', '.join(dict.fromkeys(self._asked))}."
            raise UnusedAnswers(f"No question of this turn asked for {', '.join(unused)}. {explanation}")

    def answer(self, question: Question, ask: Callable[[Question], Answer]) -> Answer:
        """Return the stub's answer to a question. `ask` answers the members for which there is no stub."""
        members = _member_names(question)
        self._asked += members or [question.question]
        stubs = self.always | self._named
        if self._listed:
            value = self._listed.pop(0)
            if not (members and isinstance(value, dict)):
                return Answer(value, {"": _SOURCE}, _SOURCE)
            stubs = self.always | value
        elif question.question in stubs:
            self._used.add(question.question)
            return Answer(stubs[question.question], {"": _SOURCE}, _SOURCE)
        stubs = {name: stubs[name] for name in members if name in stubs}
        self._used.update(stubs)
        sources = dict.fromkeys(stubs, _SOURCE)
        if stubs and len(stubs) == len(members):
            return Answer(stubs, sources, _SOURCE)
        answer = ask(question)
        if not stubs:
            return answer
        value = answer.value if isinstance(answer.value, dict) else {}
        return Answer(value | stubs, answer.how | sources, answer.by)


def _member_names(question: Question) -> list[str]:
    """Return the names of the members that an answer has."""
    has_schema = isinstance(question.schema, dict)
    members = question.schema.get("properties") if has_schema else question.example
    return list(members) if isinstance(members, dict) else []


def with_stubs(rules: list[dict[str, Any]], fetch: Fetch) -> Fetch:
    """Return a Fetch that answers by the first rule that fits, and sends other requests with `fetch`.

    A rule has `url`, in which `*` stands for any text, and perhaps `method`, `status`, `json` or `text`, `headers`,
    `error` (`timeout` or `connection`), and `times`, which this counts down.
    """

    def fetch_or_answer(method: str, url: str, *rest: Any) -> exchange.HttpResponse:
        rule = next((rule for rule in rules if _is_rule_for(rule, method, url)), None)
        if rule is None:
            return fetch(method, url, *rest)
        if rule.get("times") is not None:
            rule["times"] -= 1
        return _stubbed_response(rule)

    return fetch_or_answer


def _is_rule_for(rule: Mapping[str, Any], method: str, url: str) -> bool:
    if rule.get("times") == 0 or (rule.get("method") or method).upper() != method.upper():
        return False
    pattern = str(rule["url"])
    if "?" not in pattern:
        url = url.partition("?")[0]
    return path_pattern(pattern).fullmatch(normal_path(url)) is not None


def _stubbed_response(rule: Mapping[str, Any]) -> exchange.HttpResponse:
    if rule.get("error"):
        timed_out = rule["error"] == "timeout"
        raise exchange.Unanswered("timed out" if timed_out else "Connection refused", timed_out=timed_out)
    headers = {str(name): str(value) for name, value in (rule.get("headers") or {}).items()}
    body = str(rule.get("text") or "").encode()
    if "json" in rule:
        headers, body = {"Content-Type": "application/json"} | headers, orjson.dumps(rule["json"])
    return exchange.HttpResponse(rule.get("status") or 200, headers, body)
