# SPDX-License-Identifier: Apache-2.0
"""The methods that teams may try on a table of records, and the first attacks on one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.formats.common.audits import attack_title
from pwscup.formats.trying import Method, Slider

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.formats.trying import Attempt, Tried

MONDRIAN = Method(
    "mondrian",
    _("Groups of k"),
    _("Records that resemble each other form groups and get the same values."),
    (Slider("k", _("k: records in a group, at least"), 2, 20, 1, 3),),
)
MDAV = Method(
    "mdav",
    _("Microaggregation"),
    _("Numbers are replaced by the mean of the k records that are closest."),
    (Slider("k", _("k: records in a group, at least"), 2, 20, 1, 3),),
)
NOISE = Method(
    "noise",
    _("Noise"),
    _("A random amount is added to every number."),
    (
        Slider(
            "scale",
            _("Noise, as a share of the standard deviation"),
            0.05,
            2,
            0.05,
            0.2,
            _("scale"),
        ),
    ),
)
RANK_SWAP = Method(
    "rank-swap",
    _("Rank swapping"),
    _("Numbers are swapped between records whose values are close in rank."),
    (Slider("p", _("Largest distance in rank, in percent"), 1, 50, 1, 5),),
)
CODING = Method(
    "coding",
    _("Top and bottom coding"),
    _("The largest and the smallest numbers are replaced by a limit."),
    (Slider("share", _("Replaced at either end, in percent"), 1, 25, 1, 5, "p"),),
)
LEVELS = Method(
    "levels",
    _("Generalization"),
    _("Values that are close become one value of their group: the higher the level, the larger."),
    (
        Slider(
            "quasi_identifiers",
            _("Level of the quasi-identifiers"),
            0,
            5,
            1,
            2,
            _("quasi-identifiers"),
        ),
        Slider(
            "sensitive", _("Level of the sensitive columns"), 0, 5, 1, 2, _("sensitive columns")
        ),
    ),
)
RESPONSE = Method(
    "response",
    _("Randomized response"),
    _("Each category is kept with some probability, and otherwise replaced by another one."),
    (Slider("epsilon", _("ε of each value: the smaller, the more changes"), 0.5, 8, 0.5, 3, "ε"),),
)

EUCLIDEAN = Method(
    "nearest",
    _("Nearest record"),
    _("For each published record the known record with the smallest distance over all numbers."),
)
GOWER = Method(
    "gower",
    _("Most similar record"),
    _("Numbers and categories are compared together, each column with the same weight."),
)
ONE_EACH = Method(
    "one-each",
    _("One record each"),
    _("The closest pair is linked first, and no known record is guessed twice."),
)


class TableTrials:
    """Methods on the table that all teams have."""

    chains = True

    def methods(self, _round: Round) -> tuple[Method, ...]:
        return (MONDRIAN, LEVELS, MDAV, NOISE, RANK_SWAP, CODING, RESPONSE)

    def attacker(self, id_: str) -> str:
        return attack_title(id_)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.common import trials  # imports pandas, which pages do not load

        return trials.of_table(attempt)


class RowTrials:
    """First guesses of rows with an attacker of the library."""

    chains = False

    def methods(self, _round: Round) -> tuple[Method, ...]:
        return (EUCLIDEAN, GOWER, ONE_EACH)

    def attacker(self, id_: str) -> str:
        return attack_title(id_)

    def run(self, attempt: Attempt) -> Tried:
        from pwscup.formats.common import trials

        return trials.of_rows(attempt)


TABLES, ROWS = TableTrials(), RowTrials()
