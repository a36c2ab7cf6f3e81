"""Make the reference in docs/testing.md from the code of the helpers: `python -m dryline.tools.helper_reference`."""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dryline import testing
from dryline.testing import conversations, plane, rows, servers, traffic, webhooks

PAGE = Path(__file__).parents[1] / "docs" / "testing.md"
PLUGIN = ast.parse((Path(__file__).parents[1] / "pytest_plugin.py").read_text())
BEGINNING, END = "<!-- reference: made by tools/helper_reference.py -->\n", "<!-- end of the reference -->\n"
WIDTH = 120
FORMER = "told|deployment|from_test"  # names that live on, and that nobody should begin to use

# The classes of each part, with the classes whose members it lists.
CLASSES: dict[type, tuple[type, ...]] = {
    testing.StandIn: (testing.StandIn, *testing.StandIn.__mro__[1:-1]),
    testing.Team: (testing.Team,),
    testing.DrylineServer: (testing.DrylineServer, servers.Started),
    testing.DrylineInProcess: (testing.DrylineInProcess,),
    testing.Talk: (testing.Talk,),
}
FUNCTIONS = (testing.connect, testing.wait_until, testing.transport, testing.async_transport)
DICTS: tuple[type, ...] = (
    *(
        traffic.LogCriteria,
        traffic.Criteria,
        webhooks.WebhookCriteria,
        conversations.ChatOptions,
        conversations.CallOptions,
        conversations.HttpStub,
        traffic.RateLimit,
        traffic.DelayDistribution,
    ),
    *(rows.LoggedRequest, rows.FaultRule, rows.Delivery),
    *(rows.RuntimeValues, rows.ExportRow),
)
ERRORS = (plane.DrylineError, plane.NoReply, conversations.NotTaken)


def reference() -> str:
    """Return the reference as Markdown."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "A parameter whose name ends in `?` is None unless it is passed.\n"
    yield "### Fixtures\n"
    yield from _fixtures()
    yield "\n### Options of pytest\n"
    yield _wrapped(
        "In pytest's configuration `--dryline-webhook-hosts` is `dryline_webhook_hosts`, and so on. Write "
        "`--dryline-command=PATH` with an equals sign: pytest takes a path behind a blank for one of tests, and may "
        "read another project's configuration because of it.\n",
        "",
    )
    yield ""
    for name, (default, help) in _options().items():
        kind = "flag" if default is False else "text"
        value = "none" if default is None else f"`{str(default).lower()}`"
        yield _wrapped(f"- `--dryline-{name}` ({kind}, default {value}): {help}.")
    for part, owners in CLASSES.items():
        yield f"\n### `{part.__name__}`\n\n{_wrapped(_text(part), '')}\n"
        yield from _members(owners)
    yield "\n### Functions\n"
    yield from (_function(ast.parse(inspect.getsource(each)).body[0]) for each in FUNCTIONS)
    yield "\n### Arguments and rows\n"
    yield "Arguments may be left out or None, unless they are `Required`. Rows are dictionaries in the API's form.\n"
    for each in DICTS:
        yield _entry(each.__name__, f"{_text(each)} {_fields(each)}")
    yield "\n### Errors\n"
    yield from (_entry(each.__name__, _text(each)) for each in ERRORS)
    yield ""


def _options() -> dict[str, tuple[str | bool | None, str]]:
    (value,) = [
        node.value
        for node in PLUGIN.body
        if isinstance(node, ast.AnnAssign) and node.value and ast.unparse(node.target) == "OPTIONS"
    ]
    options: dict[str, tuple[str | bool | None, str]] = ast.literal_eval(value)
    return options


def _fixtures() -> Iterator[str]:
    for node in PLUGIN.body:
        marks = [ast.unparse(each) for each in getattr(node, "decorator_list", ())]
        if (
            marks
            and "pytest.fixture" in marks[0]
            and isinstance(node, ast.FunctionDef)
            and not node.name.startswith("_")
        ):
            scope = "for the session" if "session" in marks[0] else "for each test"
            kind = re.sub(r"Iterator\[(\w+)\]", r"\1", ast.unparse(node.returns or node))
            yield _entry(f"{node.name}: {kind}", f"{scope}. {_paragraph(ast.get_docstring(node) or '')}")


def _members(owners: tuple[type, ...]) -> Iterator[str]:
    seen: set[str] = set()
    for owner in owners:
        for node in _body(owner):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                name, entry = node.target.id, f"- `.{node.target.id}: {ast.unparse(node.annotation)}`"
            elif isinstance(node, ast.FunctionDef):
                name, entry = node.name, _function(node)
            else:
                continue
            is_maker = name == "__init__" and owner in (testing.DrylineServer, testing.DrylineInProcess)
            if name not in seen and (is_maker or not name.startswith("_")):
                yield entry.replace("`__init__(", f"`{owner.__name__}(").replace(") -> None`", ")`")
            seen.add(name)


def _body(owner: type) -> list[ast.stmt]:
    definition = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(definition, ast.ClassDef)
    return definition.body


def _function(node: Any) -> str:
    arguments = re.sub(r"^self(, )?", "", ast.unparse(node.args))
    arguments = re.sub(r"(?<=[\w\]])=(?=\S)", " = ", arguments)
    arguments = re.sub(rf", ({FORMER}): [^,]+", "", arguments)
    arguments = re.sub(r"(\w+): ((?:[^:=](?!\w+: ))+) \| None = None", r"\1?: \2", arguments)
    returned = ast.unparse(node.returns)
    is_property = any(ast.unparse(each) == "property" for each in node.decorator_list)
    signature = f".{node.name}: {returned}" if is_property else f"{node.name}({arguments}) -> {returned}"
    return _entry(signature, _paragraph(ast.get_docstring(node) or ""))


def _fields(each: type) -> str:
    nodes = [node for node in _body(each) if isinstance(node, ast.AnnAssign)]
    names = [ast.unparse(node.target) for node in nodes]
    types = [ast.unparse(node.annotation).removesuffix(" | None") for node in nodes]
    is_row = getattr(each, "__total__", True)
    fields = names if is_row else [f"{name}: {type}" for name, type in zip(names, types, strict=True)]
    return ", ".join(f"`{field}`" for field in fields if not re.match(rf"({FORMER}):", field))


def _text(each: Any) -> str:
    return _paragraph(inspect.getdoc(each) or "")


def _paragraph(text: str) -> str:
    return " ".join(text.split())


def _entry(signature: str, text: str) -> str:
    return _wrapped(f"- `{signature}`: {text}" if text else f"- `{signature}`")


def _wrapped(text: str, indent: str = "  ") -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGINNING)
    PAGE.write_text(before + BEGINNING + reference() + END + rest.partition(END)[2])
