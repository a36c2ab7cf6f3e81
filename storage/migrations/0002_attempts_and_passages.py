"""Attempts of test runs, and passages as the rows of the search index of resources.

The index had a row for each resource, and finding the place of a match in a long text took minutes.
"""

from pathlib import Path

from peewee import SqliteDatabase

from dryline.storage.files import read
from dryline.storage.passages import passages_of


def up(migrator: object, db: SqliteDatabase) -> None:
    """Add the column, and fill a new index from the texts of the old one."""
    for statement in read(Path(__file__).with_suffix(".sql")).decode().split(";\n"):
        if statement.strip():
            db.execute_sql(statement)
    numbers = [number for (number,) in db.execute_sql("SELECT number FROM old_resource_text ORDER BY number")]
    for number in numbers:
        columns = "SELECT resource_id, name, link, body FROM old_resource_text WHERE number = ?"
        id, name, link, body = db.execute_sql(columns, (number,)).fetchone()
        for passage in list(passages_of(body)) or [""]:
            insert = "INSERT INTO resource_text (resource_id, name, link, body) VALUES (?, ?, ?, ?)"
            db.execute_sql(insert, (id, name, link, passage))
    db.execute_sql("DROP TABLE old_resource_text")
