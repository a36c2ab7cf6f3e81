"""The functions of Based that flows call, on the host's side. Arguments and results are plain values.

Contract: based.md, section 2, for signatures and effects.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from datetime import timedelta, timezone
from types import NoneType
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import orjson

from dryline.flow.language.errors import readable
from dryline.flow.language.events import transcript
from dryline.flow.language.json_values import json_error, plain, text
from dryline.flow.language.language_model import Question
from dryline.flow.language.open_talk import condition_text
from dryline.flow.language.web import RequestFailed, fetch_response
from dryline.world.masking import mask_addresses

if TYPE_CHECKING:
    from dryline.flow.language.session import FlowSession


_OLDER_NAMES = {"system_prompt": "prompt", "first_prompt": "first"}  # of talk()'s arguments
# Bounds of what a language model reads, so that no flow keeps it busy.
MOST_VALUES = 500  # in the example and the schema of one ask(), objects and lists included
LONGEST_MEMBER = 1_000  # characters of a key or a text in them
LONGEST_QUESTION = 10_000  # characters of a question or a condition
LONGEST_TEXT = 200_000  # characters of a prompt, a text that a question is about, or what a `return` hands back
_SENT = {"success": True, "status": "sent", "message_sid": None, "error": None, "data": None}


class Raised(Exception):
    """An exception of this type and message, to be raised in the flow."""

    def __init__(self, type: str, message: str) -> None:
        super().__init__(message)
        self.type, self.message = type, message


class Over(Exception):
    """The run is over. The message is the reason."""


class Waits(Exception):
    """The flow waits for the user."""


def call(session: FlowSession, name: str, args: tuple[Any, ...], named: dict[str, Any], line: int | None) -> Any:
    """Call a host function. Raises Raised, Over, Waits."""
    if not is_callable(name, session.channel):
        raise Raised("NameError", f"name '{name}' is not defined")
    function, signature = _CALLS[name]
    session.keep_state(named.pop("_based_state", None))  # which functions that end a turn or the run have
    if function is converse:
        named = {_OLDER_NAMES.get(key, key): value for key, value in named.items()}
    try:
        return function(session, line, *args, **named)
    except TypeError:  # the arguments are checked only now, because that takes a tenth of a run
        try:
            signature.bind(session, line, *args, **named)
        except TypeError as fault:
            shown = _SHOWN.get(name, name.removeprefix("_based_"))
            raise Raised("TypeError", f"{shown}() {fault}") from None
        raise


def is_callable(name: str, channel: str) -> bool:
    """Return whether the name is a host function."""
    return name in _CALLS and (name not in _VOICE or channel == "voice")


def say(session: FlowSession, line: int | None, message: Any, exact: Any = True, model: Any = None) -> str:
    spoken = _require_bounded_text("say() takes a text", text(message), LONGEST_TEXT)
    session.add_agent_message(spoken, line, by="say", exact=bool(exact))
    return spoken


def extract(session: FlowSession, line: int | None, key: Any, value: Any) -> None:
    if not isinstance(key, str) or key.startswith("_"):
        raise Raised("ValueError", f"An extraction's key is a text that does not begin with _, not {key!r}.")
    name = _require_bounded_text("extract() takes a key", text(key), LONGEST_MEMBER)
    plain_value = _plain_json(value)
    session.log_bounded_event("extracted", line, key=name, value=plain_value)
    session.extracted[name] = plain_value


def transfer(session: FlowSession, line: int | None, number: Any, more: Any = None, **options: Any) -> None:
    """End the run. `options` are extension, pauseSeconds, sipDomain and message; `more` is an extension or options."""
    if more is not None:
        options |= more if isinstance(more, dict) else {"extension": text(more), "pauseSeconds": 1}
    session.log_bounded_event("transferred", line, **{**plain(options), "number": text(number)})
    raise Over("transfer")


def end_call(session: FlowSession, line: int | None) -> None:
    raise Over("end_call")


def end(session: FlowSession, line: int | None) -> None:
    raise Over("end of the flow")


def done(session: FlowSession, line: int | None) -> None:
    session.log_event("waiting", line)
    raise Waits


def sms(session: FlowSession, line: int | None, from_number: Any, to: Any, content: Any, **more: Any) -> dict:
    session.log_bounded_event("sms", line, **{"from": text(from_number), "to": text(to), "content": text(content)})
    return _SENT | {"message_sid": f"SM{session.random().getrandbits(128):032x}"}


def integrate(session: FlowSession, line: int | None, app: str, action: str, /, *args: Any, **named: Any) -> dict:
    arguments = plain({**{str(index): value for index, value in enumerate(args)}, **named})
    session.log_bounded_event("integrated", line, app=app, action=action, arguments=arguments)
    return _SENT | {"data": {}}


def click_ivr(session: FlowSession, line: int | None, digits: Any) -> None:
    session.log_bounded_event("digits", line, digits=text(digits))


def send_image(session: FlowSession, line: int | None, url: Any) -> None:
    session.log_bounded_event("image", line, url=text(url))


def ask(
    session: FlowSession,
    line: int | None,
    about: Any,
    question: Any,
    example: Any = None,
    schema: Any = None,
    model: Any = None,
) -> Any:
    example, schema = plain(example), plain(schema)
    _require_bounded_members("ask() takes an example or schema", example, schema)
    choices = session.program.choices
    request = _build_question(session, line, about, question, example=example, schema=schema, choices=choices)
    answer = session.answer_stubs.answer(request, session.model.ask)
    details = {"question": request.question, "value": answer.value, "example": example}
    session.log_bounded_event("asked", line, **details, how=answer.how, by=answer.by)
    session.open_talk.note_answer(request, answer)
    return answer.value


def summarize(session: FlowSession, line: int | None, about: Any, prompt: Any = "", model: Any = None) -> str:
    words = session.model.summarize(_build_question(session, line, about, prompt or ""))
    session.log_bounded_event("summarized", line, text=words.text, by=words.by)
    return words.text


def to_json(session: FlowSession, line: int | None, value: Any) -> Any:
    return plain(value)


def converse(
    session: FlowSession,
    line: int | None,
    loop: int,
    conditions: Any,
    note: Any,
    state: Any,
    /,
    prompt: Any,
    first: Any = True,
    default_values: Any = None,
    info: Any = None,
) -> list[Any]:
    is_loop = isinstance(loop, int) and loop < len(session.program.loops)
    if not is_loop or not isinstance(conditions, (list, NoneType)) or not isinstance(note, (list, tuple, NoneType)):
        raise Raised("TypeError", "talk() was called with arguments that only the engine passes")
    session.keep_state(state)
    prompt = _require_bounded_text("talk() takes a prompt", text(prompt), LONGEST_TEXT)
    default_values, info = plain(default_values), plain(info)
    _require_bounded_text("talk() takes info and default values", orjson.dumps([default_values, info]), LONGEST_TEXT)
    for condition in conditions or ():
        _require_bounded_condition(condition)
    if note:
        _require_bounded_text("A return hands back a value", text(note[0]), LONGEST_TEXT)
    session.open_talk.open(loop, conditions, note, prompt, bool(first), default_values, info)
    if conditions is None:
        return [None, None, transcript(session.messages)]
    raise Waits


def http(session: FlowSession, line: int | None, _: Any, method: Any, url: Any, **named: Any) -> dict[str, Any]:
    """Send a request of `requests`, which passes its line. Raises Raised with the message of its exceptions."""
    sent = plain(named) | {"json": _plain_json(named.get("json"))}
    shown = {"method": text(method), "url": mask_addresses(text(url))}
    try:
        answer = fetch_response(session.fetch, str(method).upper(), text(url), sent)
    except RequestFailed as fault:
        session.log_bounded_event("requested", line, **shown, error=str(fault))
        raise Raised("TimeoutError" if fault.timed_out else "OSError", str(fault)) from None
    shown["url"] = mask_addresses(answer["url"])
    session.log_bounded_event("requested", line, **shown, status=answer["status"])
    return answer


def api(
    session: FlowSession,
    line: int | None,
    verb: str,
    url: Any,
    params: Any = None,
    headers: Any = None,
    data: Any = None,
    body: Any = None,
    **named: Any,
) -> dict[str, Any]:
    """Call the older `api.get_req` or `api.post_req`. The result has the decoded body under two names."""
    method = verb.removesuffix("_req").upper()
    sent = data if data is not None else body
    if method == "POST" and sent is None:
        sent, params = params, None  # the second argument of post_req is its body
    answer = http(session, line, line, method, url, params=params, headers=headers, json=sent)
    try:
        decoded = orjson.loads(answer["text"])
    except orjson.JSONDecodeError:
        decoded = answer["text"]
    return {"response": decoded, "data": decoded, "status": answer["status"]}


def zone(session: FlowSession, line: int | None, name: Any) -> timezone:
    """Return the zone's offset at this moment, because the sandbox has no zones with daylight-saving rules."""
    try:
        zone_info = ZoneInfo(text(name))
    except (ZoneInfoNotFoundError, ValueError, OSError):  # the name of a folder, or a very long one
        raise Raised("KeyError", f"No time zone found with key {text(name)}") from None
    now = session.now().astimezone(zone_info)
    return timezone(now.utcoffset() or timedelta(0), now.tzname() or text(name))


