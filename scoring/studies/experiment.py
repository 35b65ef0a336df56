# SPDX-License-Identifier: Apache-2.0
"""The study itself: tables made, measured, read; nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from scoring.anonymizers import anonymize
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.evaluate import Options, Prepared, score
from scoring.studies.cost import Clock, CostPoint, Sizes, Step, cost_points
from scoring.studies.recipes import CHAINS, SINGLES, Recipe
from scoring.studies.recipes import Step as MethodStep
from scoring.studies.signature import guess_methods
from scoring.studies.signs import Baseline
from scoring.tables.equivalence import IntArray
from scoring.tables.records import Records
from scoring.tables.schema import Schema

Value = float | int | None
SAMPLE = 100
"""Records of the table that single methods are tried on, as in the paper."""
PAIR_ORDER = "HBFGDEAC"
"""In which order two methods are applied; the Yamaoka method comes last, for rows are declared last."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The size of a run."""

    n_records: int
    n_pair_records: int
    n_samples: int
    sizes: Sizes


FULL = Scale(
    8333,
    1000,
    10,
    Sizes((100, 200, 400, 800, 1600, 3200, 6400, 8333, 16_666, 33_332), 8333),
)
QUICK = Scale(600, 200, 1, Sizes((50, 100, 200, 400), 600, repeats=3))


@dataclass(frozen=True, slots=True)
class Measured:
    """A table's recipe, its measures, EUC1 with the paper's answer where nothing matches, and the guess."""

    recipe: Recipe
    values: Mapping[str, Value]
    own_row: float
    guess: frozenset[str]


