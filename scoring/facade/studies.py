# SPDX-License-Identifier: Apache-2.0
"""A published experiment, reproduced."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from scoring.catalogs import UnknownNameError
from scoring.facade.progress import steps
from scoring.facade.results import Result
from scoring.studies.experiment import FULL, QUICK, Study, run_study
from scoring.studies.folder import fill, new_folder
from scoring.studies.paper import SHORT_NAMES
from scoring.studies.pwscup2015 import study_files, summary

STUDIES = ("pwscup2015",)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StudyResult(Result):
    """A study next to the figures of its paper.

    Attributes
    ----------
    found : Study
        The tables and measures one by one.
    """

    found: Study

    @property
    def title(self) -> str:
        """The agreement of study and paper."""
        signs = summary(self.found)["table10"]
        agreeing = f"{signs['study_as_expected']} of {signs['marks']} signs as the paper expects"
        return f"{self.found.n_records:,} records; {agreeing}; seed {self.found.seed}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each table: the methods that made it, and those that its measures and the paper's disclose."""
        named = pd.DataFrame(summary(self.found)["methods"]).T.rename_axis("table")
        named.attrs = {"methods": dict(SHORT_NAMES)}
        return named

    def save(self, folder: str | Path) -> None:
        """Write tables, figures and a page that compares them into a folder that is new or empty.

        Raises
        ------
        FolderError
            Where the folder is not empty or cannot be written.
        """
        with new_folder(str(folder)) as target:
            fill(target, study_files(self.found))


def study(
    name: str = "pwscup2015", *, seed: int = 1, quick: bool = False, progress: bool = True
) -> StudyResult:
    """Reproduce a published experiment and compare it with its figures.

    Parameters
    ----------
    name : {"pwscup2015"}
        The evaluation of the anonymized tables of PWSCup 2015.
    seed : int
        Of the synthetic table, the samples and all methods.
    quick : bool
        Smaller tables, in a few seconds.
    progress : bool
        Show a progress bar after two seconds.

    Returns
    -------
    StudyResult

    Raises
    ------
    UnknownNameError
        Where there is no such study.
    """
    if name not in STUDIES:
        raise UnknownNameError("study", name, STUDIES)
    scale = QUICK if quick else FULL
    with steps(None, progress=progress) as step:
        return StudyResult(run_study(seed, scale, clock=time.perf_counter, step=step))
