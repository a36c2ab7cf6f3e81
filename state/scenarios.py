"""The start of a world, and the reset to it: the first team, its keys, and the scenario."""

from __future__ import annotations

import contextlib
from pathlib import Path
from stat import S_ISREG
from typing import Any, NamedTuple, Self

from peewee import PeeweeException, SqliteDatabase

from dryline.models.teams import Team
from dryline.settings import BadSetting, RuntimeSettings
from dryline.state import parsing
from dryline.state.document import (
    TableRows,
    admit_start_keys,
    insert_import,
    replacing_rows,
    wipe,
    without_foreign_keys,
)
from dryline.state.import_rows import Import
from dryline.state.parsing import Document
from dryline.storage.current_world import WorldLocal, running_part_of_task
from dryline.storage.directory import NoWorld, database_in
from dryline.storage.errors import BadDocument
from dryline.storage.files import read
from dryline.storage.json_values import loads
from dryline.storage.server_values import read_value, write_value
from dryline.world.clock import Clock
from dryline.world.world import World

SHIPPED = Path(__file__).parent.parent / "data"
EMPTY = "empty"
# The largest file whose rows are kept in memory for the next reset.
MOST_BYTES_REMEMBERED = 20_000_000
# The scenarios that come with dryline, and the content of each.
ABOUT = {
    "demo": "A voice agency with four businesses, five weeks of calls, a campaign, webhooks and tests.",
    "clinic": "One animal hospital: its reception, its website's chat, tests, webhooks and exports.",
    "campaign": "A garage whose campaign is in the middle of its run: some rows called, the others in batches.",
    "trouble": "A parcel service where much fails: a flow's newest version, webhooks, a test, exports.",
    EMPTY: "A team and its key, and nothing else.",
}


def fill_or_reopen(world: World) -> None:
    """Fill a new world with the scenario. In an existing world, only make the keys of `--api-key` work.

    A world without a team is new, also if an earlier start was interrupted. Raises BadSetting for a scenario that
    cannot be loaded.
    """
    name = world.settings.scenario
    try:
        if Team.select().exists():
            path = _scenario_path(name)  # a reset needs it
            with world.transaction():
                admit_start_keys(world)
                _write_start_settings(world, path)
            world.wake()
            return
        document = load(name, lenient=world.settings.lenient)
        with without_foreign_keys(world), world.transaction():
            _import_scenario(world, document)
            _write_start_settings(world, _scenario_path(name))
        world.is_new = True
        if document is not None:  # an empty world has no work
            world.wake()
    except BadDocument as error:
        raise BadSetting(f"--scenario {name}: {error}") from None


def _write_start_settings(world: World, path: Path | None) -> None:
    """Store the scenario and the node's name, for commands that open the directory without a server."""
    scenario = world.settings.scenario if path is None or path.parent == SHIPPED else str(path.absolute())
    start = {"scenario": scenario, "node": world.settings.node, "lenient": world.settings.lenient}
    write_value(world.db, "start", start)


def read_start_settings(data_dir: Path) -> dict[str, Any]:
    """Return the settings `scenario`, `node` and `lenient` that the last server of a directory had."""
    if not database_in(data_dir).exists():
        return {}
    start: dict[str, Any] = {}
    with contextlib.suppress(PeeweeException), SqliteDatabase(str(database_in(data_dir))) as database:
        start = read_value(database, "start") or {}
    return start


def require_filled(world: World) -> None:
    """Raise NoWorld if the first start of a directory was interrupted."""
    if not Team.select().exists():
        raise NoWorld(world.settings.data_dir)


def replace_by_scenario(world: World, content: ScenarioContent) -> None:
    """Replace all rows by a scenario's, and go back to the start: clock, ids, runtime settings.

    The scenario has one moment. Raises BadDocument. Nothing has changed then.
    """
    with replacing_rows(world):
        wipe(world)
        clock_before, ids_before = world.clock.state(), world.ids.state()
        world.clock.reset()
        world.ids.restart(world.settings.seed)
        try:
            with running_part_of_task(moment=world.clock.now()):
                _insert_content(world, content)
        except BaseException:
            world.clock.restore(clock_before)
            world.ids.restore(ids_before)
            raise
        world.runtime_settings = RuntimeSettings.of(world.settings)
        world.save_runtime_state()


def _insert_content(world: World, content: ScenarioContent) -> None:
    if content.rows is not None:
        content.rows.insert(world)
        return
    rows = _import_scenario(world, content.document)
    if rows is not None and content.version is not None and content.version.size <= MOST_BYTES_REMEMBERED:
        table_rows = TableRows(world, world.stamp(), rows.same_until)
        _LAST_USED.of(world)[:] = [ScenarioContent(rows=table_rows, version=content.version)]


def load(name: str, *, lenient: bool = False) -> Document | None:
    """Return a scenario's document, None for the empty one. Raises BadDocument if it cannot be read."""
    path = _scenario_path(name)
    if path is None:
        return None
    try:
        return parsing.parse_document(loads(read(path)), lenient=lenient)
    except OSError as error:
        raise _cannot_read(path, error) from None
    except ValueError as error:
        raise _cannot_read(path, f"it is not valid JSON: {error}") from None


def load_for_reset(world: World, name: str, *, lenient: bool = False) -> ScenarioContent:
    """Return a scenario's content for a reset: its document as `load` returns it, or the rows of the reset before.

    They are used if the file is the same, and a new import would give the same rows: it takes most of a reset's time.
    """
    path = _scenario_path(name)
    if path is None:
        return ScenarioContent()
    try:
        version = _FileVersion.of(path, lenient)
    except OSError as error:
        raise _cannot_read(path, error) from None
    now = Clock().stamp()
    for last in _LAST_USED.of(world):
        if last.rows is not None and last.version == version and last.rows.may_be_inserted(now):
            return last
    return ScenarioContent(load(name, lenient=lenient), version=version)


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


class ScenarioContent(NamedTuple):
    """The content of a scenario: a `document`, or `rows`; neither for the empty one. `version` is that of its file."""

    document: Document | None = None
    rows: TableRows | None = None
    version: _FileVersion | None = None


# The content that the last reset of a world to a file has used, or nothing.
_LAST_USED: WorldLocal[list[ScenarioContent]] = WorldLocal(lambda world: [])


def _scenario_path(name: str) -> Path | None:
    """Return a scenario's file, None for the empty one. Raises BadDocument if there is no such regular file."""
    if name == EMPTY:
        return None
    shipped = SHIPPED / f"{name}.json"
    path = shipped if name in ABOUT and shipped.exists() else Path(name)
    try:
        if not S_ISREG(path.stat().st_mode):  # a pipe or a device may never end
            raise _cannot_read(path, "it is not a regular file")
    except (OSError, ValueError) as error:  # ValueError for a NUL in the name
        raise _cannot_read(path, error) from None
    return path


def _cannot_read(path: Path, reason: str | Exception) -> BadDocument:
    text = (reason.strerror or str(reason)).lower() if isinstance(reason, OSError) else str(reason)
    hint = "" if path.suffix else f" The scenarios are {', '.join(ABOUT)}; anything else is the path of a file."
    return BadDocument([("", f"Cannot read the scenario {path}: {text}.{hint}")])


def _import_scenario(world: World, document: Document | None) -> Import | None:
    """Fill a world without rows, and return the import. A scenario without teams gets the start team."""
    if document is None or not document.rows["teams"]:
        Team.new("Team")
    if document is None:
        admit_start_keys(world)
        return None
    rows = Import(document, adding=not document.rows["teams"])
    insert_import(world, rows)
    return rows
