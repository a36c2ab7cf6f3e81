"""The base class of all records, and the queries that every area needs.

A column stores the wire's own text for times and JSON, so that a response needs no conversion.

The queries of `Record` and `Rows` are compiled: peewee writes the SQL of each kind of query once (statements.py), and
a lookup is one `execute` with that SQL. A lookup takes 17 µs so, and 384 µs as `Model.select().where().get_or_none()`;
each request does two or three. Other queries in models/ are written with peewee where they are used; those that
have to be plain SQL are in `models/plain_sql.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import repeat
from typing import Any, ClassVar, Self, TypeVar

import orjson
from peewee import SQL, BooleanField, IntegrityError, Model, TextField

from dryline.storage.current_world import CurrentDatabase, current
from dryline.storage.errors import Conflict, NotFound
from dryline.storage.json_values import JsonField
from dryline.storage.statements import column_indexes, count_sql, delete_sql, insert_sql, select_sql, update_sql

Values = Mapping[str, Any]
Child = TypeVar("Child", bound="Record")


class Record(Model):
    """A row of one team.

    The fields of a model name its columns only. Foreign keys with their cascades, unique columns, checks and indexes
    are declared in `storage/migrations/`. A method that takes a `scope` stays within one team: that of the record
    that is passed, such as the team itself, a worker or a deployment.
    """

    id_prefix: ClassVar[str]
    name_in_messages: ClassVar[str] = ""  # by default that of the table
    # Newest first; rows of the same instant by their ids, which rise.
    order: ClassVar[tuple[str, ...]] = ("-created_at", "-id")

    id = TextField(primary_key=True)
    team_id = TextField()
    created_at = TextField()

    class Meta:
        database = CurrentDatabase()
        legacy_table_names = False

    # Reading

    @classmethod
    def find(cls, **where: Any) -> Self | None:
        """Return the one row with these column values, or None."""
        sql = select_sql(cls, tuple(cls._meta.sorted_field_names), tuple(where))
        row = connection().execute(sql, tuple(where.values())).fetchone()
        return cls.from_row(row) if row else None

    @classmethod
    def fetch(cls, scope: Record, id: str, *, field: str | None = None, **parent: Any) -> Self:
        """Return the row of the scope's team with this id, and with these further column values (`worker_id=…`).

        Raises NotFound; `field` is the member of the body that the id comes from.
        """
        record = cls.find(id=id, team_id=scope.team_id, **parent)
        if record is None:
            raise NotFound(f"{cls.noun()} {id} not found.", field)
        return record

    @classmethod
    def by_id(cls, id: str, team_id: str | None = None, *, field: str | None = None) -> Self:
        """Return the row with this id, of any team unless one is passed. Raises NotFound as `fetch`."""
        record = cls.find(id=id) if team_id is None else cls.find(id=id, team_id=team_id)
        if record is None:
            raise NotFound(f"{cls.noun()} {id} not found.", field)
        return record

    def child(self, model: type[Child], id: str, *, field: str | None = None) -> Child:
        """Return this record's child with this id: a worker's flow, a flow's version. Raises NotFound as `fetch`."""
        return model.fetch(self, id, field=field, **{f"{self._meta.table_name}_id": self.id})

    @classmethod
    def listing(cls, scope: Record, **where: Any) -> Rows:
        """Return the rows of the scope's team with these column values, in the class's `order`."""
        return Rows(cls, {"team_id": scope.team_id, **where})

    @classmethod
    def from_row(cls, row: Iterable[Any]) -> Self:
        """Return a record from a row of all columns, in the model's order."""
        record = cls(__no_default__=True)
        data = record.__data__ = dict(zip(cls._meta.sorted_field_names, row, strict=True))
        for name, decode in _decoders(cls):
            data[name] = decode(data[name])
        return record

    @classmethod
    def noun(cls) -> str:
        """Return the name of such a record in messages, e.g. `Voice deployment`."""
        return cls.name_in_messages or cls._meta.table_name.replace("_", " ").capitalize()

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form; `names` maps wire names to attributes. An attribute that is not set is left out."""
        data, attributes_set, cls = self.__data__, self.__dict__, type(self)
        wire = {}
        for name, attribute in names.items():
            if attribute in data:
                wire[name] = data[attribute]
            # The class is looked at, so that a property that raises is not taken for a missing one.
            elif attribute in attributes_set or hasattr(cls, attribute):
                wire[name] = getattr(self, attribute)
        return wire

    # Writing

    @classmethod
    def add(cls, scope: Record, **values: Any) -> Self:
        """Insert a row of the scope's team with a new id and the present time; columns left out get their default."""
        world = current()
        now = world.stamp()
        values = {"id": world.ids.new(cls.id_prefix), "team_id": scope.team_id, "created_at": now} | values
        if "updated_at" in cls._meta.fields:
            values.setdefault("updated_at", now)
        record = cls(**values)
        record.insert_row()
        return record

    def insert_row(self) -> None:
        """Insert this record as it is. Raises peewee.IntegrityError if the schema forbids it."""
        cls = type(self)
        row = [self.__data__.get(name) for name in cls._meta.sorted_field_names]
        connection_execute(insert_sql(cls), encode_row(cls, row))

    @classmethod
    def add_many(cls, rows: Iterable[Values]) -> None:
        """Insert rows as they are, given by column names; a column that a row leaves out is null.

        Raises sqlite3.IntegrityError if the schema forbids one.
        """
        names = cls._meta.sorted_field_names
        cells = [encode_row(cls, list(map(row.get, names))) for row in rows]
        connection().executemany(insert_sql(cls), cells)

    def change(self, **values: Any) -> Self:
        """Set these columns and `updated_at`, and save them. Raises KeyError for a name that is no column."""
        if not values:
            return self
        fields = self._meta.fields
        if "updated_at" in fields:
            values.setdefault("updated_at", current().stamp())
        # peewee writes the columns in the model's order.
        names = tuple(sorted(values, key=column_indexes(type(self)).__getitem__))
        row = [fields[name].db_value(values[name]) for name in names]
        self.__data__.update(values)
        connection_execute(update_sql(type(self), names), [*row, self.id])
        return self

    @classmethod
    def set_each(cls, column: str, values: Mapping[str, Any]) -> None:
        """Set a column of many rows; `values` maps the ids of the rows to the new values."""
        connection().executemany(update_sql(cls, (column,)), [(value, id) for id, value in values.items()])

    def remove(self) -> None:
        """Delete the row; the database deletes the rows that refer to it."""
        connection_execute(delete_sql(type(self), ("id",)), [self.id])

    @classmethod
    def remove_where(cls, **where: Any) -> int:
        """Delete the rows with these column values, and return their number."""
        return connection_execute(delete_sql(cls, tuple(where)), list(where.values())).rowcount


