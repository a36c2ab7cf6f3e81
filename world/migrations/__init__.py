"""The schema's history: one numbered file a step, run by playhouse.migrations, recorded in the database itself."""

from __future__ import annotations

import logging
from pathlib import Path

from peewee import SqliteDatabase

from dryline.settings import BadSetting

HERE = Path(__file__).parent
LATEST = max(int(path.name[:4]) for path in HERE.glob("[0-9]*.py"))


def bring_up_to_date(db: SqliteDatabase) -> None:
    """Run the steps that `db` lacks.

    `user_version` holds the number of the last step, so that an ordinary start reads one number.
    Raises BadSetting when a newer dryline made the database, or another program.
    """
    version = db.pragma("user_version") or 0
    if version > LATEST:
        raise BadSetting(f"The data directory was written by a newer dryline (schema {version}, known {LATEST}).")
    if version < LATEST:
        from playhouse.migrations import Runner  # imported late: an ordinary start has nothing to migrate

        tables = db.get_tables()
        if tables and "schema_migration" not in tables:
            raise BadSetting(f"The database {db.database} is another program's.")
        logging.getLogger("peewee.migrations").setLevel(logging.WARNING)  # each step is no news
        Runner(db, str(HERE)).up()
        db.pragma("user_version", LATEST)
