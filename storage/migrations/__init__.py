"""The schema's history: one numbered file a step, recorded in the database as playhouse.migrations does."""

from __future__ import annotations

import logging
from datetime import datetime
from importlib import import_module
from pathlib import Path

from peewee import SqliteDatabase

from dryline.settings import BadSetting

HERE = Path(__file__).parent
STEPS = sorted(path.stem for path in HERE.glob("[0-9]*.py"))
LATEST = int(STEPS[-1][:4])
# Where the runner of playhouse.migrations notes the steps, as it makes it.
HISTORY = (
    'CREATE TABLE "schema_migration" ("id" INTEGER NOT NULL PRIMARY KEY, "name" VARCHAR(255) NOT NULL, '
    '"applied" DATETIME NOT NULL)',
    'CREATE UNIQUE INDEX "schema_migration_name" ON "schema_migration" ("name")',
)


def bring_up_to_date(db: SqliteDatabase) -> None:
    """Run the steps that `db` lacks.

    `user_version` holds the number of the last step, so that an ordinary start reads one number.
    Raises BadSetting when a newer dryline made the database, or another program.
    """
    version = db.pragma("user_version") or 0
    if version > LATEST:
        raise BadSetting(f"The data directory was written by a newer dryline (schema {version}, known {LATEST}).")
    if version < LATEST:
        tables = db.get_tables()
        if not tables:
            _make(db)
            return
        if "schema_migration" not in tables:
            raise BadSetting(f"The database {db.database} is another program's.")
        from playhouse.migrations import Runner  # imported late: an ordinary start has nothing to migrate

        logging.getLogger("peewee.migrations").setLevel(logging.WARNING)  # each step is no news
        Runner(db, str(HERE)).up()
        db.pragma("user_version", LATEST)


def _make(db: SqliteDatabase) -> None:
    """Run all steps on an empty database, in one transaction, and leave what the runner would.

    Without the runner, most of whose time is its import: 8 of the 300 ms of a start.
    """
    with db.atomic():
        for statement in HISTORY:
            db.execute_sql(statement)
        for step in STEPS:
            import_module(f"{__name__}.{step}").up(None, db)
            db.execute_sql("INSERT INTO schema_migration (name, applied) VALUES (?, ?)", (step, str(datetime.now())))
        db.pragma("user_version", LATEST)
