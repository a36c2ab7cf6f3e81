"""The answers of a model's server: text without thoughts, the JSON in it, and values in the shape that was asked for.

Models differ: some think aloud, put words or fences around JSON, write numbers as texts, or leave members out.
"""

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import orjson

MAX_LEVELS = 50  # of JSON that a flow gets
MAX_MESSAGE = 300  # characters of a server's error message
# How often a text is searched for JSON: each attempt may read all of it.
_MAX_ATTEMPTS = 100

_THOUGHT = r"(?:[\w-]{1,40}:)?(?:think(?:ing)?|thoughts?|reason(?:ing)?|analysis|scratchpad|begin_of_thought)"
# <think>, <seed:think>, <|thinking|>, [THINK], ◁think▷, and a channel of thoughts.
_BEGIN = (
    rf"(?:<\|?{_THOUGHT}(?:\s[^<>]{{0,100}})?\|?>|\[think(?:ing)?\]|◁think▷"
    r"|<\|channel\|>(?:analysis|commentary)<\|message\|>)"
)
_END = (
    rf"(?:<\|?/\|?{_THOUGHT}\s*\|?>|<\|end_of_thought\|>|\[/think(?:ing)?\]|◁/think▷"
    r"|<\|channel\|>final<\|message\|>)"
)
_THOUGHTS = re.compile(f"{_BEGIN}.*?{_END}", re.DOTALL | re.IGNORECASE)
_FIRST_BEGIN = re.compile(_BEGIN, re.IGNORECASE)
_EACH_END = re.compile(_END, re.IGNORECASE)
# Marks around an answer and at its end.
_MARK = re.compile(r"</?answer>|<\|\w+\|>", re.IGNORECASE)

_WHOLE_NUMBER = re.compile(r"\s*([+-]?\d{1,18})(?:\.0*)?\s*")
_NUMBER = re.compile(r"\s*[+-]?\d{1,18}(?:\.\d{1,18})?\s*")
_NO_TEXTS = {"", "null", "none"}
_TRUE_TEXTS, _FALSE_TEXTS = {"true", "yes"}, {"false", "no"}
_MISSING = object()
_decoder = json.JSONDecoder()


class Unfit(ValueError):
    """A value that cannot be brought into a shape."""


def text_of(message: Any) -> str:
    """Return the text of a completion's message, whose content may be a list of parts. Raises LookupError, TypeError.

    Thoughts in parts or members of their own are left out.
    """
    content = message["content"]
    if isinstance(content, list):
        content = "".join(part["text"] for part in content if part.get("type", "text") in ("text", "output_text"))
    return without_thoughts(content) if isinstance(content, str) else ""


def without_thoughts(text: str) -> str:
    """Return a text without a model's thoughts, which may lack their beginning or their end."""
    text = _THOUGHTS.sub("", text)
    ends = list(_EACH_END.finditer(text))
    if ends:  # the beginning was in the prompt
        text = text[ends[-1].end() :]
    if begin := _FIRST_BEGIN.search(text):  # the model ran out of tokens
        text = text[: begin.start()]
    return _MARK.sub("", text).strip()


def error_message(body: bytes) -> str:
    """Return the message in the body of a server's error, or its text."""
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError:
        message = body.decode(errors="replace")
    for name in ("error", "message", "detail"):  # {"error": {"message": …}}, {"error": …}, {"detail": …}
        if isinstance(message, dict):
            message = message.get(name, message)
    text = message if isinstance(message, str) else orjson.dumps(message).decode()
    return " ".join(text.split())[:MAX_MESSAGE]


def find_object(text: str, names: set[str]) -> dict[str, Any] | None:
    """Return the first JSON object in a text that has one of these members, or None.

    Words, fences, thoughts with braces and further objects may be around it.
    """
    for begin in islice((match.start() for match in re.finditer("{", text)), _MAX_ATTEMPTS):
        try:
            _, end = _decoder.raw_decode(text, begin)
            value = orjson.loads(text[begin:end])  # which refuses NaN and halves of characters
        except (ValueError, RecursionError):
            continue
        if any(member_of(value, name) is not _MISSING for name in names) and not is_deep(value):
            return dict(value)
    return None