def _plain_json(value: Any) -> Any:
    """Return the value as JSON values. Raises Raised for one that is no JSON, as Python's json does."""
    plain_value = plain(value)
    if error := json_error(value):
        raise Raised("TypeError", readable(error))
    return plain_value


def _require_bounded_text(subject: str, value: Any, most: int) -> Any:
    """Return a text. Raises Raised if it is longer than `most` characters; `subject` begins the message."""
    if len(value) > most:
        raise Raised("ValueError", f"{subject} of at most {most:,} characters.")
    return value


def _require_bounded_condition(condition: Any) -> None:
    """Check the length of a condition, and the size of a tool's schema. Raises Raised."""
    _require_bounded_text("A loop takes a condition", condition_text(condition), LONGEST_QUESTION)
    if isinstance(condition, dict):
        _require_bounded_members("A loop takes a tool with a schema", plain(condition))


def _require_bounded_members(subject: str, *values: Any) -> None:
    """Check the number of values at all levels, and the lengths of keys and texts. Raises Raised."""
    count = 0
    rest = [value for value in values if value is not None]
    while rest:
        value = rest.pop()
        count += 1
        texts: Iterable[str] = ()
        if isinstance(value, dict):
            rest += value.values()
            texts = value
        elif isinstance(value, list):
            rest += value
        elif isinstance(value, str):
            texts = (value,)
        if any(len(each) > LONGEST_MEMBER for each in texts):
            raise Raised("ValueError", f"{subject} whose keys and texts have at most {LONGEST_MEMBER:,} characters.")
    if count > MOST_VALUES:
        raise Raised("ValueError", f"{subject} of at most {MOST_VALUES} values.")


