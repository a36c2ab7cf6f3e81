"""What every record has, and the queries that every area needs.

Columns hold what the wire shows (times as their text, JSON as its text), so that reading a row is answering it. peewee
writes the SQL once for each form of a query; after that a lookup is one `execute`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from itertools import repeat
from typing import Any, ClassVar, Self, TypeVar

import orjson
from peewee import BooleanField, IntegrityError, Model

from dryline.storage.current_world import CurrentDatabase, current
from dryline.storage.errors import Conflict, NotFound
from dryline.storage.json_field import Column, JsonField
from dryline.storage.statements import count_sql, delete_sql, insert_sql, json_sql, places, select_sql, update_sql

Values = Mapping[str, Any]
Child = TypeVar("Child", bound="Record")


class Record(Model):
    """A row of one team. The database holds its foreign keys and their cascades (see migrations).

    Where a method takes a `team`, any record of the team will do.
    """

    id_prefix: ClassVar[str]
    # Newest first, and what was made in one instant in the order of its ids, which rise.
    order: ClassVar[tuple[str, ...]] = ("-created_at", "-id")

    id = Column(primary_key=True)
    team_id = Column()
    created_at = Column()

    class Meta:
        database = CurrentDatabase()
        legacy_table_names = False

    # Reading

    @classmethod
    def find(cls, **where: Any) -> Self | None:
        """The one row with these column values, or None."""
        sql = select_sql(cls, cls._meta.sorted_field_names, tuple(where), ())
        row = connection().execute(sql, tuple(where.values())).fetchone()
        return cls.from_row(row) if row else None

    @classmethod
    def fetch(cls, team: Record, id: str, *, field: str | None = None, **parent: Any) -> Self:
        """The team's row of this id, below `parent` where given (`worker_id=…`).

        Raises NotFound, which names `field` when the id came as a reference in a body.
        """
        record = cls.find(id=id, team_id=team.team_id, **parent)
        if record is None:
            raise NotFound(f"{cls.noun()} {id} not found.", field)
        return record

    @classmethod
    def by_id(cls, id: str) -> Self:
        """The row of this id, of whatever team: for callers that no key lets in. Raises NotFound."""
        record = cls.find(id=id)
        if record is None:
            raise NotFound(f"{cls.noun()} {id} not found.")
        return record

    def its(self, model: type[Child], id: str, *, field: str | None = None) -> Child:
        """The row of this id that hangs on this one: a worker's flow, a flow's version. Raises NotFound as `fetch`."""
        return model.fetch(self, id, field=field, **{f"{self._meta.table_name}_id": self.id})

    @classmethod
    def listing(cls, team: Record, **where: Any) -> Rows:
        """The team's rows with these column values, in the class's `order`."""
        return Rows(cls, {"team_id": team.team_id, **where})

    @classmethod
    def from_row(cls, row: Iterable[Any]) -> Self:
        """A record from a row of all columns, in the model's order."""
        record = cls(__no_default__=True)
        data = record.__data__ = dict(zip(cls._meta.sorted_field_names, row, strict=True))
        for name, decode in _decoders(cls):
            data[name] = decode(data[name])
        return record

    @classmethod
    def noun(cls) -> str:
        """What messages call such a record, e.g. `Voice deployment`."""
        return cls._meta.table_name.replace("_", " ").capitalize()

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """The wire form: `names` maps the wire's name to the attribute. An attribute that is not there is left out."""
        data, own, cls = self.__data__, self.__dict__, type(self)
        wire = {}
        for name, attribute in names.items():
            if attribute in data:
                wire[name] = data[attribute]
            # Asked of the class: a property that fails must not pass for one that is not there.
            elif attribute in own or hasattr(cls, attribute):
                wire[name] = getattr(self, attribute)
        return wire

    # Writing

    @classmethod
    def add(cls, team: Record, **values: Any) -> Self:
        """Insert a row with a new id and the present time; columns left out get their default."""
        world = current()
        now = world.clock.stamp()
        values = {"id": world.ids.new(cls.id_prefix), "team_id": team.team_id, "created_at": now} | values
        if "updated_at" in cls._meta.fields:
            values.setdefault("updated_at", now)
        record = cls(**values)
        record.insert_row()
        return record

    def insert_row(self) -> None:
        """Insert this record as it stands. Raises peewee.IntegrityError where the schema forbids it."""
        cls = type(self)
        row = [self.__data__.get(name) for name in cls._meta.sorted_field_names]
        connection_execute(insert_sql(cls), encode_row(cls, row))

    @classmethod
    def add_many(cls, rows: Iterable[Values]) -> None:
        """Insert rows as they stand, given by column names; a column that a row leaves out is null.

        Raises sqlite3.IntegrityError where the schema forbids one.
        """
        names = cls._meta.sorted_field_names
        cells = [encode_row(cls, list(map(row.get, names))) for row in rows]
        connection().executemany(insert_sql(cls), cells)

    def change(self, **values: Any) -> Self:
        """Set these columns, stamp `updated_at`, save. Raises KeyError for what is no column."""
        if not values:
            return self
        fields = self._meta.fields
        if "updated_at" in fields:
            values.setdefault("updated_at", current().clock.stamp())
        # In the model's order, which is the order that peewee writes them in.
        names = tuple(sorted(values, key=places(type(self)).__getitem__))
        row = [fields[name].db_value(values[name]) for name in names]
        self.__data__.update(values)
        connection_execute(update_sql(type(self), names), [*row, self.id])
        return self

    @classmethod
    def set_each(cls, column: str, values: Mapping[str, Any]) -> None:
        """Set a column of many rows; `values` maps the ids of the rows to the new values."""
        connection().executemany(update_sql(cls, (column,)), [(value, id) for id, value in values.items()])

    def remove(self) -> None:
        """Delete the row; the database deletes what hangs on it."""
        connection_execute(delete_sql(type(self), ("id",)), [self.id])

    @classmethod
    def remove_where(cls, **where: Any) -> int:
        """Delete the rows with these column values. Returns how many there were."""
        return connection_execute(delete_sql(cls, tuple(where)), list(where.values())).rowcount


