"""Names of libraries that the code uses although no documentation promises them, and the versions that have them.

Names with an underscore that are documented are not listed: marshmallow's `_serialize` and `_deserialize`, werkzeug's
`_get_current_object`. waitress says that it uses asyncore, whose `loop`, `map`, `writable` and `handle_close` are
documented by Python 3.11.
"""

import importlib.metadata
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())

WAITRESS = "add_task error pull_trigger requests service set_thread_count task_dispatcher to_response"
# Distribution: the versions that have the names, as pyproject.toml says them, and the names.
NAMES = {
    "peewee": (">=4.5,<5", "__data__ __no_default__ _callbacks _close _connect _meta _state"),
    "waitress": (">=3.0,<3.1", WAITRESS),
    "werkzeug": (">=3.1.8,<4", "_compile_builder"),
}


@pytest.mark.parametrize("library", NAMES)
def test_the_installed_version_has_the_names(library):
    files = [path for path in importlib.metadata.files(library) if path.suffix == ".py"]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files)
    assert [name for name in NAMES[library][1].split() if not re.search(rf"\b{name}\b", code)] == []


@pytest.mark.parametrize("library", NAMES)
def test_no_other_version_can_be_installed(library):
    required = {Requirement(line).name: Requirement(line).specifier for line in PROJECT["project"]["dependencies"]}
    assert required[library] == SpecifierSet(NAMES[library][0])
