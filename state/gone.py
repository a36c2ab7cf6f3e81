"""Which teams have gone to another server: kept in the database, outside of what belongs to teams."""

from __future__ import annotations

import orjson

from dryline.state.document import wipe
from dryline.world.moves import Gone
from dryline.world.world import World

_NAME = "gone/"  # in the table `server`, followed by the team's id


def recall(world: World) -> None:
    """At the start: what is kept."""
    sql = "SELECT value FROM server WHERE name LIKE ?"
    for (value,) in world.db.execute_sql(sql, (f"{_NAME}%",)).fetchall():
        known = orjson.loads(value)
        world.moves.remember(Gone(**known | {"keys": tuple(known["keys"])}))


def note(world: World, gone: Gone) -> None:
    """A team has gone, once the running transaction is committed."""
    value = orjson.dumps(gone._asdict()).decode()
    world.db.execute_sql("INSERT OR REPLACE INTO server (name, value) VALUES (?, ?)", (f"{_NAME}{gone.team_id}", value))
    world.db.after_commit(lambda: world.moves.remember(gone))


def take_back(world: World, team_id: str) -> None:
    """A team is here, once the running transaction is committed."""
    world.db.execute_sql("DELETE FROM server WHERE name = ?", (f"{_NAME}{team_id}",))
    world.db.after_commit(lambda: world.moves.forget(team_id))


def keep(world: World) -> None:
    """After the whole database became another one: who has gone since stays gone, who came back stays."""
    world.db.execute_sql("DELETE FROM server WHERE name LIKE ?", (f"{_NAME}%",))
    for gone in list(world.moves.gone.values()):
        wipe(world, gone.team_id)
        note(world, gone)
