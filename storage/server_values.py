"""The table of the server's own values, by name: its runtime state, what it was started with, how often."""

import json
from typing import Any

from peewee import Model, SqliteDatabase, TextField


class ServerValue(Model):
    """A value of the server, as JSON text. It belongs to no team."""

    name = TextField(primary_key=True)
    value = TextField()

    class Meta:
        table_name = "server"


def read_value(db: SqliteDatabase, name: str) -> Any:
    """Return a value; None if it was never written."""
    rows = ServerValue.select(ServerValue.value).where(ServerValue.name == name).tuples().execute(db)
    return next((json.loads(text) for (text,) in rows), None)


def write_value(db: SqliteDatabase, name: str, value: Any) -> None:
    """Write a value, in the caller's transaction."""
    ServerValue.replace(name=name, value=json.dumps(value)).execute(db)


def copy_values(source: SqliteDatabase, target: SqliteDatabase, *, but: str) -> None:
    """Write all values of one database into another, except the one that is named."""
    rows = ServerValue.select(ServerValue.name, ServerValue.value).where(ServerValue.name != but).tuples()
    for name, text in list(rows.execute(source)):
        ServerValue.replace(name=name, value=text).execute(target)
