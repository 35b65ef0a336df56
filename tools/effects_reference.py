# SPDX-License-Identifier: Apache-2.0
"""Writes docs/reference/effects.md from the kit itself: `python -m tools.effects_reference`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scoring.anonymizers import ANONYMIZERS, Anonymizer, anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.evaluate import Prepared, score

TARGET = Path(__file__).resolve().parent.parent / "docs" / "reference" / "effects.md"
N_RECORDS, SEED = 1_000, 1
UTILITY = ("U1", "U2", "U3", "U4", "U5", "U6", "normalised-loss")
SAFETY = ("S1", "S2", "E1", "E2", "E3", "E4", "EUC1", "EUC2", "prosecutor-mean")
Values = dict[str, float | int | None]

_INTRODUCTION = f"""\
<!-- Written by `python -m tools.effects_reference`, which runs the kit; edit the anonymizers' own words. -->
# What each anonymizer does to the measures

Every anonymizer of the kit by itself, with its default options, on {N_RECORDS:,} records of
`python -m scoring generate households --seed {SEED}`. [Choosing an anonymizer](../how-to/choose-an-anonymizer.md)
says how to read this for a table of your own; what the measures mean is in [Measures and attacks](measures.md),
the options in [Command line](command-line.md).

"""


def reference() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, _words(), _effects()])


def _words() -> str:
    head = "| method | what it is | protects against | costs |\n|---|---|---|---|"
    rows = [f"| `{a.id}` | {a.title} | {a.protects} | {a.costs} |" for a in ANONYMIZERS.values()]
    return "\n".join(["## In words", "", head, *rows, ""])


def _effects() -> str:
    original = households(N_RECORDS, seed=SEED)
    prepared = Prepared.of(original, HOUSEHOLDS_SCHEMA)
    untouched = score(
        prepared, original, np.arange(N_RECORDS), HOUSEHOLDS_SCHEMA, measures=[*UTILITY, *SAFETY]
    )
    measured = {"(original)": untouched}
    missing = []
    for anonymizer in ANONYMIZERS.values():
        values = effect(anonymizer, prepared)
        if values is None:
            missing.append(f"`{anonymizer.id}`")
        else:
            measured[f"`{anonymizer.id}`"] = values
    parts = ["## In figures", ""]
    for title, measures in (("Utility: lower is better", UTILITY), ("Safety", SAFETY)):
        parts += [f"### {title}", "", _table(measured, measures), ""]
    parts += [
        "S1 and S2 are better where they are higher, the others where they are lower. "
        f"Not run, for no column of this table is free text: {', '.join(missing)}.",
        "",
    ]
    return "\n".join(parts)


def effect(anonymizer: Anonymizer, prepared: Prepared) -> Values | None:
    """The measures after one anonymizer; None where the table has no column for it."""
    rng = np.random.default_rng(SEED)
    try:
        made = anonymize(prepared.table, HOUSEHOLDS_SCHEMA, [(anonymizer.id, {})], rng=rng)
    except ProblemsFound:
        return None
    wanted = [*UTILITY, *SAFETY]
    return score(prepared, made.table, made.source, HOUSEHOLDS_SCHEMA, measures=wanted)


def _table(measured: dict[str, Values], measures: tuple[str, ...]) -> str:
    head = f"| method | {' | '.join(measures)} |\n|---|{'---:|' * len(measures)}"
    rows = [
        f"| {name} | {' | '.join(_number(values[id_]) for id_ in measures)} |"
        for name, values in measured.items()
    ]
    return "\n".join([head, *rows])


def _number(value: float | int | None) -> str:
    """Three significant digits, which no library's last bit can change."""
    if value is None:
        return "–"
    if isinstance(value, int) or value == 0:
        return f"{int(value):,}"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) >= 0.001 else "<0.001"


if __name__ == "__main__":
    TARGET.write_text(reference(), encoding="utf-8")
