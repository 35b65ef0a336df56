# SPDX-License-Identifier: Apache-2.0
"""The study compared with the paper: signs, readings and best attacks of both, by the same rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean, pstdev

from scoring.studies.experiment import Measured, Study, Value
from scoring.studies.paper import ATTACKED, SIGNED, PaperFigures, Signs, Summary
from scoring.studies.signature import MOST_BLIND_HITS, guess_methods
from scoring.studies.signs import Baseline, signs, worse_of

PAPER_SAMPLE_CELLS = 75
"""Table 11, D_H: 7 of 10 deleted records are missing in 72 cells, so 3 cells had held one record."""
PAPER_CELLS = 231
"""Table 12: S2 = 36.07 = 8333/231 with the cross columns only."""
PAPER_RECORDS, PAPER_SAMPLE = 8333, 100


def paper_sample(paper: PaperFigures, study: Study) -> Baseline:
    """Table 11's column of the original. The paper prints no amounts: their mean is the study's."""
    original = paper.table11["original"]
    return Baseline(original, PAPER_SAMPLE, PAPER_SAMPLE_CELLS, study.sample.mean_amount)


def paper_table(paper: PaperFigures, study: Study) -> Baseline:
    """Values of the untouched table of 8,333 records that follow from the printed figures.

    D_2 does not change the quasi-identifiers (U3 = 0, S2 = 1.88), so E1 is 1/1.88; D_1 does not change the amounts (U4
    = U5 = 0) and gives E2, at least, E3 and E4.
    """
    untouched_amounts, untouched_vectors = paper.table15["D_1"], paper.table12["D_2"]
    values: dict[str, Value] = {
        "S1": untouched_vectors["S1"],
        "S2": untouched_vectors["S2"],
        "E1": 1 / untouched_vectors["S2"],
        "EUC1": 1.0,
        **{measure: untouched_amounts[measure] for measure in ("E2", "E3", "E4")},
    }
    return Baseline(values, PAPER_RECORDS, PAPER_CELLS, study.table.mean_amount)


def paper_values(paper: PaperFigures, name: str) -> dict[str, float]:
    """The most exact printed values of D_1 to D_12: Table 15's rates, Table 12's rest."""
    return {**paper.table12[name], **paper.table15[name]}


def own_signs(study: Study, name: str) -> Signs:
    """The rule's signs on a table of the study."""
    if name in study.singles:
        return signs(study.singles[name].values, study.sample)
    return signs(study.chains[name].values, study.table)


def paper_signs(paper: PaperFigures, study: Study, name: str) -> Signs:
    """The rule's signs on the paper's figures of a table."""
    if name in paper.table11:
        return signs(paper.table11[name], paper_sample(paper, study))
    return signs(paper_values(paper, name), paper_table(paper, study))


def paper_reading(paper: PaperFigures, study: Study, name: str) -> frozenset[str]:
    """The result of `guess_methods` on the paper's figures of a table."""
    if name in paper.table11:
        return guess_methods(paper.table11[name], paper_sample(paper, study))
    return guess_methods(paper_values(paper, name), paper_table(paper, study))


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of equal signs, of `total`."""

    same: int
    total: int

    def __str__(self) -> str:
        return f"{self.same} of {self.total}"


def agreement(first: Mapping[str, Signs], second: Mapping[str, Signs]) -> Agreement:
    """Compare signs of the same tables."""
    pairs = [(first[name][m], second[name][m]) for name in first for m in SIGNED]
    return Agreement(sum(a == b for a, b in pairs), len(pairs))


def combined(study: Study) -> Agreement:
    """The number of signs of the chains that follow from their single methods (Table 14)."""
    same = total = 0
    for chain in study.chains.values():
        found = own_signs(study, chain.recipe.name)
        parts = [own_signs(study, f"D_{letter}") for letter in sorted(chain.recipe.methods)]
        for measure in SIGNED:
            expected = parts[0][measure]
            for part in parts[1:]:
                expected = worse_of(expected, part[measure], measure)
            same += found[measure] == expected
            total += 1
    return Agreement(same, total)


def rates(chain: Measured, *, own_row: bool) -> dict[str, float]:
    """Table 15's columns of a chain: EUC1 with the record's own position or with a miss."""
    found = {measure: float(chain.values[measure] or 0) for measure in ATTACKED}
    return {**found, "EUC1": chain.own_row} if own_row else found


def best(found: Mapping[str, float], n_records: int) -> frozenset[str]:
    """The attacks with the highest rate; none where a random guess might have it."""
    highest = max(found.values())
    if highest * n_records <= MOST_BLIND_HITS:
        return frozenset()
    return frozenset(m for m, rate in found.items() if rate == highest)


def summaries(rates_of: Mapping[str, Mapping[str, float]], n_records: int) -> dict[str, Summary]:
    """The last rows of Table 15: mean, standard deviation of the rates themselves, and tables where an attack is best.

    The paper's deviations are those of one number more, the mean.
    """
    found = {}
    winners = [best(rates, n_records) for rates in rates_of.values()]
    for measure in ATTACKED:
        values = [rates[measure] for rates in rates_of.values()]
        n_best = sum(measure in names for names in winners)
        found[measure] = Summary(fmean(values), pstdev(values), n_best)
    return found


def letters(methods: frozenset[str]) -> str:
    """Methods as they are printed: their letters in order, "–" for none."""
    return " ".join(sorted(methods)) or "–"
