# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest with synthetic tables, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from pwscup.contests.rules.texts import CELL_VALUES
from pwscup.formats.per_team.rules import CANDIDATES, CANDIDATES_WITHOUT_DECOYS, of_draw, shown
from scoring.rulesets.kinds import DRAWN, NO_CANDIDATES
from scoring.tables.record_bounds import record_bounds

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

HEADLINE: tuple[str, ...] | None = None
ATTACK_BOARD = _(
    "mean success rate over the tables of all other teams; the highest wins. A table without a valid guess counts 0, "
    "the team's own table does not count."
)
WHOLE_TABLE = _(
    "When tables are attacked, everybody gets the organizer's whole table: it has the records of all teams."
)
NOTHING_ELSE = _("Nothing but the synthetic tables is published.")
SIZE = _("A synthetic table has from %(least)s to %(most)s records, for a cohort of %(n)s.")
SAME_SIZE = _("A synthetic table has as many records as the cohort: %(n)s.")
ORDER = _(
    "The order of the records has no effect: they are sorted by the columns in their order, the first one first, "
    "before anything is computed or drawn."
)
OUTSIDE = _(
    "A value outside of its column's domain is refused with its row and column; nothing is changed."
)


def data(ruleset: Ruleset) -> tuple[str, ...]:
    """The draw of each team, and what is published next to the tables."""
    return (*of_draw(ruleset), str(_candidates(ruleset)))


def _candidates(ruleset: Ruleset) -> str:
    spec = ruleset.data
    if spec.candidates == NO_CANDIDATES:
        return str(NOTHING_ELSE)
    if spec.candidates != DRAWN:
        return str(WHOLE_TABLE)
    text = CANDIDATES if spec.decoys else CANDIDATES_WITHOUT_DECOYS
    return str(text) % {"sample": shown(spec.n_own), "decoys": shown(spec.decoys)}


def contents(ruleset: Ruleset, deletions: tuple[str, ...]) -> tuple[str, ...]:
    """The allowed values of cells, and the allowed number of records."""
    limits, n = ruleset.limits, ruleset.data.n_own
    least, most = record_bounds(n, limits.min_records_factor, limits.max_records_factor)
    numbers = {
        "least": number_format(least, force_grouping=True),
        "most": number_format(most, force_grouping=True),
        "n": number_format(n, force_grouping=True),
    }
    values, size = CELL_VALUES[ruleset.validity.values], SAME_SIZE if least == most == n else SIZE
    return (str(values), str(OUTSIDE), str(size) % numbers, str(ORDER), *deletions)
