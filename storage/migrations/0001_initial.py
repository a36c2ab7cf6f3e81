"""The first schema, in `0001_initial.sql`. Once released a step does not change: a later change is a step of its own.

The SQL shows every foreign key, cascade, unique column and index. A table has the name of its model. Times are text as
on the wire, JSON is text.
"""

from pathlib import Path

from peewee import SqliteDatabase

from dryline.storage.files import read


def up(migrator: object, db: SqliteDatabase) -> None:
    """Create every table."""
    for statement in read(Path(__file__).with_suffix(".sql")).decode().split(";\n"):
        if statement.strip():
            db.execute_sql(statement)