def _build_question(session: FlowSession, line: int | None, about: Any, question: Any, **options: Any) -> Question:
    made = plain(about)
    words = made if isinstance(made, str) else orjson.dumps(made, option=orjson.OPT_INDENT_2).decode()
    _require_bounded_text("A question is about a text", words, LONGEST_TEXT)
    question = _require_bounded_text("ask() takes a question", text(question), LONGEST_QUESTION)
    options |= {"random": session.random(), "now": session.now(), "unsaid": session.unsaid}
    return Question(words, question, line=line, **options)


_VOICE = {"transfer", "transfer_call", "end_call", "hangup"}
_SHOWN = {"_based_converse": "talk", "_based_http": "request", "zoneinfo.ZoneInfo": "ZoneInfo"}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "say": say,
    "extract": extract,
    "transfer": transfer,
    "transfer_call": transfer,
    "end_call": end_call,
    "hangup": end_call,
    "end": end,
    "done": done,
    "click_ivr": click_ivr,
    "send_image": send_image,
    "send_sms": sms,
    "_based_integrate": integrate,
    "_based_ask": ask,
    "_based_summarize": summarize,
    "_based_to_json": to_json,
    "_based_converse": converse,
    "_based_http": http,
    "_based_api": api,
    "zoneinfo.ZoneInfo": zone,
}
_CALLS = {name: (function, inspect.signature(function)) for name, function in FUNCTIONS.items()}
