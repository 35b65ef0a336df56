# SPDX-License-Identifier: Apache-2.0
"""The methods that make D_A to D_H and D_1 to D_12, with their options and the reasons for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scoring.options import Value

Step = tuple[str, Mapping[str, Value]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A table's name, the letters of the methods that make it, the steps, and why these."""

    name: str
    methods: frozenset[str]
    steps: tuple[Step, ...]
    reason: str


def _unify(**values: str) -> tuple[Step, ...]:
    """One column after the other set to a value."""
    return tuple(
        ("qi-unification", {"columns": (column,), "value": value})
        for column, value in values.items()
    )


def _step(method: str, **options: Value) -> tuple[Step, ...]:
    return ((method, options),)


NOISE_SCALE = 0.125

SINGLES: tuple[Recipe, ...] = (
    Recipe("D_A", frozenset("A"), _step("mondrian", k=3), "k = 3 as the paper's S1"),
    Recipe(
        "D_B",
        frozenset("B"),
        _step("sa-noise", scale=NOISE_SCALE),
        "an eighth of each column's standard deviation, for a U5 near the paper's .016",
    ),
    Recipe(
        "D_C",
        frozenset("C"),
        _step("yamaoka", spread=10),
        "groups of ten, for a U5 near the paper's .120",
    ),
    Recipe(
        "D_D",
        frozenset("D"),
        _unify(sex="female"),
        "one column outside the cross columns, set to its rarer value: as in the paper, few classes "
        "merge and few records keep their own vector",
    ),
    Recipe(
        "D_E",
        frozenset("E"),
        _unify(household_size="4"),
        "one cross column, set to a value that leaves U3 near the paper's 2",
    ),
    Recipe("D_F", frozenset("F"), _step("class-average"), "no option"),
    Recipe("D_G", frozenset("G"), _step("class-swap"), "no option"),
    Recipe(
        "D_H", frozenset("H"), _step("record-deletion", fraction=0.1), "a tenth, as the paper's U6"
    ),
)

_JOB = ("employment", "occupation", "industry", "company_size", "cars")
_COMMON = {
    "sex": "male",
    "employment": "employee",
    "occupation": "clerical",
    "industry": "services",
    "company_size": "under 100",
    "cars": "1",
}

CHAINS: tuple[Recipe, ...] = (
    Recipe(
        "D_1",
        frozenset("DE"),
        _unify(tenure="owned", cars="0"),
        "a cross column for U2 and U3; a second column, outside, brings S2 and E1 near the paper's",
    ),
    Recipe("D_2", frozenset("F"), _step("class-average"), "averaging within the 13-column classes"),
    Recipe(
        "D_3",
        frozenset("AG"),
        (*_step("mondrian", k=3), *_step("class-swap", swap="records")),
        "k = 3 as the paper's S1",
    ),
    Recipe(
        "D_4",
        frozenset("AG"),
        (*_step("mondrian", k=3), *_step("class-swap", swap="records")),
        "the same as D_3 with other draws: so alike are the paper's two",
    ),
    Recipe(
        "D_5",
        frozenset("CDG"),
        (*_step("class-swap"), *_step("qi-unification"), *_step("yamaoka", spread=2)),
        "all columns outside the cross columns, for S2 = 8333/231; the swap is not in the paper's "
        "guess, but U4 = .07 needs one",
    ),
    Recipe(
        "D_6",
        frozenset("CDG"),
        (*_step("class-swap"), *_step("qi-unification"), *_step("yamaoka", spread=2)),
        "the same as D_5 with other draws",
    ),
    Recipe(
        "D_7",
        frozenset("ADG"),
        (*_step("class-swap"), *_step("qi-unification"), *_step("mondrian", k=12)),
        "all columns outside, then k = 12: the generator's cells hold 5 records or more, so that the "
        "paper's k = 3 would change nothing",
    ),
    Recipe(
        "D_8",
        frozenset("CDG"),
        (
            *_step("qi-unification", columns=_JOB),
            *_step("class-swap"),
            *_step("yamaoka", spread=2),
        ),
        "five columns outside, for S2 near 13.71; no cross column, since U2 = U3 = 0",
    ),
    Recipe(
        "D_9",
        frozenset("CDG"),
        (
            *_step("qi-unification", columns=_JOB),
            *_step("class-swap"),
            *_step("yamaoka", spread=2),
        ),
        "the same as D_8 with other draws",
    ),
    Recipe(
        "D_10",
        frozenset("ADF"),
        (*_unify(children="0", **_COMMON), *_step("mondrian", k=41), *_step("class-average")),
        "k = 41; all columns outside unified before, to a vector that occurs: without it classes "
        "stay small",
    ),
    Recipe(
        "D_11",
        frozenset("ADF"),
        (*_unify(**_COMMON), *_step("mondrian", k=8), *_step("class-average")),
        "k = 8; all columns outside but one unified before",
    ),
    Recipe(
        "D_12",
        frozenset("ADF"),
        (*_unify(**_COMMON), *_step("mondrian", k=4), *_step("class-average")),
        "k = 4; all columns outside but one unified before",
    ),
)
