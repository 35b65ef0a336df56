# SPDX-License-Identifier: Apache-2.0
"""The whole study of the 2015 paper as files: tables, figures, one page."""

from __future__ import annotations

from typing import Any

from scoring.studies.comparison import combined, letters, paper_reading
from scoring.studies.experiment import Study
from scoring.studies.figures import figures
from scoring.studies.page import page
from scoring.studies.paper import PaperFigures, paper_figures
from scoring.studies.sheets import sheets
from scoring.studies.texts import sign_agreements


def study_files(study: Study) -> dict[str, bytes]:
    """A study's files by their paths in the folder."""
    paper = paper_figures()
    pictures = figures(study, paper)
    return {
        "index.html": page(study, paper, pictures).encode(),
        "README.md": _readme(study).encode(),
        **{f"tables/{name}": data for name, data in sheets(study, paper).items()},
        **{f"figures/{name}": data for name, data in pictures.items()},
    }


def summary(study: Study) -> dict[str, Any]:
    """The output of the command: the agreement of study and paper. No seconds, so that it repeats."""
    paper = paper_figures()
    expected, printed, both = sign_agreements(study, paper)
    exact = combined(study)
    return {
        "seed": study.seed,
        "n_records": study.n_records,
        "table10": {
            "marks": expected.total,
            "study_as_expected": expected.same,
            "table11_as_expected": printed.same,
            "study_as_table11": both.same,
        },
        "table14": {"marks": exact.total, "combined": exact.same},
        "readings": {
            kind: {
                "tables": sum(trial.kind == kind for trial in study.trials),
                "right": sum(t.kind == kind and t.made == t.guess for t in study.trials),
            }
            for kind in ("single", "pair", "chain")
        },
        "methods": {name: _methods(study, paper, name) for name in study.chains},
    }


def _methods(study: Study, paper: PaperFigures, name: str) -> dict[str, str]:
    chain = study.chains[name]
    return {
        "made_by": letters(chain.recipe.methods),
        "read_off": letters(chain.guess),
        "paper_guess": letters(paper.table13_methods[name]),
        "read_off_the_paper_figures": letters(paper_reading(paper, study, name)),
    }


def _readme(study: Study) -> str:
    quick = "" if study.n_records == 8333 else " --quick"
    return (
        "# The 2015 paper again\n\n"
        "Ito & Kikuchi's tables and figures on PWSCup 2015, reproduced on generated pseudo households.\n\n"
        "- `index.html`: everything on one page, next to the paper's figures, with every difference "
        "explained\n"
        "- `tables/`: the numbers as CSV\n"
        "- `figures/`: the pictures as PNG\n\n"
        f"Made by `python -m scoring study pwscup2015 --seed {study.seed}{quick}`. With one seed everything "
        "but the seconds repeats.\n"
    )
