# SPDX-License-Identifier: Apache-2.0
"""The formats of contests: each is a package here with everything that the platform knows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.formats.kinds import FILES, ROUNDS, kinds_where, load_evaluations
from pwscup.formats.rounds import RoundFormat
from pwscup.formats.spec import Format
from scoring.rulesets.kinds import COHORT, COMMON, HIDDEN, PER_TEAM, SERIES

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

__all__ = [
    "FILES",
    "FORMATS",
    "ROUNDS",
    "Format",
    "RoundFormat",
    "format_of",
    "kinds_where",
    "load_evaluations",
]

FORMATS = {
    format.name: format
    for format in (
        Format(COMMON, gives_table=True, has_public_part=True),
        Format(
            PER_TEAM,
            like=(COMMON,),
            own_tables=True,
            has_public_part=True,
            has_notebook=True,
            offers_trials=True,
        ),
        Format(HIDDEN, like=(COMMON,), hides_table=True, has_cross_columns=False),
        Format(
            SERIES,
            own_tables=True,
            shares_out_people=True,
            has_sample=False,
            rewrites_files=True,
            declares_rows=False,
            has_cross_columns=False,
            suffix="zip",
        ),
        Format(
            COHORT,
            like=(PER_TEAM, COMMON),
            own_tables=True,
            declares_rows=False,
            has_public_part=True,
            offers_trials=True,
        ),
    )
}


def format_of(ruleset: Ruleset) -> Format:
    """The format of the contests with these rules."""
    return FORMATS[ruleset.tables]
