"""Every method of the vendor's client is called in this folder, with every parameter that it takes."""

from __future__ import annotations

import ast
import inspect
import re
from collections import defaultdict
from pathlib import Path

from brainbase_labs import BrainbaseLabs
from brainbase_labs._resource import SyncAPIResource

# Every method takes these; they concern the transport.
TRANSPORT = {"self", "extra_headers", "extra_query", "extra_body", "timeout"}


def methods():
    """Each method's dotted name and the names of its parameters, in order."""
    parameters = {}

    def walk(part, prefix):
        for name, attribute in inspect.getmembers_static(type(part)):
            if name.startswith(("_", "with_")):
                continue
            if inspect.isfunction(attribute) and isinstance(part, SyncAPIResource):
                parameters[prefix + name] = [p for p in inspect.signature(attribute).parameters if p not in TRANSPORT]
            elif isinstance(resource := getattr(part, name, None), SyncAPIResource):
                walk(resource, f"{prefix}{name}.")

    with BrainbaseLabs(api_key="x", base_url="http://localhost") as client:
        walk(client, "")
    return parameters


def calls():
    """Yield the calls `client.….method(…)` in the tests of this folder, read from their source."""
    for path in Path(__file__).parent.glob("test_*.py"):
        for function in ast.parse(path.read_text()).body:
            if isinstance(function, ast.FunctionDef) and function.name.startswith("test_"):
                for node in ast.walk(function):
                    if isinstance(node, ast.Call) and (
                        name := re.fullmatch(r"client\.([\w.]+)", ast.unparse(node.func))
                    ):
                        yield name[1], node


def test_every_method_is_called_with_every_parameter():
    known = methods()
    assert len(known) == 127
    passed = defaultdict(set)
    for name, call in calls():
        passed[name] |= {*known[name][: len(call.args)], *(keyword.arg for keyword in call.keywords)}
    missing = {name: left for name, names in known.items() if (left := set(names) - passed[name]) or name not in passed}
    assert missing == {}