def member_of(value: dict[str, Any], name: str, default: Any = _MISSING) -> Any:
    """Return the member of a name, which may be in another case."""
    if name in value:
        return value[name]
    return next((each for key, each in value.items() if _folded(key) == _folded(name)), default)


def is_deep(value: Any, levels: int = MAX_LEVELS) -> bool:
    """Return whether a value is nested deeper than a flow can take it."""
    if levels < 0:
        return True
    members = value.values() if isinstance(value, dict) else value
    return isinstance(value, dict | list) and any(is_deep(member, levels - 1) for member in members)


def whole_number(value: Any) -> int | None:
    """Return a whole number in any spelling, such as `"2"` or `2.0`; None for no value. Raises Unfit."""
    if value is None or (isinstance(value, str) and value.strip().lower() in _NO_TEXTS):
        return None
    match = None if isinstance(value, bool) else _WHOLE_NUMBER.fullmatch(str(value))
    if match is None:
        raise Unfit
    return int(match[1])


def in_shape(value: Any, example: Any) -> Any:
    """Return a value in the shape of an example, member by member. What it lacks is None, or an empty list.

    A tuple in an example has the values of which one is the answer. Raises Unfit if a value is for no member.
    """
    if isinstance(example, (dict, list)):
        value = _decoded(value)
    if isinstance(example, dict):
        return _in_object(value, example)
    if isinstance(example, list):
        if value is None:
            return []
        items = value if isinstance(value, list) else [value]
        return [in_shape(item, example[0]) for item in items] if example else items
    if isinstance(example, tuple):
        return next((each for each in example if _folded(str(each)) == _folded(str(value))), None)
    return value if example is None else _in_type(value, example)


def example_of(schema: Any) -> Any:
    """Return an example of a JSON Schema: of its type, without a value of its own."""
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("enum"), list):
        return tuple(schema["enum"])
    kind, properties = schema.get("type"), schema.get("properties")
    if isinstance(kind, list):
        kind = next((each for each in kind if each != "null"), None)
    if isinstance(properties, dict):
        return {name: example_of(each) for name, each in properties.items()}
    if kind == "array":
        items = example_of(schema.get("items"))
        return [] if items is None else [items]
    return {"string": "", "integer": 0, "number": 0.0, "boolean": False}.get(str(kind))


def _in_object(value: Any, example: dict[str, Any]) -> dict[str, Any]:
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict) and value is not None:
        if len(example) != 1:
            raise Unfit
        value = dict.fromkeys(example, value)
    members = value or {}
    return {name: in_shape(member_of(members, str(name), None), each) for name, each in example.items()}


def _in_type(value: Any, example: Any) -> Any:
    """Return a value in the type of an example, or None."""
    if isinstance(example, str):
        if isinstance(value, list):
            return ", ".join(_texts_of(value)) or None
        return next(_texts_of([value]), None)
    if isinstance(example, bool):
        folded = str(value).strip().lower()
        if folded in {*_TRUE_TEXTS, "1"}:
            return True
        return False if folded in {*_FALSE_TEXTS, "0"} else None
    if isinstance(value, bool) or not _NUMBER.fullmatch(str(value)):
        return None
    number = float(value)
    return int(number) if isinstance(example, int) and number.is_integer() else number


def _texts_of(values: list[Any]) -> Iterator[str]:
    """Yield the texts of values that have one. A whole number has no decimals."""
    for value in values:
        if isinstance(value, bool):
            yield "yes" if value else "no"
        elif isinstance(value, float) and value.is_integer():
            yield str(int(value))
        elif isinstance(value, (str, int, float)):
            yield str(value)


def _decoded(value: Any) -> Any:
    """Return what JSON in a text is."""
    try:
        return orjson.loads(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else value
    except orjson.JSONDecodeError:
        return value


def _folded(name: str) -> str:
    return re.sub(r"[\W_]", "", name).casefold()
