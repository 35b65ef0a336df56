# SPDX-License-Identifier: Apache-2.0
"""Attack: a function of two tables, the columns it uses, and its options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import getdoc
from typing import TYPE_CHECKING, Any, Protocol

from scoring.addresses import docstring_at, function_at
from scoring.attacks.texts import SUMMARIES
from scoring.errors import PluginError, ProblemsFound
from scoring.options import Method, Option, Value
from scoring.tables.schema import Role, Schema

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from scoring.scores.comparison import Prepared
    from scoring.tables.equivalence import IntArray

SCALES = ("z", "log", "range", "rank")
DISTANCES = ("euclidean", *SCALES, "gower")
"""Distances: Euclidean on raw or scaled columns, or Gower's over all columns."""
WITHIN = ("class-or-anywhere", "class", "anywhere")
"""Search spaces: the record's equivalence class, all originals, or all if it has no class."""
MODELS = ("logistic", "forest")
"""Classifiers of learned linkage."""
DUPLICATES = ("no", "yes")
"""May several records get the same original."""


def check_choice(parameter: str, value: str, known: Sequence[str]) -> None:
    """Raise ValueError where a text is none of the known ones."""
    if value not in known:
        raise ValueError(f"{parameter}: expected one of {', '.join(known)}, got {value!r}")


class Guess(Protocol):
    """An attack: it sees two tables and never the declared rows; its options follow by name.

    The docstring of an attack has its method, its guesses, its source and an example. Parameters are in it where they
    differ from these:

    Parameters
    ----------
    original, anonymized : DataFrame, n_original and n_anonymized records
        The attacker has both tables only.
    schema : Schema
    rng : numpy.random.Generator
        Not used.
    quasi_identifiers, sensitive : sequence of str, optional
        Not used.

    Raises
    ------
    ValueError
        Where a table or a column does not fit the schema.
    """

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
        **options: Any,
    ) -> IntArray: ...


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """Columns of one role that an attack looks at: all by default, or those that are chosen.

    `option` is its name on the command line, `parameter` its name in the functions.
    """

    option: str
    parameter: str
    role: Role
    only_numbers: bool = False
    is_single: bool = False

    def known(self, schema: Schema) -> tuple[str, ...]:
        """The columns there are to choose from."""
        return tuple(
            column.name
            for column in schema.columns
            if column.role is self.role and (column.is_numeric or not self.only_numbers)
        )

    def accepts(self, names: Sequence[str], schema: Schema) -> bool:
        """True if these are different columns out of those, and a single one where one is used."""
        fits = set(names) <= set(self.known(schema)) and len(set(names)) == len(names)
        return fits and not (self.is_single and len(names) != 1)

    def expected(self, schema: Schema) -> str:
        """The expected choice, as messages describe it."""
        number = "one column" if self.is_single else "different columns"
        return f"{number} out of {', '.join(self.known(schema)) or 'none'}"


QUASI_IDENTIFIERS = ColumnChoice("q", "quasi_identifiers", Role.QUASI_IDENTIFIER)
SENSITIVE = ColumnChoice("s", "sensitive", Role.SENSITIVE)
AMOUNTS = ColumnChoice("s", "sensitive", Role.SENSITIVE, only_numbers=True)
ONE_AMOUNT = ColumnChoice("s", "sensitive", Role.SENSITIVE, only_numbers=True, is_single=True)


@dataclass(frozen=True, slots=True)
class Inquiry(Method):
    """A query of an attacker on two tables, with any form of answer.

    Of one that a plugin defines, `texts` has the title and the summary in each language, as in
    `{"title": {"en": "…", "ja": "…"}}`; the texts of the library are translated.
    """

    id: str
    name: str
    title: str
    address: str
    columns: tuple[ColumnChoice, ...]
    options: tuple[Option, ...] = ()
    texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict, hash=False)

    @property
    def function(self) -> Callable[..., Any]:
        """The function that answers it."""
        function: Callable[..., Any] = function_at(self.address)
        return function

    @property
    def description(self) -> str:
        """The function's docstring: method, parameters, source; of a plugin's function without one the summary."""
        if self.is_foreign:
            return getdoc(self.function) or self.summary
        return docstring_at(self.address)

    @property
    def summary(self) -> str:
        """The method in one sentence, without a full stop."""
        return SUMMARIES.get(self.id) or self.texts.get("summary", {}).get("en", self.title)

    @property
    def is_foreign(self) -> bool:
        """True if its function is of another package than the library."""
        return not self.address.startswith("scoring.")

    def choice(self, option: str) -> ColumnChoice | None:
        """The choice of columns of that name on the command line."""
        return next((choice for choice in self.columns if choice.option == option), None)


@dataclass(frozen=True, slots=True)
class Attack(Inquiry):
    """A way to guess which original each record was made from."""

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
        **options: Value,
    ) -> IntArray:
        """One 0-based original row for each anonymized record, -1 for no guess.

        Raises
        ------
        ProblemsFound
            Where an option is unknown or its value cannot be used.
        PluginError
            Where the function of another package fails, or gives no row for each record.
        """
        if problems := self.problems(options):
            raise ProblemsFound(problems)
        given = {"quasi_identifiers": quasi_identifiers, "sensitive": sensitive, **options}
        if self.is_foreign:
            return self._guarded(original, anonymized, schema, rng=rng, **given)
        guess: IntArray = self.function(original, anonymized, schema, rng=rng, **given)
        return guess

    def _guarded(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        **given: Any,
    ) -> IntArray:
        """The guess of another package, checked; ValueError says that this attack does not fit the tables."""
        import numpy as np

        try:
            guess = np.asarray(self.function(original, anonymized, schema, **given))
        except ValueError:
            raise
        except Exception as error:
            raise PluginError("plugin.attack", id=self.id, got=type(error).__name__) from error
        is_row = guess.dtype.kind in "iu" and guess.shape == (len(anonymized),)
        if not is_row or ((guess < -1) | (guess >= len(original))).any():
            raise PluginError("plugin.guess", id=self.id)
        return guess.astype(np.int64)