@contextmanager
def unique(message: str) -> Iterator[None]:
    """Raises Conflict with this message when what is written here must be unique and another row has it already."""
    try:
        yield
    except IntegrityError as error:
        if not str(error).startswith("UNIQUE"):
            raise
        raise Conflict(message) from None


class Rows:
    """A list that is read when it is answered: no records are built, each row becomes its wire form at once."""

    def __init__(self, model: type[Record], where: Values, order: tuple[str, ...] | None = None) -> None:
        self.model = model
        self.where = where
        self.order = model.order if order is None else order
        self.window: tuple[int, int] | None = None
        self._attached: dict[str, Callable[[str], Any]] = {}
        self.is_short = False

    def slice(self, limit: int, offset: int = 0) -> Self:
        """Only `limit` rows after the first `offset`."""
        self.window = (limit, offset)
        return self

    def attach(self, name: str, value_of: Callable[[str], Any]) -> Self:
        """Give each row a further attribute that is no column, found by the row's id."""
        self._attached[name] = value_of
        return self

    def short(self) -> Self:
        """Say that no row has a long text: SQLite is to write their JSON (see `written`)."""
        self.is_short = True
        return self

    def count(self) -> int:
        """How many rows there are without the window."""
        sql = count_sql(self.model, tuple(self.where))
        return connection().execute(sql, tuple(self.where.values())).fetchone()[0]

    def project(self, names: Mapping[str, str]) -> list[dict[str, Any]]:
        """Every row's wire form; `names` maps the wire's name to the attribute."""
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

    def written(self, names: Mapping[str, str], dump: Callable[[str, Any], bytes]) -> orjson.Fragment:
        """As `project`, as one JSON text; `dump` gives that of a value that was attached under a wire name.

        A hundred workers take 110 µs so, and 190 by way of cells and dicts. Long texts orjson escapes faster.
        """
        columns = tuple((wire, attribute) for wire, attribute in names.items() if attribute not in self._attached)
        sql = json_sql(self.model, columns, tuple(self.where), self.order)
        rows = connection().execute(sql, tuple(self.where.values())).fetchall()
        texts = [text for _, text in rows]
        for wire, attribute in names.items():
            if value_of := self._attached.get(attribute):
                dumped = [dump(wire, value).decode() if (value := value_of(id)) else "[]" for id, _ in rows]
                texts = [f'{text[:-1]},"{wire}":{more}}}' for text, more in zip(texts, dumped, strict=True)]
        return orjson.Fragment(f"[{','.join(texts)}]")

    def __iter__(self) -> Iterator[Any]:
        """The rows as records."""
        return map(self.model.from_row, self._rows(tuple(self.model._meta.sorted_field_names)))

    def _rows(self, columns: tuple[str, ...]) -> list[tuple[Any, ...]]:
        sql = select_sql(self.model, columns, tuple(self.where), self.order, self.window is not None)
        return connection().execute(sql, (*self.where.values(), *(self.window or ()))).fetchall()


def wire_rows(model: type[Record], columns: Mapping[str, str], rows: Iterable[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """Wire forms of `rows`, whose cells are the attributes that `columns` maps the wire's names to, in that order."""
    fields = model._meta.fields
    # Column by column: the inner loops have one thing to do, and the dicts are made without a step of Python.
    wired = list(map(dict, map(zip, repeat(tuple(columns)), rows)))
    for wire, name in columns.items():
        field = fields[name]
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
    """The running thread's connection to the current world's database."""
    return current().db.connection()


def connection_execute(sql: str, params: Iterable[Any]) -> Any:
    """Run one statement and give its cursor. Raises peewee's errors, as peewee itself would."""
    return current().db.execute_sql(sql, params)


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
    """The row, all columns in the model's order, as the database takes it."""
    for index, encode in _encoders(model):
        row[index] = encode(row[index])
    return row
