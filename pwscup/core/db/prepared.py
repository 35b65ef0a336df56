"""Queries of nearly every request or task: Django compiles their SQL once instead of each time."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from django.db import connections
from django.db.models.sql import UpdateQuery

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper
    from django.db.models import Model, QuerySet

R = TypeVar("R")
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
        marks = [_adapted(mark, compiler.connection) for mark in self._marks]
        places = {i: marks.index(found) for i, found in enumerate(parameters) if found in marks}
        return made, compiler, sql, parameters, places

    def rows(self, *values: Value) -> list[R]:
        """The rows for these values."""
        made, compiler, sql, parameters, places = self._made
        bound = copy(compiler)
        bound.connection = connections[made.db]  # this thread's
        given = list(parameters)
        for i, n in places.items():
            given[i] = _adapted(values[n], bound.connection)
        bound.as_sql = lambda *_: (sql, tuple(given))
        asked: Any = made.all()
        asked.query.get_compiler = lambda *_, **__: bound
        return list(asked)

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


def update_returning(rows: QuerySet[Any], column: str, **values: Any) -> list[Any]:
    """Change rows as `update` does, in one query that also returns the new values of a column."""
    query: Any = rows.query.chain(UpdateQuery)
    query.add_update_values(values)
    sql, parameters = query.get_compiler(rows.db).as_sql()
    with connections[rows.db].cursor() as cursor:
        cursor.execute(f'{sql} RETURNING "{column}"', parameters)
        return [value for (value,) in cursor.fetchall()]


def _adapted(value: Value, connection: BaseDatabaseWrapper) -> Any:
    """The value as the database driver expects it."""
    is_time = isinstance(value, datetime)
    return connection.ops.adapt_datetimefield_value(value) if is_time else value
