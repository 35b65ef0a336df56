"""Queries that are asked with nearly every request: Django makes their SQL once, not each time."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.db import connection

if TYPE_CHECKING:
    from django.db.models import QuerySet


class Prepared:
    """A query with whole numbers as parameters; its rows come as the database driver gives them."""

    def __init__(self, n_parameters: int, make: Callable[..., QuerySet[Any, Any]]) -> None:
        self._marks = [-1 - n for n in range(n_parameters)]  # which stand in no query
        self._make = make

    @cached_property
    def _sql(self) -> tuple[str, tuple[Any, ...]]:
        return self._make(*self._marks).query.sql_with_params()

    def first(self, *values: int) -> tuple[Any, ...] | None:
        """The first row."""
        given = dict(zip(self._marks, values, strict=True))
        sql, parameters = self._sql
        with connection.cursor() as cursor:
            cursor.execute(sql, [given.get(parameter, parameter) for parameter in parameters])
            return cursor.fetchone()
