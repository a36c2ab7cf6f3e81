"""The columns of a row whose JSON has another shape than pages read: `storage/json_shapes.py`."""

from peewee import SqliteDatabase

from dryline.storage.json_shapes import SHAPES, note_other_shapes


def up(migrator: object, db: SqliteDatabase) -> None:
    """Add the column, and set it in the rows that are there."""
    for table in SHAPES:
        db.execute_sql(f"ALTER TABLE {table} ADD COLUMN other_shapes TEXT")
    note_other_shapes(db)
