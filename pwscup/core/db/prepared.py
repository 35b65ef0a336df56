# SPDX-License-Identifier: Apache-2.0
"""Queries of nearly every request or task: Django compiles their SQL once instead of each time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.db import connections, router, transaction
from django.db.models.constants import OnConflict
from django.db.models.sql import UpdateQuery

from pwscup.core.db.columns import field_of

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Field, Model, QuerySet

R = TypeVar("R")
T = TypeVar("T")
Value = int | str | datetime
# Values that occur in no query: they show the positions of the parameters in Django's SQL.
MARKS: dict[type[Any], Callable[[int], Value]] = {
    int: lambda n: -1 - n,
    str: lambda n: f"\x00{n}",
    datetime: lambda n: datetime(1, 1, 1, microsecond=n, tzinfo=UTC),
}


class Prepared(Generic[R]):
    """The query that `make` builds from parameters of these types. Only their values change, so none may be None.

    The rows are those of the query set, with related and prefetched objects.
    """

    def __init__(self, make: Callable[..., QuerySet[Any, R]], *types: type[Value]) -> None:
        self._make = make
        self._marks = [MARKS[of](n) for n, of in enumerate(types)]

    @cached_property
    def _made(self) -> tuple[QuerySet[Any, R], Any, str, tuple[Any, ...], dict[int, int]]:
        """The query, its compiler, its SQL with parameters, and the positions of the values."""
        made = self._make(*self._marks)
        compiler = made.query.get_compiler(made.db)
        sql, parameters = compiler.as_sql()
        converters = compiler.get_converters([s[0] for s in compiler.select[: compiler.col_count]])
        compiler.get_converters = lambda _: converters
        marks = [_adapted(mark, compiler.connection) for mark in self._marks]
        places = {i: marks.index(found) for i, found in enumerate(parameters) if found in marks}
        return made, compiler, sql, parameters, places

    def rows(self, *values: Value) -> list[R]:
        """The rows for these values."""
        made, compiler, sql, parameters, places = self._made
        connection = connections[made.db]  # this thread's
        given = list(parameters)
        for i, n in places.items():
            given[i] = _adapted(values[n], connection)
        bound = _like(compiler, connection=connection, as_sql=lambda *_: (sql, tuple(given)))
        query = _like(made.query, get_compiler=lambda *_, **__: bound)
        return list(_like(made, _query=query))

    def first(self, *values: Value) -> R | None:
        """The first of these rows."""
        return next(iter(self.rows(*values)), None)

    def get(self, *values: Value) -> R:
        """The first row; where there is none, `DoesNotExist` of the model."""
        found = self.first(*values)
        if found is None:
            raise self._made[0].model.DoesNotExist
        return found


def prefetch(instance: Model, name: str, rows: list[Any]) -> None:
    """Make `instance.name.all()` return these rows without a query, as `prefetch_related` does."""
    found = getattr(instance, name).all()
    found._result_cache, found._prefetch_done = rows, True
    known = getattr(instance, "_prefetched_objects_cache", {})
    instance._prefetched_objects_cache = {**known, name: found}  # type: ignore[attr-defined]


def update(
    model: type[Model], where: dict[str, Any], *, add_one: tuple[str, ...] = (), **values: Any
) -> list[Any]:
    """Write these values where columns are equal to others, and add 1 to some columns; by one query.

    Returns the first column of `add_one`, else the primary key, of each row that was changed.
    """
    db = router.db_for_write(model)
    changes = [(name, *_written(model, db, name, value)) for name, value in values.items()]
    found = [_written(model, db, name, value) for name, value in where.items()]
    given = [one for *_, parameters in (*changes, *found) for one in parameters]
    sql = _change(model, db, tuple(change[:2] for change in changes), add_one, tuple(where))
    with transaction.mark_for_rollback_on_error(db), connections[db].cursor() as cursor:
        cursor.execute(sql, given)
        return [value for (value,) in cursor.fetchall()]


def _written(model: type[Model], db: str, name: str, value: Any) -> tuple[str, list[Any]]:
    """The SQL of a column's value and its parameters: an expression, as the database's time, has SQL of its own."""
    if not hasattr(value, "resolve_expression"):
        field = field_of(model, name)
        return "%s", [field.get_db_prep_save(getattr(value, "pk", value), connections[db])]
    query = UpdateQuery(model)
    expression = value.resolve_expression(query, allow_joins=False, for_save=True)
    sql, parameters = query.get_compiler(db).compile(expression)
    return sql, list(parameters)


@cache
def _change(
    model: type[Model],
    db: str,
    values: tuple[tuple[str, str], ...],
    add_one: tuple[str, ...],
    where: tuple[str, ...],
) -> str:
    """The SQL of `update`."""
    quote, meta = connections[db].ops.quote_name, model._meta

    def column(name: str) -> str:
        return quote(field_of(model, name).column or "")

    changes = [f"{column(name)} = {sql}" for name, sql in values]
    changes += [f"{column(name)} = {column(name)} + 1" for name in add_one]
    found = " AND ".join(f"{column(name)} = %s" for name in where)
    returned = column(add_one[0] if add_one else meta.pk.name)
    parts = ("UPDATE", quote(meta.db_table), "SET", ", ".join(changes), "WHERE", found)
    return " ".join((*parts, "RETURNING", returned))


def insert(*rows: Model, replaces: tuple[str, ...] = ()) -> None:
    """Save new rows of one model by one query; where the primary key is known, change only the columns `replaces`."""
    model, db = type(rows[0]), router.db_for_write(type(rows[0]))
    connection = connections[db]
    fields, sql = _insertion(model, db, len(rows), replaces)
    values = [
        field.get_db_prep_save(field.pre_save(row, add=True), connection)
        for row in rows
        for field in fields
    ]
    with transaction.mark_for_rollback_on_error(db), connection.cursor() as cursor:
        cursor.execute(sql, values)
        keys = [key for (key,) in cursor.fetchall()]
    for row, key in zip(rows, keys, strict=True):
        row.pk, row._state.adding, row._state.db = key, False, db


@cache
def _insertion(
    model: type[Model], db: str, n: int, replaces: tuple[str, ...]
) -> tuple[list[Field[Any, Any]], str]:
    """The columns that `insert` writes of each row, and its SQL."""
    ops, meta = connections[db].ops, model._meta
    key: Any = meta.pk
    fields = [field for field in meta.concrete_fields if field is not meta.auto_field]
    table, returned, *names = map(
        ops.quote_name, (meta.db_table, key.column, *(field.column for field in fields))
    )
    places = ", ".join([f"({', '.join(['%s'] * len(fields))})"] * n)
    parts = ["INSERT INTO", table, f"({', '.join(names)})", "VALUES", places]
    if replaces:
        parts.append(ops.on_conflict_suffix_sql(fields, OnConflict.UPDATE, replaces, [key.column]))
    return fields, " ".join((*parts, "RETURNING", returned))


def _like(made: T, **changed: Any) -> T:
    """A shallow copy with other attributes."""
    found = object.__new__(type(made))
    found.__dict__ |= made.__dict__ | changed
    return found


def _adapted(value: Value, connection: BaseDatabaseWrapper) -> Any:
    """The value as the database driver expects it."""
    if isinstance(value, datetime):
        return connection.ops.adapt_datetimefield_value(value)
    return value
