"""The start of a world, and the reset to it: the first team, its keys, and the scenario."""

import contextlib
import sqlite3
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple, Self

import orjson

from dryline.models.teams import Team
from dryline.settings import BadSetting, RuntimeSettings
from dryline.state import forms
from dryline.state.document import admit_start_keys, insert, replacing_rows, wipe, without_foreign_keys
from dryline.state.forms import Document
from dryline.state.import_rows import Import
from dryline.storage.current_world import WorldLocal
from dryline.storage.directory import NoWorld, database_in
from dryline.storage.errors import BadDocument
from dryline.storage.files import read
from dryline.storage.json_values import loads
from dryline.world.world import World

SHIPPED = Path(__file__).parent.parent / "data"
EMPTY = "empty"
# The largest file whose document is kept in memory for the next reset.
MOST_BYTES_REMEMBERED = 20_000_000
# The scenarios that come with dryline, and the content of each.
ABOUT = {
    "demo": "A voice agency with four businesses, five weeks of calls, a campaign, webhooks and tests.",
    "clinic": "One animal hospital: its reception, its website's chat, tests, webhooks and exports.",
    "campaign": "A garage whose campaign is in the middle of its run: some rows called, the others in batches.",
    "trouble": "A parcel service where much fails: a flow's newest version, webhooks, a test, exports.",
    EMPTY: "A team and its key, and nothing else.",
}


def begin(world: World) -> None:
    """Fill a new world with the scenario. In an existing world, only make the keys of `--api-key` work.

    A world without a team is new, also if an earlier start was interrupted. Raises BadSetting for a scenario that
    cannot be loaded.
    """
    name = world.settings.scenario
    try:
        if Team.select().exists():
            path = _path(name)  # a reset needs it
            with world.transaction():
                admit_start_keys(world)
                _store_start(world, path)
            world.wake()
            return
        document = load(name, lenient=world.settings.lenient)
        with without_foreign_keys(world), world.transaction():
            _fill(world, document)
            _store_start(world, _path(name))
        world.is_new = True
        if document is not None:  # an empty world has no work
            world.wake()
    except BadDocument as error:
        raise BadSetting(f"--scenario {name}: {error}") from None


def _store_start(world: World, path: Path | None) -> None:
    """Store the scenario and the node's name, for commands that open the directory without a server."""
    scenario = world.settings.scenario if path is None or path.parent == SHIPPED else str(path.absolute())
    start = {"scenario": scenario, "node": world.settings.node, "lenient": world.settings.lenient}
    world.db.execute_sql(
        "INSERT OR REPLACE INTO server (name, value) VALUES ('start', ?)", (orjson.dumps(start).decode(),)
    )


def stored_start(data_dir: Path) -> dict[str, Any]:
    """Return the settings `scenario`, `node` and `lenient` that the last server of a directory had."""
    if not database_in(data_dir).exists():
        return {}
    with contextlib.closing(sqlite3.connect(database_in(data_dir))) as database, contextlib.suppress(sqlite3.Error):
        row = database.execute("SELECT value FROM server WHERE name = 'start'").fetchone()
        return orjson.loads(row[0]) if row else {}
    return {}


def require_filled(world: World) -> None:
    """Raise NoWorld if the first start of a directory was interrupted."""
    if not Team.select().exists():
        raise NoWorld(world.settings.data_dir)


def fill_anew(world: World, document: Document | None) -> None:
    """Replace all rows by a scenario's, and go back to the start: clock, ids, runtime settings.

    Raises BadDocument. Nothing has changed then.
    """
    with replacing_rows(world):
        wipe(world)
        before = world.clock.state(), world.ids.state()
        world.clock.reset()
        world.ids.restart(world.settings.seed)
        try:
            _fill(world, document)
        except BaseException:
            world.clock.restore(before[0])
            world.ids.restore(before[1])
            raise
        world.runtime_settings = RuntimeSettings.of(world.settings)
        world.save_runtime_state()


def load(name: str, *, lenient: bool = False) -> Document | None:
    """Return a scenario's document, None for the empty one. Raises BadDocument if it cannot be read."""
    path = _path(name)
    if path is None:
        return None
    try:
        return forms.read(loads(read(path)), lenient=lenient)
    except OSError as error:
        raise _unreadable(path, error) from None
    except ValueError as error:
        raise _unreadable(path, f"it is not valid JSON: {error}") from None


def load_again(world: World, name: str, *, lenient: bool = False) -> Document | None:
    """Return a scenario's document as `load` does. The last one is remembered, and read again if its file has changed.

    Reading it takes most of the time of a reset.
    """
    path = _path(name)
    if path is None:
        return None
    try:
        version = _FileVersion.of(path, lenient)
    except OSError as error:
        raise _unreadable(path, error) from None
    remembered = _LAST_READ.of(world)
    if remembered and remembered[0].version == version:
        return remembered[0].document.copy()
    document = load(name, lenient=lenient)
    remembered.clear()
    if document is not None and version.size <= MOST_BYTES_REMEMBERED:
        remembered.append(_ReadDocument(version, document))
        return document.copy()
    return document


class _FileVersion(NamedTuple):
    """The marks of a file with its present content, and the way in which it is read."""

    path: Path
    size: int
    changed_ns: int
    inode: int
    lenient: bool

    @classmethod
    def of(cls, path: Path, lenient: bool) -> Self:
        status = path.stat()
        return cls(path.absolute(), status.st_size, status.st_mtime_ns, status.st_ino, lenient)


class _ReadDocument(NamedTuple):
    version: _FileVersion
    document: Document


# The document that the last reset of a world has read, or nothing.
_LAST_READ: WorldLocal[list[_ReadDocument]] = WorldLocal(lambda world: [])


def _path(name: str) -> Path | None:
    """Return a scenario's file, None for the empty one. Raises BadDocument if there is no such regular file."""
    if name == EMPTY:
        return None
    shipped = SHIPPED / f"{name}.json"
    path = shipped if name in ABOUT and shipped.exists() else Path(name)
    try:
        if not S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
            raise _unreadable(path, "it is not a regular file")
    except (OSError, ValueError) as error:  # ValueError for a NUL in the name
        raise _unreadable(path, error) from None
    return path


def _unreadable(path: Path, reason: str | Exception) -> BadDocument:
    text = (reason.strerror or str(reason)).lower() if isinstance(reason, OSError) else str(reason)
    hint = "" if path.suffix else f" The scenarios are {', '.join(ABOUT)}; anything else is the path of a file."
    return BadDocument([("", f"Cannot read the scenario {path}: {text}.{hint}")])


def _fill(world: World, document: Document | None) -> None:
    """Fill a world without rows. A scenario without teams gets the start team."""
    if document is None or not document.rows["teams"]:
        Team.new("Team")
    if document is None:
        admit_start_keys(world)
    else:
        insert(world, Import(document, adding=not document.rows["teams"]))
