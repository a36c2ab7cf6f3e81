"""How a team moves to another server: held, copied, checked, handed over, taken. `dryline team move` calls the steps.

The source is the owner until `hand_over`, which is one transaction: it compares the team's rows with what the target
has checked, deletes them and notes where the team is. From then on the target's copy, and the file that the source
keeps until it is told to let go, are the team; `take` makes the copy live. Each step may be told again, and none needs
the others to have been told by the same command: who was killed in between goes on from where the two servers are.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

import orjson

from dryline import __version__
from dryline.models.teams import Team, forget_keys, start_team
from dryline.state import gone, portable
from dryline.state.document import replacing, team_tables, wipe
from dryline.state.portable import ABOUT, DATABASE
from dryline.state.snapshots import bring_team
from dryline.storage.errors import Conflict, NotFound
from dryline.storage.files import rename
from dryline.world.moves import Gone, Hold
from dryline.world.world import World

_LEAVING, _ARRIVING = "leaving", "arriving"  # folders of the data directory, with one a team in them
_FILE, _PART = "team.tar.gz", "part"
_ARRIVED = "arrived/"  # in the table `server`, followed by the team's id: the move that brought it


def recover(world: World) -> None:
    """At the start: who has gone is known, who was arriving still is, and copies of who was only held are dropped."""
    gone.recall(world)
    for folder in (world.directory / _LEAVING).glob("*/"):
        if folder not in {_place(world, _LEAVING, team_id) for team_id in world.moves.gone}:
            shutil.rmtree(folder, ignore_errors=True)
    for folder in (world.directory / _ARRIVING).glob("*/"):
        about = _about(folder)
        if about is None:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            world.moves.arriving[about["team"]] = frozenset(about["keys"])


def where(world: World, team_id: str) -> dict[str, Any]:
    """How far a team's move is, as this server sees it: each member the id of a move, or null.

    Who asks goes on with it: a hold lasts on.
    """
    hold, left = world.moves.held(team_id), world.moves.gone.get(team_id)
    if hold is not None and "digest" in hold.about:
        hold.go_on()
    arriving = _about(_place(world, _ARRIVING, team_id))
    return {
        "here": Team.find(id=team_id) is not None,
        "held": hold.about["move"] if hold else None,
        "gone": left.move_id if left else None,
        "address": left.address if left else None,
        "kept": left is not None and (_place(world, _LEAVING, team_id) / _FILE).exists(),
        "arriving": arriving["move"] if arriving else None,
        "arrived": _arrived(world, team_id),
    }


# At the source


def hold(world: World, team_id: str) -> dict[str, Any]:
    """Hold a team and copy it. Returns what the copy says of itself.

    A move that was begun before and did not get to its end is given up. Raises NotFound, and Conflict for the start
    team, whose keys are the server's own.
    """
    with world.held():
        team = Team.by_id(team_id)
        if (start := start_team()) and start.id == team_id:
            raise Conflict("The start team cannot move: the keys of --api-key are its own.")
        about = {
            **{"move": world.ids.new("move"), "team": team_id, "name": team.name, "dryline": __version__},
            "clock": world.clock.stamp(),
        }
        world.moves.hold(team_id, about)
    try:
        with _made(_place(world, _LEAVING, team_id)) as folder:
            copied = portable.cut_out(world, world.db.path, world.directory, folder, team_id, about)
            portable.pack(folder, folder / _FILE, durable=world.durable)
            for path in folder.iterdir():
                if path.name != _FILE:
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
    except BaseException:
        let_go(world, team_id)
        raise
    world.moves.hold(team_id, copied).go_on()
    return copied


def copy_of(world: World, team_id: str) -> Path:
    """The file with the team. Raises NotFound where it is neither held nor gone with its file kept."""
    path = _place(world, _LEAVING, team_id) / _FILE
    if (world.moves.held(team_id) is None and team_id not in world.moves.gone) or not path.exists():
        raise NotFound(f"Team {team_id} is not being moved.")
    return path


def let_go(world: World, team_id: str) -> None:
    """Give the move up, at the source before the team is handed over, at the target before it is taken.

    Of a team that has gone drop the file that was kept: the move is at its end.
    """
    world.moves.let_go(team_id)
    _drop(_place(world, _LEAVING, team_id))
    world.moves.arriving.pop(team_id, None)
    _drop(_place(world, _ARRIVING, team_id))
    world.wake()


def hand_over(world: World, team_id: str, move_id: str, digest: str, address: str, node: str | None) -> None:
    """From now on the team lives at `address`, whose server has a copy of this digest.

    Raises Conflict when the team is not held for this move any more, or has changed since it was copied.
    """
    left = world.moves.gone.get(team_id)
    if left is not None and left.move_id == move_id:
        return
    with world.held(), world.db.flushing(), replacing(world):
        held = _demand_hold(world, team_id, move_id)
        now = portable.digest(world.db.connection(), team_tables(world), team_id)
        if not digest == held.about["digest"] == now["digest"]:
            raise Conflict(f"Team {team_id} has changed since it was copied.")
        wipe(world, team_id)
        _note_arrival(world, team_id, None)
        gone.note(world, Gone(team_id, move_id, address, node, tuple(held.about["keys"])))
        world.clock.disown(team_id)
        world.keep_course()
    world.moves.let_go(team_id)
    world.faults.clear(team_id)
    world.requests.clear(team_id)


def take_back(world: World, team_id: str) -> None:
    """The target could not take it: the team is here again, out of the file that was kept.

    Raises Conflict, and NotFound for a team that neither is here nor has gone.
    """
    left = world.moves.gone.get(team_id)
    if left is None:
        Team.by_id(team_id)
        return
    with copy_of(world, team_id).open("rb") as file:
        receive(world, team_id, left.move_id, file)
    take(world, team_id, left.move_id)
    let_go(world, team_id)


def _demand_hold(world: World, team_id: str, move_id: str) -> Hold:
    held = world.moves.held(team_id)
    if held is None or held.about["move"] != move_id:
        raise Conflict(f"Team {team_id} is not held for this move any more.")
    return held


# At the target


def receive(world: World, team_id: str, move_id: str, stream: IO[bytes]) -> dict[str, Any]:
    """Keep a team's copy, which is not yet live, and check it. Returns what it says of itself.

    Raises Conflict when it is none, is damaged, another's, newer, or would not fit into this world.
    """
    if Team.find(id=team_id) is not None:
        raise Conflict(f"There is a team {team_id} already.")
    with _made(_place(world, _ARRIVING, team_id)) as folder:
        about = portable.unpack(stream, folder, durable=world.durable)
        if (about.get("team"), about.get("move")) != (team_id, move_id):
            raise Conflict(f"The file is not of this move of team {team_id}.")
        with contextlib.closing(portable.connected(folder / DATABASE)) as copy:
            tables = {name: condition for name, condition in team_tables(world).items() if portable.has(copy, name)}
            found = portable.digest(copy, tables, team_id)
        if found["digest"] != about["digest"] or found["rows"] != about["rows"]:
            raise Conflict("The file does not hold what it says.")
        portable.bring_up_foreign(world, folder / DATABASE)
        portable.demand_room(world, folder / DATABASE, team_id)
    world.moves.arriving[team_id] = frozenset(about["keys"])
    return about


def take(world: World, team_id: str, move_id: str) -> None:
    """Let the copy live: the team is here. Raises NotFound where there is no such copy, Conflict where it cannot be."""
    if _arrived(world, team_id) == move_id:
        return
    folder = _place(world, _ARRIVING, team_id)
    about = _about(folder)
    if about is None or about["move"] != move_id:
        raise NotFound(f"Team {team_id} is not arriving by this move.")

    def check() -> None:
        connection = world.db.connection()
        counts = portable.digest(connection, team_tables(world), team_id)["rows"]
        if counts != about["rows"]:
            raise Conflict(f"Of team {team_id} not every row came in.")
        portable.skip_ids(world, team_id)
        _note_arrival(world, team_id, move_id)
        gone.take_back(world, team_id)
        forget_keys()

    with world.held(), world.db.flushing():  # once it is told, the source drops what it kept
        if Team.find(id=team_id) is not None:
            raise Conflict(f"There is a team {team_id} already.")
        bring_team(world, folder, team_id, check)
        world.moves.arriving.pop(team_id, None)
    _drop(folder)


def _note_arrival(world: World, team_id: str, move_id: str | None) -> None:
    world.db.execute_sql("DELETE FROM server WHERE name = ?", (f"{_ARRIVED}{team_id}",))
    if move_id is not None:
        sql = "INSERT INTO server (name, value) VALUES (?, ?)"
        world.db.execute_sql(sql, (f"{_ARRIVED}{team_id}", orjson.dumps(move_id).decode()))


def _arrived(world: World, team_id: str) -> str | None:
    """The move that brought the team that is here."""
    sql = "SELECT value FROM server WHERE name = ? AND EXISTS (SELECT 1 FROM team WHERE id = ?)"
    row = world.db.execute_sql(sql, (f"{_ARRIVED}{team_id}", team_id)).fetchone()
    return orjson.loads(row[0]) if row else None


# Folders


def _place(world: World, kind: str, team_id: str) -> Path:
    return world.directory / kind / sha256(team_id.encode()).hexdigest()[:32]


def _about(folder: Path) -> dict[str, Any] | None:
    """What a whole copy says of itself."""
    try:
        return orjson.loads((folder / ABOUT).read_bytes())
    except FileNotFoundError:
        return None


@contextlib.contextmanager
def _made(folder: Path) -> Iterator[Path]:
    """A folder to fill, which gets its name in the place of the one before once it is whole."""
    part = folder.with_name(f"{folder.name}.{_PART}")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        yield part
        _drop(folder)
        rename(part, folder)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def _drop(folder: Path) -> None:
    """Remove a folder, first from sight."""
    (folder / ABOUT).unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
