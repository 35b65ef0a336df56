# SPDX-License-Identifier: Apache-2.0
"""The problems or notes of a submission in the reader's language, with the team's file names."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pwscup.core.texts.problems import Shown, shown
from scoring.errors import Problem

if TYPE_CHECKING:
    from pwscup.submissions.models import Submission

WITHIN = re.compile(r"[TRCND][0-9]+\Z")
"""The library's names of the files in the archives of a series: R1, C1 …"""


def problems_of(
    submission: Submission, found: Iterable[Mapping[str, Any]], titles: Mapping[str, str]
) -> list[Shown]:
    """Stored problems or notes in file order; `titles` name the files that were not submitted."""
    named = {file.key: file.file.name for file in submission.files.all()}
    listed = shown(map(Problem.from_dict, found), {**titles, **named})
    if not submission.round.format.is_archive:
        return listed
    return [dataclasses.replace(one, file=WITHIN.sub(r"\g<0>.csv", one.file)) for one in listed]
