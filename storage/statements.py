"""SQL of the queries of `Record` and `Rows`, which peewee writes once for each kind of them (see record.py)."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from peewee import Model, fn


def _where_equal(model: type[Model], query: Any, columns: tuple[str, ...]) -> Any:
    """Add a condition for each column: that it equals a parameter. The values here are placeholders."""
    for name in columns:
        query = query.where(model._meta.fields[name] == "")
    return query


def _ordered(query: Any, order: tuple[str, ...]) -> Any:
    fields = query.model._meta.fields
    return query.order_by(*[fields[name[1:]].desc() if name[0] == "-" else fields[name].asc() for name in order])


@cache
def select_sql(
    model: type[Model],
    columns: tuple[str, ...],
    where: tuple[str, ...],
    order: tuple[str, ...] = (),
    window: bool = False,
) -> str:
    """Return SELECT of `columns`, with parameters for the `where` columns, and for LIMIT and OFFSET with `window`."""
    fields = model._meta.fields
    query = _ordered(_where_equal(model, model.select(*[fields[name] for name in columns]), where), order)
    if window:
        query = query.limit(0).offset(1)
    return query.sql()[0]


@cache
def count_sql(model: type[Model], where: tuple[str, ...]) -> str:
    return _where_equal(model, model.select(fn.COUNT(model._meta.fields["id"])), where).sql()[0]


@cache
def insert_sql(model: type[Model]) -> str:
    """Return INSERT of one row of all columns."""
    return model.insert(dict.fromkeys(model._meta.sorted_field_names, "")).sql()[0]


@cache
def update_sql(model: type[Model], columns: tuple[str, ...]) -> str:
    return model.update(dict.fromkeys(columns, "")).where(model._meta.fields["id"] == "").sql()[0]


@cache
def column_indexes(model: type[Model]) -> Mapping[str, int]:
    """Return the position of each column in the model's order."""
    return {name: index for index, name in enumerate(model._meta.sorted_field_names)}


@cache
def delete_sql(model: type[Model], where: tuple[str, ...]) -> str:
    return _where_equal(model, model.delete(), where).sql()[0]
