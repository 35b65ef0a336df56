# SPDX-License-Identifier: Apache-2.0
"""The tables as CSV: one value a row next to the paper's, so that any program can read them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import astuple, fields

from scoring.studies.comparison import (
    PAPER_RECORDS,
    best,
    letters,
    own_signs,
    paper_reading,
    paper_signs,
    rates,
    summaries,
)
from scoring.studies.cost import CostPoint
from scoring.studies.experiment import Measured, Study
from scoring.studies.index import SHOWN, index_of
from scoring.studies.paper import ATTACKED, METHODS, SIGNED, PaperFigures
from scoring.studies.signature import confusion

Rows = Iterable[Iterable[object]]
MEASURES = (*SIGNED, "EUC2")


def sheets(study: Study, paper: PaperFigures) -> dict[str, bytes]:
    """File names and contents."""
    return {
        "table05-index.csv": _csv(
            ("table", "key", "rows", "original_rows", "EUC1", "EUC2"), _index()
        ),
        "table06-teams.csv": _csv(
            ("table", "team", "place"),
            ((name, made.team, made.place) for name, made in paper.table6.items()),
        ),
        "table07-methods.csv": _csv(("table", "methods", "steps", "reason"), _recipes(study)),
        "table10-expected-effects.csv": _csv(
            ("method", "measure", "paper", "measured", "paper_table11_by_rule"),
            _effects(study, paper),
        ),
        "table11-single-methods.csv": _csv(
            ("table", "measure", "measured", "paper"),
            [
                *(
                    ("original", m, study.sample.values[m], paper.table11["original"][m])
                    for m in MEASURES
                ),
                *_values(study.singles, paper.table11),
            ],
        ),
        "table13-confusion.csv": _csv(
            ("kind", "method", "hit", "missed", "false_alarm", "rightly_absent"), _confusion(study)
        ),
        "table13-trials.csv": _csv(
            ("kind", "n_records", "made_by", "read_off"),
            ((t.kind, t.n_records, letters(t.made), letters(t.guess)) for t in study.trials),
        ),
        **sheets_of_chains(study, paper),
        "figure1-u4-e3.csv": _csv(
            ("table", "U4", "E3", "paper_U4", "paper_E3"), _scatter(study, paper)
        ),
        "figures2-6-euc1.csv": _csv(
            [field.name for field in fields(CostPoint)], (astuple(point) for point in study.cost)
        ),
    }


def sheets_of_chains(study: Study, paper: PaperFigures) -> dict[str, bytes]:
    """Tables 12 to 15 of the tables of a study, of any origin."""
    return {
        "table12-chains.csv": _csv(
            ("table", "measure", "measured", "paper"), _values(study.chains, paper.table12)
        ),
        "table13-signs.csv": _csv(
            ("table", "measure", "paper", "measured", "paper_table12_by_rule"),
            (
                (name, m, paper.table13[name][m], own[m], ruled[m])
                for name in study.chains
                for own, ruled in [(own_signs(study, name), paper_signs(paper, study, name))]
                for m in SIGNED
            ),
        ),
        "table13-methods.csv": _csv(
            ("table", "made_by", "read_off", "paper_guess", "read_off_the_paper_figures"),
            _readings(study, paper),
        ),
        "table14-combination.csv": _csv(
            ("table", "measure", "paper", "measured"),
            (
                (name, m, paper.table14[name][m], own_signs(study, name)[m])
                for name in ("D_A", "D_F", "D_10")
                if name in study.singles or name in study.chains
                for m in SIGNED
            ),
        ),
        "table15-attacks.csv": _csv(
            ("table", "attack", "measured", "is_best", "paper", "paper_is_best"),
            _attacks(study, paper),
        ),
        "table15-summary.csv": _csv(
            ("attack", "row", "measured", "paper"), _summaries(study, paper)
        ),
    }


def _csv(header: Iterable[str], rows: Rows) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return text.getvalue().encode()


def _recipes(study: Study) -> Rows:
    for made in (*study.singles.values(), *study.chains.values()):
        recipe = made.recipe
        steps = "; ".join(
            " ".join([method, *(f"{name}={_plain(value)}" for name, value in options.items())])
            for method, options in recipe.steps
        )
        yield recipe.name, letters(recipe.methods), steps, recipe.reason


def _plain(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _effects(study: Study, paper: PaperFigures) -> Rows:
    for letter in METHODS:
        name = f"D_{letter}"
        own, ruled = own_signs(study, name), paper_signs(paper, study, name)
        for m in SIGNED:
            yield letter, m, paper.table10[letter][m], own[m], ruled[m]


def _values(made: Mapping[str, Measured], printed: Mapping[str, Mapping[str, float]]) -> Rows:
    for name, measured in made.items():
        for m in MEASURES:
            yield name, m, measured.values[m], printed[name].get(m)


def _readings(study: Study, paper: PaperFigures) -> Rows:
    for name, made in (*study.singles.items(), *study.chains.items()):
        in_paper = paper.table13_methods.get(name, frozenset(name[-1]))
        read = letters(paper_reading(paper, study, name))
        yield name, letters(made.recipe.methods), letters(made.guess), letters(in_paper), read


def _confusion(study: Study) -> Rows:
    for kind in ("single", "pair", "chain"):
        trials = [(t.made, t.guess) for t in study.trials if t.kind == kind]
        for letter, counts in confusion(trials).items():
            yield kind, letter, *astuple(counts)


def _attacks(study: Study, paper: PaperFigures) -> Rows:
    for name, made in study.chains.items():
        own_row, printed = rates(made, own_row=True), paper.table15[name]
        own_best, paper_best = best(own_row, study.n_records), best(printed, PAPER_RECORDS)
        for m in ATTACKED:
            label = "EUC1 own row" if m == "EUC1" else m
            yield name, label, own_row[m], m in own_best, printed[m], m in paper_best
        yield name, "EUC1 miss", made.values["EUC1"], "", "", ""
        yield name, "EUC2", made.values["EUC2"], "", "", ""


def _summaries(study: Study, paper: PaperFigures) -> Rows:
    made = {name: rates(chain, own_row=True) for name, chain in study.chains.items()}
    own = summaries(made, study.n_records)
    for m, printed in paper.table15_summary.items():
        yield m, "mean", own[m].mean, printed.mean
        yield m, "standard deviation", own[m].deviation, printed.deviation
        yield m, "best", own[m].best, printed.best


def _index() -> Rows:
    for name in SHOWN:
        for entry in index_of(name):
            columns = (entry.key, entry.rows, entry.matches, entry.euc1, entry.euc2)
            yield name, *(" ".join(map(str, column)) for column in columns)


def _scatter(study: Study, paper: PaperFigures) -> Rows:
    for name, made in (*study.singles.items(), *study.chains.items()):
        printed = paper.table11.get(name) or paper.table12[name]
        yield name, made.values["U4"], made.values["E3"], printed["U4"], printed["E3"]
