# SPDX-License-Identifier: Apache-2.0
"""All attackers against one anonymized table, and every measure of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from scoring.attacks.catalog import REPLAY
from scoring.attacks.membership import Membership, membership_scores
from scoring.attacks.replay import Replay, replayed
from scoring.audits.columns import single_columns
from scoring.audits.compared import TablesCompared, compared_tables
from scoring.audits.foreign import guess_of, value_of
from scoring.audits.single import SingleColumn
from scoring.evaluate import mark
from scoring.measures.disclosure import DISCLOSURES, Disclosure
from scoring.registry import ATTACKS, MEASURES, Attack
from scoring.reporting.intervals import Rate
from scoring.scores.comparison import Comparison, Options, Prepared
from scoring.scores.content import copies
from scoring.scores.options import DECIMALS
from scoring.tables.equivalence import IntArray
from scoring.tables.schema import Schema

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Finding:
    """Finding: the result of one attacker.

    Attributes
    ----------
    attack : Attack
    n_guessed : int
        Records for which the attacker named an original.
    found : Rate
        Right guesses out of all anonymized records, with a Wilson interval.
    expected : float or None
        The expected rate with ties broken at random, independent of the order of rows; None
        for attackers whose rate is not a measure.
    """

    attack: Attack
    n_guessed: int
    found: Rate
    expected: float | None

    @property
    def rate(self) -> float:
        """The rate of the attack: the expected one where it exists, else the share found."""
        return self.found.value if self.expected is None else self.expected


@dataclass(frozen=True, slots=True)
class Audit:
    """Audit: the results of all attackers and measures on one table.

    Attributes
    ----------
    n_original, n_anonymized : int
    findings : tuple of Finding
        The strongest attacker first.
    times_found : int64 array, shape (n_anonymized,)
        The number of attackers that found each anonymized record, in the order of the file.
    class_sizes : int64 array
        The sizes of the anonymized table's equivalence classes.
    values : mapping of str to number or None
        Every measure by its identifier.
    disclosures : mapping of str to Disclosure
        Singling-out, linkability and inference, each against a control; empty without one.
    membership : Membership or None
        How well members are distinguished from the control; None without one.
    replay : Replay or None
        The anonymizers and the seed that reproduce the table; None where they were not found.
    columns : tuple of SingleColumn
        How many records each column finds by itself, in the order of the schema.
    compared : TablesCompared or None
        Histograms and correlations of both tables.
    n_copies : int or None
        The anonymized records that equal a record of the original, whatever row is declared.
    """

    n_original: int
    n_anonymized: int
    findings: tuple[Finding, ...]
    times_found: IntArray
    class_sizes: IntArray
    values: Mapping[str, float | int | None]
    disclosures: Mapping[str, Disclosure]
    membership: Membership | None
    replay: Replay | None = None
    columns: tuple[SingleColumn, ...] = ()
    compared: TablesCompared | None = None
    n_copies: int | None = None

    @property
    def worst(self) -> Finding | None:
        """The strongest attacker; None where none was run."""
        return self.findings[0] if self.findings else None

    @property
    def by_chance(self) -> float:
        """The rate of random guesses."""
        return 1 / self.n_original


def audit(
    original: pd.DataFrame | Prepared,
    anonymized: pd.DataFrame,
    source: IntArray,
    schema: Schema,
    *,
    rng: np.random.Generator,
    control: pd.DataFrame | None = None,
    attacks: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    options: Options = Options(),  # noqa: B008 — frozen
    progress: Progress | None = None,
) -> Audit:
    """Run all attackers and all measures on an anonymized table.

    The attackers get the records in a random order, so that none of them exploits the order of the file, and their
    default options.

    Parameters
    ----------
    original : DataFrame or Prepared, n_original records
    anonymized : DataFrame, n_anonymized records
    source : int array, shape (n_anonymized,)
        The declared 0-based original row of each anonymized record, all distinct.
    schema : Schema
    rng : numpy.random.Generator
        Shuffles the records and feeds the attackers.
    control : DataFrame, optional
        Records of the same kind that the anonymized table was not made from; a prepared original
        carries its own.
    attacks, measures : sequence of str, optional
        Identifiers out of `ATTACKS` and `MEASURES`; all by default, without those of plugins that fail.
    options : Options
        Of the measures.
    progress : callable, optional
        Called before each step with the number of steps done, of all steps, and the step's name.

    Raises
    ------
    ValueError
        Where the tables or the rows do not fit.

    Examples
    --------
    >>> from scoring.examples import SCHEMA, table
    >>> rng = np.random.default_rng(1)
    >>> tables = table("original"), table("noise"), np.arange(4), SCHEMA
    >>> found = audit(*tables, rng=rng, attacks=["E1", "EUC2"], measures=["S1"])
    >>> found.findings[0].attack.id, found.findings[0].rate, found.values["S1"]
    ('EUC2', 1.0, 2)
    """
    options.check()
    prepared = (
        original
        if isinstance(original, Prepared)
        else Prepared.of(original, schema, control=control)
    )
    chosen = list(ATTACKS if attacks is None else attacks)
    wanted = list(MEASURES if measures is None else measures)
    steps = Steps(
        len(chosen) + len(wanted) + (0 if prepared.control is None else len(DISCLOSURES) + 1),
        progress,
    )
    comparison = Comparison.of(prepared, anonymized, source, schema)
    disclosures = _disclosures(comparison, options, steps)
    values: dict[str, float | int | None] = {}
    for id_ in wanted:
        steps.next(id_)
        if id_ in disclosures:  # the measure would attack once more
            values[id_] = round(disclosures[id_].risk.value, DECIMALS)
        else:
            values[id_] = value_of(MEASURES[id_], comparison, options)

    order = rng.permutation(len(anonymized))
    shuffled = anonymized.iloc[order].reset_index(drop=True)
    declared = comparison.source[order]
    times = np.zeros(len(anonymized), dtype=np.int64)
    unknown = np.full(len(anonymized), -1, dtype=np.int64)
    replay = None
    findings = []
    for id_ in chosen:
        steps.next(id_)
        guess: IntArray | None
        if id_ == REPLAY:
            replay = replayed(prepared, shuffled, schema)
            guess = unknown if replay is None else replay.guess
        elif attacks is None:
            guess = guess_of(ATTACKS[id_], prepared, shuffled, schema, rng=rng)
        else:
            guess = ATTACKS[id_](prepared, shuffled, schema, rng=rng)
        if guess is None:
            continue
        times[order] += guess == declared
        findings.append(_finding(ATTACKS[id_], guess, declared, values))
    findings.sort(key=lambda finding: -finding.rate)  # stable: equals stay in the registry's order
    return Audit(
        n_original=prepared.n_records,
        n_anonymized=len(anonymized),
        findings=tuple(findings),
        times_found=times,
        class_sizes=comparison.class_sizes,
        values=values,
        disclosures=disclosures,
        membership=_membership(prepared, shuffled, schema, steps),
        replay=replay,
        columns=single_columns(prepared.table, anonymized, comparison.source, schema),
        compared=compared_tables(prepared.table, anonymized, schema),
        n_copies=int(copies(anonymized, [prepared.original], prepared.schema).sum()),
    )


class Steps:
    def __init__(self, n_steps: int, progress: Progress | None) -> None:
        self._n_steps = n_steps
        self._done = 0
        self._progress = progress

    def next(self, name: str) -> None:
        if self._progress is not None:
            self._progress(self._done, self._n_steps, name)
        self._done += 1


def _finding(
    attack: Attack, guess: IntArray, declared: IntArray, values: Mapping[str, float | int | None]
) -> Finding:
    marked = mark(declared, guess)
    expected = values.get(attack.id)
    return Finding(
        attack,
        int((guess >= 0).sum()),
        Rate.of(marked.hits, marked.n_records),
        None if expected is None else float(expected),
    )


def _disclosures(comparison: Comparison, options: Options, steps: Steps) -> dict[str, Disclosure]:
    if comparison.prepared.control is None:
        return {}
    found = {}
    for id_, attack in DISCLOSURES.items():
        steps.next(id_)
        if (disclosure := attack(comparison, options)) is not None:
            found[id_] = disclosure
    return found


def _membership(
    prepared: Prepared, anonymized: pd.DataFrame, schema: Schema, steps: Steps
) -> Membership | None:
    if prepared.control is None:
        return None
    steps.next("membership")
    if not (schema.quasi_identifiers or schema.sensitive):
        return None  # no column to compare persons by
    return membership_scores(prepared.table, prepared.control, anonymized, schema)
