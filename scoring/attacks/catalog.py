"""Every attack under its identifier."""

from __future__ import annotations

from scoring.attacks.base import (
    AMOUNTS,
    ONE_AMOUNT,
    QUASI_IDENTIFIERS,
    Attack,
    ColumnChoice,
    Guess,
    Inquiry,
)
from scoring.errors import gettext_noop as _
from scoring.measures.catalog import MEASURES

__all__ = ["ATTACKS", "Attack", "ColumnChoice", "Guess", "Inquiry"]


def _measured(id_: str, name: str, function: str, *columns: ColumnChoice) -> Attack:
    """An attack whose rate is a measure of the same identifier."""
    address = f"scoring.attacks.guesses:{function}"
    return Attack(id_, name, MEASURES[id_].title, address, columns)


ATTACKS: dict[str, Attack] = {
    attack.id: attack
    for attack in (
        _measured("E1", "identify.rand", "guess_random_in_class", QUASI_IDENTIFIERS),
        _measured(
            "E2", "identify.sa", "guess_nearest_value_in_class", QUASI_IDENTIFIERS, ONE_AMOUNT
        ),
        _measured("E3", "identify.sort", "guess_rank_of_sum", AMOUNTS),
        _measured("E4", "identify.sa21", "guess_nearest_value", ONE_AMOUNT),
        _measured(
            "EUC1", "identify.euc", "guess_nearest_point_in_class", QUASI_IDENTIFIERS, AMOUNTS
        ),
        _measured("EUC2", "identify.euc", "guess_nearest_point", QUASI_IDENTIFIERS, AMOUNTS),
        Attack(
            "E4-rank",
            "identify.sa21",
            _("Equal rank in one column"),
            "scoring.attacks.guesses:guess_rank_of_value",
            (ONE_AMOUNT,),
        ),
    )
}
"""Identifier to attack, in the order in which they are shown."""