@contextmanager
def unique(message: str) -> Iterator[None]:
    """Raise Conflict with this message if a write in the block breaks a unique constraint."""
    try:
        yield
    except IntegrityError as error:
        if not str(error).startswith("UNIQUE"):
            raise
        raise Conflict(message) from None


class Rows:
    """A lazy list of rows. Its wire form is made from the columns, without records; iterating gives records."""

    def __init__(self, model: type[Record], where: Values, order: tuple[str, ...] | None = None) -> None:
        self.model = model
        self.where = where
        self.order = model.order if order is None else order
        self.window: tuple[int, int] | None = None
        self._attached: dict[str, Callable[[str], Any]] = {}

    def slice(self, limit: int, offset: int = 0) -> Self:
        """Keep only `limit` rows after the first `offset`."""
        self.window = (limit, offset)
        return self

    def page(self, limit: int, offset: int) -> dict[str, Any]:
        """Return one page of the rows, the number of all rows, and whether more follow."""
        total = self.count()
        return {"data": self.slice(limit, offset), "total": total, "has_more": offset + limit < total}

    def attach(self, name: str, value_of: Callable[[str], Any]) -> Self:
        """Give each row a further attribute, which `value_of` returns for the row's id."""
        self._attached[name] = value_of
        return self

    def count(self) -> int:
        """Return the number of rows without `slice`."""
        sql = count_sql(self.model, tuple(self.where))
        return connection().execute(sql, tuple(self.where.values())).fetchone()[0]

    def project(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        """Return the wire forms of the rows; `names` maps wire names to attributes."""
        fields = self.model._meta.fields
        columns = {wire: attribute for wire, attribute in names.items() if attribute in fields}
        rows = self._rows(tuple(columns.values()))
        wired = wire_rows(self.model, columns, rows)
        for wire, attribute in names.items():
            if attribute in self._attached:
                value_of = self._attached[attribute]
                for row in wired:
                    row[wire] = value_of(row["id"])
        return wired

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the rows as records."""
        return map(self.model.from_row, self._rows(tuple(self.model._meta.sorted_field_names)))

    def _rows(self, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
        sql = select_sql(self.model, columns, tuple(self.where), self.order, self.window is not None)
        return connection().execute(sql, (*self.where.values(), *(self.window or ()))).fetchall()


def wire_rows(model: type[Record], columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Return the wire forms of `rows`, whose cells are in the order of `columns`, wire names to attributes."""
    fields = model._meta.fields
    # Column by column, and the dicts by `map`: faster than a loop over rows and cells.
    wired = list(map(dict, map(zip, repeat(tuple(columns)), rows)))
    for wire, name in columns.items():
        field = fields.get(name)
        if isinstance(field, JsonField):
            for row in wired:
                if (text := row[wire]) is not None:
                    row[wire] = orjson.Fragment(text)
        elif isinstance(field, BooleanField):
            for row in wired:
                row[wire] = bool(row[wire])
    return wired


# SQL, compiled once


def connection() -> Any:
    """Return this thread's connection to the current world's database."""
    return current().db.connection()


def connection_execute(sql: str, params: Iterable[Any]) -> Any:
    """Run a statement and return its cursor. Raises peewee's errors instead of sqlite3's."""
    return current().db.execute_sql(sql, params)


def execute_unconverted(query: Any) -> Any:
    """Run a peewee query and return SQLite's cursor over its rows, whose cells are as they are stored."""
    return connection().execute(*query.sql())


def constant(text: str) -> SQL:
    """Return a text as a constant of the SQL. SQLite finds an index with a condition or an expression by no other."""
    quoted = text.replace("'", "''")
    return SQL(f"'{quoted}'")


def tuples(query: Any) -> list[tuple[Any, ...]]:
    """Run a peewee query and return its rows as tuples, which peewee's type hints take for records."""
    return list(query.tuples())


@cache
def _decoders(model: type[Record]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    return tuple(
        (field.name, field.python_value)
        for field in model._meta.sorted_fields
        if isinstance(field, JsonField | BooleanField)
    )


@cache
def _encoders(model: type[Record]) -> tuple[tuple[int, Callable[[Any], Any]], ...]:
    return tuple(
        (index, field.db_value) for index, field in enumerate(model._meta.sorted_fields) if isinstance(field, JsonField)
    )


def encode_row(model: type[Record], row: list[Any]) -> list[Any]:
    """Encode the JSON cells of a row of all columns, in the model's order, and return the row."""
    for index, encode in _encoders(model):
        row[index] = encode(row[index])
    return row
