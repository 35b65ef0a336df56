"""Every attack under its identifier."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from scoring.addresses import function_at
from scoring.errors import gettext_noop as _
from scoring.measures.catalog import MEASURES

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from scoring.comparison import Prepared
    from scoring.equivalence import IntArray
    from scoring.schema import Schema


class Guess(Protocol):
    """An attack: it sees two tables and never the declared rows."""

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> IntArray: ...


@dataclass(frozen=True, slots=True)
class Attack:
    """A way to guess which original each record was made from."""

    id: str
    name: str
    title: str
    address: str

    @property
    def function(self) -> Guess:
        """From two tables to one guess a record."""
        guess: Guess = function_at(self.address)
        return guess

    @property
    def description(self) -> str:
        """The function's docstring: method, parameters, source."""
        return inspect.getdoc(self.function) or ""

    def __call__(
        self,
        original: pd.DataFrame | Prepared,
        anonymized: pd.DataFrame,
        schema: Schema,
        *,
        rng: np.random.Generator,
        quasi_identifiers: Sequence[str] | None = None,
        sensitive: Sequence[str] | None = None,
    ) -> IntArray:
        """One 0-based original row for each anonymized record, -1 for no guess."""
        return self.function(
            original,
            anonymized,
            schema,
            rng=rng,
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
        )


ATTACKS: dict[str, Attack] = {
    attack.id: attack
    for attack in (
        Attack(
            "E1",
            "identify.rand",
            MEASURES["E1"].title,
            "scoring.attacks.guesses:guess_random_in_class",
        ),
        Attack(
            "E2",
            "identify.sa",
            MEASURES["E2"].title,
            "scoring.attacks.guesses:guess_nearest_value_in_class",
        ),
        Attack(
            "E3", "identify.sort", MEASURES["E3"].title, "scoring.attacks.guesses:guess_rank_of_sum"
        ),
        Attack(
            "E4",
            "identify.sa21",
            MEASURES["E4"].title,
            "scoring.attacks.guesses:guess_nearest_value",
        ),
        Attack(
            "EUC1",
            "identify.euc",
            MEASURES["EUC1"].title,
            "scoring.attacks.guesses:guess_nearest_point_in_class",
        ),
        Attack(
            "EUC2",
            "identify.euc",
            MEASURES["EUC2"].title,
            "scoring.attacks.guesses:guess_nearest_point",
        ),
        Attack(
            "E4-rank",
            "identify.sa21",
            _("Equal rank in one column"),
            "scoring.attacks.guesses:guess_rank_of_value",
        ),
    )
}
"""Identifier to attack, in the order in which they are shown."""