@dataclass(frozen=True, slots=True)
class Trial:
    """The methods that made a table, and those that were guessed; `kind` is single, pair or chain."""

    kind: str
    n_records: int
    made: frozenset[str]
    guess: frozenset[str]


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that the tables and figures are made of."""

    seed: int
    n_records: int
    sample: Baseline
    sample_facts: Mapping[str, int]
    singles: Mapping[str, Measured]
    table: Baseline
    table_facts: Mapping[str, int]
    chains: Mapping[str, Measured]
    trials: Sequence[Trial]
    cost: Sequence[CostPoint]


def run_study(seed: int, scale: Scale, *, clock: Clock, step: Step) -> Study:
    """Make and measure everything.

    Parameters
    ----------
    seed
        Seed of the generated table, the sample and all methods.
    scale
        `FULL` or `QUICK`.
    clock
        Seconds; the only thing that differs between two runs with one seed.
    step
        Called with what is being done.
    """
    table = households(scale.n_records, seed=seed)
    sample = sample_of(table, seed)
    small, large = Ground.of(sample), Ground.of(table)
    singles = make_all(SINGLES, small, seed, step)
    chains = make_all(CHAINS, large, seed, step)
    trials = [
        *(Trial("single", SAMPLE, m.recipe.methods, m.guess) for m in singles.values()),
        *(Trial("chain", scale.n_records, m.recipe.methods, m.guess) for m in chains.values()),
        *_more_trials(table, seed, scale, step),
    ]
    points = cost_points(sample, table, scale.sizes, seed=seed, clock=clock, step=step)
    return Study(
        seed=seed,
        n_records=scale.n_records,
        sample=small.baseline,
        sample_facts=_facts(sample),
        singles=singles,
        table=large.baseline,
        table_facts=_facts(table),
        chains=chains,
        trials=trials,
        cost=points,
    )


def sample_of(table: pd.DataFrame, seed: int, number: int = 0, size: int = SAMPLE) -> pd.DataFrame:
    """Some of a table's records, in its order; the study's own sample has the number 0."""
    rng = np.random.default_rng((seed, 1, number))
    rows = np.sort(rng.choice(len(table), size=size, replace=False))
    return table.iloc[rows].reset_index(drop=True)


@dataclass(frozen=True, slots=True)
class Ground:
    """An untouched table, indexed once, and its own values."""

    prepared: Prepared
    baseline: Baseline

    @classmethod
    def of(cls, table: pd.DataFrame, schema: Schema = HOUSEHOLDS_SCHEMA) -> Ground:
        prepared = Prepared.of(table, schema)
        return cls(prepared, _baseline(prepared))


def _baseline(original: Prepared) -> Baseline:
    """The untouched table compared with itself."""
    table, own = original.table, np.arange(original.n_records, dtype=np.int64)
    return Baseline(
        values=score(original, table, own, original.schema),
        n_records=original.n_records,
        n_cells=len(table[list(original.schema.cross)].drop_duplicates()),
        mean_amount=float(table[list(original.schema.sensitive_numeric)].to_numpy().mean()),
    )


def _facts(table: pd.DataFrame) -> dict[str, int]:
    schema = HOUSEHOLDS_SCHEMA
    sizes = table.groupby(list(schema.quasi_identifiers), observed=True).size()
    assert schema.e2_column is not None
    assert schema.e4_column is not None
    return {
        "classes": len(sizes),
        "alone": int((sizes == 1).sum()),
        "zeros_e2": int((table[schema.e2_column] == 0).sum()),
        "zeros_e4": int((table[schema.e4_column] == 0).sum()),
    }


def make_all(
    recipes: Sequence[Recipe], ground: Ground, seed: int, step: Step = lambda text: None
) -> dict[str, Measured]:
    """Make and measure tables. Each recipe has its own randomness, whichever others are made."""
    names = [recipe.name for recipe in (*SINGLES, *CHAINS)]
    made = {}
    for recipe in recipes:
        step(f"making and measuring {recipe.name}")
        rng = np.random.default_rng((seed, 2, names.index(recipe.name)))
        made[recipe.name] = measure(recipe, ground, rng=rng)
    return made


def measure(recipe: Recipe, ground: Ground, *, rng: np.random.Generator) -> Measured:
    """Make one table and measure it."""
    original = ground.prepared
    made = anonymize(original.table, original.schema, recipe.steps, rng=rng)
    return measured(recipe, ground, made.table, made.source)


def measured(
    recipe: Recipe, ground: Ground, table: pd.DataFrame | Records, source: IntArray
) -> Measured:
    """Measure a table of any origin."""
    original, schema = ground.prepared, ground.prepared.schema
    values = score(original, table, source, schema)
    options = Options(no_match="own_row")
    own_row = score(original, table, source, schema, options=options, measures=["EUC1"])
    guess = guess_methods(values, ground.baseline)
    return Measured(recipe, values, float(own_row["EUC1"] or 0), guess)


def _more_trials(table: pd.DataFrame, seed: int, scale: Scale, step: Step) -> list[Trial]:
    """Single methods on further samples, and every two methods one after the other."""
    trials = []
    for number in range(1, scale.n_samples):
        step(f"reading methods off sample {number + 1} of {scale.n_samples}")
        trials += _trials("single", SINGLES, sample_of(table, seed, number), seed, number)
    step("reading methods off tables made by two methods")
    size = scale.n_pair_records
    pairs_table = sample_of(table, seed, scale.n_samples, size)
    return trials + _trials("pair", pairs(), pairs_table, seed, scale.n_samples)


def _trials(
    kind: str, recipes: Sequence[Recipe], table: pd.DataFrame, seed: int, number: int
) -> list[Trial]:
    ground = Ground.of(table)
    found = []
    for recipe in recipes:
        made = measure(recipe, ground, rng=np.random.default_rng((seed, 3, number)))
        found.append(Trial(kind, len(table), recipe.methods, made.guess))
    return found


def pairs() -> list[Recipe]:
    """Every two of the eight single methods, with the options of D_A to D_H."""
    steps: dict[str, tuple[MethodStep, ...]] = {r.name[-1]: r.steps for r in SINGLES}
    return [
        Recipe(f"{first}{second}", frozenset(first + second), steps[first] + steps[second], "")
        for first, second in combinations(PAIR_ORDER, 2)
    ]
