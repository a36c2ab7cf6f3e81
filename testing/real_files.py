"""Real files for a stand-in in the same process as a test with pyfakefs.

pyfakefs's own `additional_skip_names` does not do: each test would have to pass it to its fixture, it takes whole names
of modules (`dryline` stands for none below it), and modules that are imported beside fake files keep those.
"""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

# Modules of other packages that use files for dryline: the sandbox of flows, the server, the sending of exports.
_OTHERS = ("pydantic_monty._binary", "waitress.trigger", "waitress.wasyncore", "werkzeug.utils")
# Folders of the package that a server does not use.
_NOT_IMPORTED = ("tests", "tools", "bench", "commands", "remote", "testing", "migrations")


@contextlib.contextmanager
def real_files() -> Iterator[None]:
    """Start a stand-in within this block. If pyfakefs is loaded, its fake files stay unseen by dryline's modules.

    All modules of the server are imported then: what is imported beside fake files would use them.
    """
    if not (pyfakefs := sys.modules.get("pyfakefs.fake_filesystem_unittest")):
        yield
        return
    patcher = pyfakefs.Patcher.PATCHER
    is_active = patcher is not None and patcher.is_patching
    with pyfakefs.Pause(patcher) if is_active else contextlib.nullcontext():
        modules = dict(_modules(Path(__file__).parents[1], "dryline"))
        # pyfakefs tells a caller by the end of its file's path, and a checkout may have any folder's name.
        paths = {str(path.with_suffix("")).replace(os.sep, ".") for path in modules.values()}
        names = {*_OTHERS, *modules, *paths}
        pyfakefs.Patcher.SKIPNAMES |= names
        if is_active:
            for owner in (patcher, *patcher.fake_modules.values()):
                if hasattr(owner, "skip_names"):
                    owner.skip_names = {*owner.skip_names, *names}
        yield
        if "dryline.app" in sys.modules:
            for name in modules:
                if not any(f".{folder}." in name for folder in _NOT_IMPORTED) and name.count(".") > 1:
                    importlib.import_module(name)


def _modules(folder: Path, package: str) -> Iterator[tuple[str, Path]]:
    """Yield the name and the file of each module."""
    for path in folder.iterdir():
        if path.suffix == ".py":
            yield f"{package}.{path.stem}", path
        elif (path / "__init__.py").exists():
            yield from _modules(path, f"{package}.{path.name}")
