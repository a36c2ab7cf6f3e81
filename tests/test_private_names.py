"""What libraries promise to nobody: each private name that the shipped code leans on, and the versions that have it."""

from __future__ import annotations

import ast
import collections
import contextlib
import functools
import importlib
import importlib.metadata
import re
import sys
import tomllib
import types
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from waitress.channel import HTTPChannel
from waitress.server import BaseWSGIServer

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = PROJECT["tool"]["setuptools"]["packages"]

# What lanes.py and listener.py lean on changes more easily than a name: these are the versions that were tried.
WAITRESS = ">=3.0,<3.1"
# Distribution: the versions that have the names (pyproject.toml says the same), and the names.
PRIVATE = {
    "marshmallow": (">=4.0,<5", {"_deserialize", "_hooks", "_validated"}),
    "peewee": (">=4.5,<5", {"__data__", "__no_default__", "_callbacks", "_close", "_connect", "_meta", "_state"}),
    "waitress": (WAITRESS, {"_flush_some", "_sock"}),
    "werkzeug": (">=3.1.8,<4", {"_compile_builder", "_get_current_object"}),
}
# Without an underscore, but documented nowhere: no scan finds these.
UNDOCUMENTED = {
    "waitress": (
        WAITRESS,
        {"ClientDisconnected", "accepting", "active_channels", "add_task", "bind_socket", "build_response_header"}
        | {
            "channel_class",
            "close_all",
            "close_on_finish",
            "dispatcher",
            "error_task_class",
            "handle_write",
        }
        | {
            "has_body",
            "in_connection_overflow",
            "logger",
            "pull_trigger",
            "received",
            "requests",
            "response_headers",
            "service",
        }
        | {"set_close_on_finish", "sockinfo", "task_class", "task_dispatcher", "total_outbufs_len", "use_poll"}
        | {"will_close"},
    )
}
LEANED_ON = PRIVATE | {
    library: (versions, names | PRIVATE.get(library, ("", set()))[1])
    for library, (versions, names) in UNDOCUMENTED.items()
}
# What Python itself and its named tuples document.
PYTHONS = {
    name
    for kind in (
        object,
        type,
        dict,
        str,
        BaseException,
        types.GeneratorType,
        types.AsyncGeneratorType,
        types.FunctionType,
        types.ModuleType,
        contextlib.ExitStack,
    )
    for name in dir(kind)
} | {name for name in dir(collections.namedtuple("Named", "")) if not name.startswith("__")}
PYTHONS |= {"__future__", "__version__"}


def private(name):
    return name.startswith("_") and name.strip("_") != "" and name not in PYTHONS


@functools.cache
def modules():
    """The shipped modules: name -> tree."""
    return dict(read_modules())


def read_modules():
    for package in PACKAGES:
        folder = ROOT.joinpath(*package.split(".")[1:])
        for path in sorted(folder.glob("*.py")):
            name = package if path.stem == "__init__" else f"{package}.{path.stem}"
            yield name, ast.parse(path.read_text())


def defined(tree):
    """The private names that a tree's own functions, classes, variables and `self.…` give."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of_this_object(node):
            yield node.attr


def of_this_object(node):
    value = node.value
    if isinstance(value, ast.Call):  # super()
        value = value.func
    return isinstance(value, ast.Name) and value.id in ("self", "cls", "super")


def asked(tree):
    """The private names that a tree asks of objects: (name, whether of its own object)."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr, of_this_object(node)
        elif isinstance(node, ast.ImportFrom):
            for part in (*(node.module or "").split("."), *(alias.name for alias in node.names)):
                yield part, False
        elif isinstance(node, ast.Import):
            for part in (part for alias in node.names for part in alias.name.split(".")):
                yield part, False
        elif isinstance(node, ast.keyword) and node.arg:
            yield node.arg, False
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("attr"):
            for argument in node.args[1:2]:
                if isinstance(argument, ast.Constant):
                    yield argument.value, False


def overridden(module, tree):
    """The private names of a module's classes that a base of a library has too."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            given = set(filter(private, defined(node)))
            for base in getattr(importlib.import_module(module), node.name).__mro__[1:] if given else ():
                if base.__module__.split(".")[0] not in {"dryline", *sys.stdlib_module_names}:
                    yield from given & own_names(base)


@functools.cache
def own_names(base):
    """What a class has, and the attributes that its functions ask for or give."""
    functions = (value for value in vars(base).values() if isinstance(value, types.FunctionType))
    return frozenset(vars(base)).union(*(function.__code__.co_names for function in functions))


@functools.cache
def found():
    """Every private name of others: name -> the modules that use it."""
    trees = modules()
    ours = {name for tree in trees.values() for name in defined(tree)}
    result = collections.defaultdict(set)
    for module, tree in trees.items():
        here = set(defined(tree))
        for name, own in asked(tree):
            if private(name) and name not in (ours if own else here):
                result[name].add(module)
        for name in overridden(module, tree):
            result[name].add(module)
    return dict(result)


def test_every_private_name_that_is_used_is_listed():
    listed = set().union(*(names for _, names in PRIVATE.values()))
    assert {name: where for name, where in found().items() if name not in listed} == {}


def test_every_listed_name_is_still_used():
    listed = set().union(*(names for _, names in PRIVATE.values()))
    assert listed - set(found()) == set()
    code = "\n".join(ast.unparse(tree) for tree in modules().values())
    assert [name for _, names in UNDOCUMENTED.values() for name in names if not re.search(rf"\b{name}\b", code)] == []


@pytest.mark.parametrize("library", LEANED_ON)
def test_the_installed_version_has_its_names(library):
    files = [path for path in importlib.metadata.files(library) if path.suffix == ".py"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert [name for name in LEANED_ON[library][1] if not re.search(rf"\b{name}\b", code)] == []


@pytest.mark.parametrize(
    ("method", "calls"),
    [
        (HTTPChannel.handle_read, "received"),  # in the loop's thread, whole requests or parts
        (HTTPChannel.received, "add_task"),  # once a request has come in whole, before it returns
        (HTTPChannel.service, "add_task"),  # for the next one of a connection
        (HTTPChannel.service, "pull_trigger"),  # so that the loop sends what is left
        (HTTPChannel.write_soon, "_flush_some"),  # each part of an answer, where it is not held back
        (HTTPChannel.handle_write, "_flush_some"),  # what was held back
        (BaseWSGIServer.add_task, "task_dispatcher"),
    ],
)
def test_waitress_works_as_the_loop_leans_on(method, calls):
    version = importlib.metadata.version("waitress")
    assert calls in method.__code__.co_names, f"{method.__qualname__} of waitress {version} does without {calls}"


@pytest.mark.parametrize("library", LEANED_ON)
def test_no_other_version_can_be_installed(library):
    wanted = {Requirement(each).name: Requirement(each).specifier for each in PROJECT["project"]["dependencies"]}
    assert wanted[library] == SpecifierSet(LEANED_ON[library][0])
