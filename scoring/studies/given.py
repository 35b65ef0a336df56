# SPDX-License-Identifier: Apache-2.0
"""The twelve tables themselves, for those who hold them: measured, read and put next to the printed figures.

The folder has the original X.csv, the teams' tables Y1.csv … Y12.csv, for each the numbers of its records' rows in
the original, J1.csv … J12.csv, and, where the columns are not those of the generated households, S.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from html import escape
from typing import Any

import numpy as np

from scoring.datasets.households import HOUSEHOLDS_SCHEMA
from scoring.errors import Collector, ProblemsFound
from scoring.reporting.document import document
from scoring.reporting.style import BASE
from scoring.studies import markup
from scoring.studies.comparison import Agreement, letters, paper_reading, paper_values
from scoring.studies.experiment import Ground, Measured, Study, make_all, measured, sample_of
from scoring.studies.page import attacks, chains, combination, marks, methods, style
from scoring.studies.paper import ATTACKED, SIGNED, PaperFigures, paper_figures
from scoring.studies.recipes import SINGLES, Recipe
from scoring.studies.sheets import sheets_of_chains
from scoring.tables.reading import read_table
from scoring.tables.schema import Schema
from scoring.tables.validation import read_submitted_records

ORIGINAL, SCHEMA = "X.csv", "S.toml"
_NAME = re.compile(r"[YJ]([1-9]|1[0-2])\.csv")
_HEADINGS = {
    "chains": "The tables, measured (Table 12)",
    "guesses": "Guessing the methods (Tables 13 and 14)",
    "attacks": "EUC1 and the older attacks (Table 15)",
}


def files_wanted(names: Mapping[str, object] | list[str]) -> list[str]:
    """The files to read: the original, the schema, and tables with their rows, in order.

    Examples
    --------
    >>> files_wanted(["X.csv", "notes.txt", "Y2.csv", "J2.csv"])
    ['X.csv', 'J2.csv', 'Y2.csv']
    """
    known = {name for name in names if name in (ORIGINAL, SCHEMA) or _NAME.fullmatch(name)}
    return sorted(known, key=lambda name: (name not in (ORIGINAL, SCHEMA), name))


def missing(names: Mapping[str, object] | list[str]) -> list[str]:
    """The files that are needed as well: the original, at least one table, and rows or table of each.

    Examples
    --------
    >>> missing(["Y2.csv"])
    ['J2.csv', 'X.csv']
    """
    pairs = {f"{letter}{name[1:]}" for name in names if _NAME.fullmatch(name) for letter in "YJ"}
    return sorted({ORIGINAL, *(pairs or {"Y1.csv", "J1.csv"})} - set(names))


def study_given(files: Mapping[str, bytes], seed: int, *, step: Callable[[str], None]) -> Study:
    """Measure the tables of a folder, and two single methods on 100 records of the original for Table 14.

    Parameters
    ----------
    files
        Those of `files_wanted`, by their names; none is `missing`.
    seed
        Seed of the sample and of what is made of it.
    step
        Called with what is being done.

    Raises
    ------
    ProblemsFound
        What is wrong with any of the files.
    """
    schema = HOUSEHOLDS_SCHEMA
    if SCHEMA in files:
        schema = Schema.from_toml(files[SCHEMA].decode("utf-8-sig"))
    step("reading the original")
    table = read_table(files[ORIGINAL], schema, file=ORIGINAL, original=True)
    ground = Ground.of(table, schema)
    paper, made, problems = paper_figures(), {}, Collector()
    for name in paper.table12:
        number = name.removeprefix("D_")
        if f"Y{number}.csv" not in files:
            continue
        step(f"measuring {name}")
        try:
            anonymized, source = read_submitted_records(
                files[f"Y{number}.csv"],
                files[f"J{number}.csv"],
                n_original=len(table),
                schema=schema,
            )
        except ProblemsFound as error:
            problems.extend(error.problems, error.n_total)
            continue
        recipe = Recipe(name, paper.table13_methods[name], (), "submitted")
        made[name] = measured(recipe, ground, anonymized, source)
    problems.raise_if_any()
    sample = Ground.of(sample_of(table, seed, size=min(100, len(table))), schema)
    step("making D_A and D_F")
    alone = make_all([r for r in SINGLES if r.name in ("D_A", "D_F")], sample, seed)
    return Study(
        seed=seed,
        n_records=len(table),
        sample=sample.baseline,
        sample_facts={},
        singles=alone,
        table=ground.baseline,
        table_facts={},
        chains=made,
        trials=(),
        cost=(),
    )


def given_files(study: Study) -> dict[str, bytes]:
    """The study's files by their paths in the folder."""
    paper = paper_figures()
    return {
        "index.html": _page(study, paper).encode(),
        **{f"tables/{name}": data for name, data in sheets_of_chains(study, paper).items()},
    }


def given_summary(study: Study) -> dict[str, Any]:
    """The output of the command."""
    paper = paper_figures()
    return {
        "seed": study.seed,
        "n_records": study.n_records,
        "printed": {
            name: str(agrees_with_print(made, paper)) for name, made in study.chains.items()
        },
        "methods": {
            name: {
                "read_off": letters(made.guess),
                "paper_guess": letters(paper.table13_methods[name]),
                "read_off_the_paper_figures": letters(paper_reading(paper, study, name)),
            }
            for name, made in study.chains.items()
        },
    }


def agrees_with_print(made: Measured, paper: PaperFigures) -> Agreement:
    """The number of values of a table that equal those printed in the paper.

    Table 15 has rates with four decimals, Table 12 everything else with two; E1 is a random draw there, and EUC1
    answers with the record's own number.
    """
    name = made.recipe.name
    values = {**made.values, "EUC1": made.own_row}
    printed, same = paper_values(paper, name), 0
    for m in SIGNED:
        half = 0.00005 if m in ATTACKED else 0.005
        same += bool(np.isclose(float(values[m] or 0), printed[m], rtol=0, atol=half + 1e-9))
    return Agreement(same, len(SIGNED))


def _page(study: Study, paper: PaperFigures) -> str:
    rows = [
        markup.row(
            name,
            [
                markup.cell(str(paper.table6[name]), "text"),
                markup.cell(str(agrees_with_print(made, paper)), "text"),
            ],
        )
        for name, made in study.chains.items()
    ]
    caption = f"{len(study.chains)} tables of {study.n_records:,} records"
    summary = markup.table(caption, ("", "team", "values as printed"), rows, "texts")
    key = (
        '<p class="key">In every table the <b>large</b> figure is measured on the files, the small one below it '
        "the paper's. Values as printed: U1 to U6, S1 and S2 to two decimals, rates to four. E1 is an expectation "
        "here and a random draw in the paper.</p>\n"
    )
    text = "Below each name the methods that Table 13 guesses"
    contents = {
        "chains": summary + chains(study, paper, text),
        "guesses": marks(study, paper)
        + methods(study, paper)
        + (combination(study, paper) if "D_10" in study.chains else ""),
        "attacks": attacks(study, paper),
    }
    links = "".join(f'<a href="#{id_}">{escape(name)}</a>' for id_, name in _HEADINGS.items())
    body = "".join(
        [
            "<header>\n<h1>The tables of PWSCup 2015, measured</h1>\n",
            f'<nav aria-label="Contents">{links}</nav>\n{key}</header>\n',
            *(
                f'<section id="{id_}">\n<h2>{escape(_HEADINGS[id_])}</h2>\n{content}</section>\n'
                for id_, content in contents.items()
            ),
        ]
    )
    return document("The tables of PWSCup 2015, measured", BASE + style(), body)
