"""The database schema: numbered steps, each applied once to a database. `0001_initial` is that of the first release.

A later change is a new step. playhouse.migrations runs the steps that a database lacks and records
them in its table `schema_migration`.
"""

from __future__ import annotations

import logging
from pathlib import Path

from peewee import SqliteDatabase
from playhouse.migrations import Runner

from dryline.settings import BadSetting

HERE = Path(__file__).parent
LATEST = max(int(path.name[:4]) for path in HERE.glob("[0-9]*.py"))
# "dryl": marks a file as ours. Databases from before the steps were merged into 0001 do not have it.
APPLICATION_ID = 0x6472796C


def bring_up_to_date(db: SqliteDatabase) -> None:
    """Create the schema in an empty database, or run the steps that an older one lacks.

    `user_version` holds the number of the last step, so that an ordinary start does not read the history.
    Raises BadSetting for a database that this version cannot use.
    """
    version = db.pragma("user_version") or 0
    if db.pragma("application_id") != APPLICATION_ID:
        if db.get_tables():
            raise BadSetting(
                f"The database {db.database} is from a development version of dryline, or another program's."
                " Give another data directory, or remove this one to start anew."
            )
    elif version > LATEST:
        raise BadSetting(
            f"The data directory was written by a newer dryline (schema {version}, known {LATEST})."
            " Start that version, or give another data directory."
        )
    if version < LATEST:
        logging.getLogger("peewee.migrations").setLevel(logging.WARNING)  # one log line a step is too much
        with db.atomic():
            Runner(db, str(HERE)).up()
            db.pragma("application_id", APPLICATION_ID)
            db.pragma("user_version", LATEST)
