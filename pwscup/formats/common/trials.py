# SPDX-License-Identifier: Apache-2.0
"""Trials on tables of records: the library's methods and attackers, on what the team itself has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pwscup.contests.selectors import dataset_of
from pwscup.core.files import storage
from pwscup.formats.common.bots import guess_file
from pwscup.formats.common.cheats import public_table
from pwscup.formats.trying import Tried
from scoring.anonymizers import anonymize
from scoring.anonymizers.back_mapping import back_mapping
from scoring.attacks.strongest import strongest_attack
from scoring.errors import ProblemsFound
from scoring.evaluate import Prepared, score
from scoring.measures.loss import column_losses
from scoring.registry import ATTACKS
from scoring.rulesets.gates import gated, outside
from scoring.scores.comparison import Comparison
from scoring.scores.content import copies
from scoring.tables.equivalence import IntArray
from scoring.tables.hierarchies import hierarchies
from scoring.tables.original_values import check_original_values
from scoring.tables.reading import read_table, write_guess, write_rows, write_table
from scoring.tables.validation import read_submitted_records

if TYPE_CHECKING:
    from pwscup.formats.trying import Attempt, Step
    from scoring.anonymizers import Value
    from scoring.tables.hierarchy_files import Source
    from scoring.tables.schema import Schema

N_SHOWN = 10
Chain = list[tuple[str, Mapping[str, "Value"]]]
Work = Callable[[pd.DataFrame, "Schema", Mapping[str, float], "Source"], Chain]


# Methods


def levels(
    table: pd.DataFrame, schema: Schema, values: Mapping[str, float], content: Source = ""
) -> Chain:
    """Each column at its level, counted from the finest one, or its coarsest one if it has fewer; `content` holds
    hierarchies of the contest."""
    wanted = dict.fromkeys(schema.quasi_identifiers, int(values["quasi_identifiers"]))
    wanted |= dict.fromkeys(schema.sensitive, int(values["sensitive"]))
    names = tuple(name for name in wanted if wanted[name])
    if not names:
        return []
    found = hierarchies(table, schema, names, content)
    chosen = tuple(one.from_fine[: wanted[one.column.name] + 1][-1] for one in found)
    return [("global-recoding", {"columns": names, "levels": chosen, "hierarchy": content})]


def coding(
    _table: pd.DataFrame, _schema: Schema, values: Mapping[str, float], _content: Source
) -> Chain:
    share = values["share"] / 100
    return [("top-coding", {"quantile": 1 - share}), ("bottom-coding", {"quantile": share})]


def fixed(*chain: tuple[str, Mapping[str, Value]], **options: str) -> Work:
    """Methods of the library, the first of them with the sliders as its `options`."""

    def work(
        _table: pd.DataFrame, schema: Schema, values: Mapping[str, float], _content: Source
    ) -> Chain:
        (method, given), *more = chain
        chosen = {
            option: int(values[name]) if option == "k" else values[name]
            for option, name in options.items()
        }
        return [(method, {**given, **chosen}), *more]

    return work


METHODS: dict[str, Work] = {
    "mondrian": fixed(("mondrian", {}), ("class-average", {}), k="k"),
    "mdav": fixed(("mdav", {}), k="k"),
    "noise": fixed(("additive-noise", {}), scale="scale"),
    "rank-swap": fixed(("rank-swap", {}), p="p"),
    "coding": coding,
    "levels": levels,
    "laplace": fixed(("local-laplace", {"range_from": "column"}), epsilon="epsilon"),
    "response": fixed(("generalized-randomized-response", {"budget": "each"}), epsilon="epsilon"),
}
ATTACKERS: dict[str, tuple[str, dict[str, Any]]] = {
    "nearest": ("nearest-scaled", {"within": "anywhere"}),
    "gower": ("gower", {"within": "anywhere"}),
    "one-each": ("one-candidate", {"distance": "gower", "candidates": 20}),
}

Made = tuple[pd.DataFrame, IntArray]
"""A table, and the row of the original of each record."""
Apply = Callable[[Made, "Schema", "Step", "Source"], Made]


def applied(made: Made, schema: Schema, step: Step, content: Source = "") -> Made:
    """A further method, on the result of those before."""
    table, source = made
    chain = METHODS[step.method](table, schema, step.values, content)
    found = anonymize(table, schema, chain, rng=np.random.default_rng(step.seed))
    return found.table, source[found.source]


def carried_out(
    attempt: Attempt, original: pd.DataFrame, schema: Schema, apply: Apply = applied
) -> Made:
    """The result of all methods of the attempt, each mapped back to values of the original if the rules ask for it."""
    made: Made = original, np.arange(len(original), dtype=np.int64)
    for step in attempt.steps:
        made = apply(made, schema, step, attempt.hierarchies)
        if has_original_values(attempt):
            made = mapped_back(made, original, schema)
    return made


def has_original_values(attempt: Attempt) -> bool:
    """A table may contain only values of the original."""
    return attempt.round.contest.ruleset.validity.values == "original"


def mapped_back(made: Made, original: pd.DataFrame, schema: Schema) -> Made:
    """The same with values of the original only."""
    table, source = made
    rng = np.random.default_rng(0)  # nothing is drawn
    found = back_mapping(table, schema, rng=rng, original=original, source=source)
    return found.table, source


# Results


def of_table(attempt: Attempt) -> Tried:
    """A table and its row numbers, by the methods of the attempt."""
    dataset = attempt.anonymized
    schema, original = dataset.schema.public(), public_table(dataset)
    made = carried_out(attempt, original, schema)
    table, rows = write_table(made[0], schema), write_rows(made[1])
    # As it is read when it is submitted: rounded, and refused for the same reasons.
    records, source = read_submitted_records(table, rows, n_original=len(original), schema=schema)
    if has_original_values(attempt):
        check_original_values(records, original, schema)
    return Tried(
        {"anonymized": ("anonymized.csv", table), "rows": ("rows.csv", rows)},
        *judged(attempt, original, schema, (records.to_frame(), source), original),
    )


def judged(
    attempt: Attempt,
    original: pd.DataFrame,
    schema: Schema,
    made: Made,
    known: pd.DataFrame,
) -> tuple[dict[str, float | int | None], dict[str, Any]]:
    """The values of the measures, and the facts of the page; attackers have `known`, the original first."""
    table, source = made
    seed = attempt.steps[-1].seed
    ruleset = attempt.round.contest.ruleset
    options = replace(ruleset.options, seed=seed)
    measures = list(map(ruleset.measure, attempt.measures))
    values = score(original, table, source, schema, options=options, measures=measures)
    comparison = Comparison.of(Prepared.of(original, schema), table, source, schema)
    if problems := outside(ruleset, gated(ruleset, comparison, options), attempt.round.spec.stage):
        raise ProblemsFound(problems)
    rng = np.random.default_rng(seed)
    strongest = strongest_attack(known, table, source, schema, rng=rng)
    facts = {
        "n_records": len(table),
        "n_deleted": len(original) - len(table),
        "n_copies": int(copies(table, [original], schema).sum()),
        "columns": [
            {"name": name, "loss": round(loss, 6)}
            for name, loss in column_losses(comparison).items()
        ],
        "preview": preview(original, table, source, schema),
    }
    if strongest is not None:
        facts["attack"] = {
            "id": strongest.attack.id,
            "rate": strongest.found.value,
            "n_attackers": strongest.n_attackers,
            "n_attacked": strongest.found.n,
            "n_known": len(known),
        }
    return values, facts


def preview(
    original: pd.DataFrame, table: pd.DataFrame, source: IntArray, schema: Schema
) -> dict[str, Any]:
    """The first records of the original as text, and what became of each; None for a deleted one."""
    names = schema.names
    position = {int(row): place for place, row in enumerate(source)}
    first = range(min(N_SHOWN, len(original)))
    return {
        "names": list(names),
        "rows": [
            {
                "before": texts(original, row, names),
                "after": texts(table, position[row], names) if row in position else None,
            }
            for row in first
        ],
    }


def texts(table: pd.DataFrame, row: int, names: Sequence[str]) -> list[str]:
    """The cells of a record as a reader sees them."""
    return [shown(table[name].iloc[row]) for name in names]


def shown(value: Any) -> str:
    if isinstance(value, float | np.floating):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)


# First attacks


def of_rows(attempt: Attempt) -> Tried:
    """A guess at the row of the original for each record of a release."""
    release = attempt.attacked
    dataset = dataset_of(attempt.round.contest)
    schema, known = dataset.schema.public(), public_table(dataset)
    seen = read_table(storage.read(release.table), schema, file="anonymized")
    guess = guessed(known, seen, schema, attempt.steps[-1])
    files = guess_file(release, write_guess(guess))
    return Tried(files, facts=linked(seen, known, guess, np.arange(len(seen)), schema))


def guessed(known: pd.DataFrame, seen: pd.DataFrame, schema: Schema, step: Step) -> IntArray:
    """The guesses of an attacker, -1 for none."""
    id_, options = ATTACKERS[step.method]
    rng = np.random.default_rng(step.seed)
    return ATTACKS[id_](Prepared.of(known, schema), seen, schema, rng=rng, **options)


def linked(
    seen: pd.DataFrame, known: pd.DataFrame, guess: IntArray, lines: IntArray, schema: Schema
) -> dict[str, Any]:
    """The first guesses: the line of each published record, and the known record that is guessed."""
    names = schema.names
    return {
        "n_lines": len(guess),
        "n_guessed": int((guess >= 0).sum()),
        "n_different": len(np.unique(guess[guess >= 0])),
        "names": list(names),
        "pairs": [
            {
                "line": int(lines[place]) + 1,
                "seen": texts(seen, place, names),
                "row": int(guess[place]) + 1,
                "known": texts(known, int(guess[place]), names) if guess[place] >= 0 else None,
            }
            for place in range(min(N_SHOWN, len(seen)))
        ],
    }
