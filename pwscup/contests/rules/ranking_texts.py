# SPDX-License-Identifier: Apache-2.0
"""The texts of rankings: the scores used by formulas, the formulas, and the tie-breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text


@dataclass(frozen=True, slots=True)
class Part:
    """A score from 0 to 100 that a ranking formula uses."""

    title: Text
    words: Text


SCORES = {
    "utility": Part(_("Utility"), _("%(formula)s: 100 without loss, 0 if everything is lost")),
    "protection": Part(
        _("Protection"),
        _(
            "100 less the worst re-identification rate, in per cent, that another team reached against the "
            "table; 100 where nobody attacked it"
        ),
    ),
    "attack": Part(
        _("Attack"),
        _(
            "mean re-identification rate, in per cent, over the tables of all other teams; a table without a "
            "valid guess counts 0"
        ),
    ),
    "presentation": Part(
        _("Presentation"),
        _("mean of the judges' grades over all criteria, from 0 to 100"),
    ),
}
AVERAGES = {
    "median": _(
        "The median of these rates counts in place of their mean: fewer than half of the tables, such as "
        "those of teams that an attacker has prepared, do not decide it."
    ),
    "trimmed": _(
        "The lowest and the highest quarter of these rates are left out of the mean: a few tables, such as "
        "those of teams that an attacker has prepared, do not decide it."
    ),
}
"""An additional sentence if attackers are not ranked by the mean."""
CLAIMS = _(
    "The rates of these attacks depend on the declared rows: a team that keeps the values of its records and "
    "exchanges the declared rows among similar records is not re-identified by them, although its records are those of "
    "the original."
)
SACRIFICES = _(
    "The mean counts every table alike: teams that publish the original as it is raise the mean of an attacker "
    "who knows of them."
)
"""Weaknesses of rankings by declared rows and by means, shown on the rules page."""
FORMULAS = {
    "weighted-sum": _(
        "%(terms)s, divided by the sum of these weights; a score that no team has weighs nothing; the "
        "highest wins"
    ),
    "harmonic": _(
        "harmonic mean of utility and protection, 2 / (1 / utility + 1 / protection), and 0 where either is "
        "0; the highest wins"
    ),
    "minimum": _("the smaller one of utility and protection; the highest wins"),
    "sum": _("utility + protection; the highest wins"),
    "penalised-sum": _(
        "utility + protection, less twice what either of them lacks to 50, and never below 0; the highest "
        "wins"
    ),
    "top-k-attack": _(
        "mean re-identification rate, in per cent, over the %(k)s best protected tables, and more where "
        "several are equal on the last place; a team whose own table is among them gets the worst rate "
        "against it in its place; the highest wins"
    ),
    "binomial-threshold": _(
        "mean of two shares, in per cent: of the other teams' tables, those that the team attacked with "
        "success; and of the other teams, those that had no success against its own table. An attack "
        "succeeds from a rate of %(rate)s %% on, %(hits)s of %(n)s records: random guesses, each right with "
        "a chance of %(p)s, reach that with a chance below %(alpha)s. The highest wins."
    ),
    "surviving-loss": _(
        "%(measure)s of the tables that no attack hit; a table that was hit, or is missing, has the value %(lost)s. "
        "An attack hits from %(hits)s of %(n)s records on: for random guesses, each right with a chance of %(p)s, "
        "that has a chance below %(alpha)s. The lowest wins."
    ),
}
"""The formulas of scores; sums of ranks are described board by board."""
GUESSED_SCORES = SCORES | {
    "protection": Part(
        _("Protection"),
        _(
            "100 less the worst success rate, in per cent, that another team reached against the table; 100 where "
            "nobody attacked it"
        ),
    ),
    "attack": Part(
        _("Attack"),
        _(
            "mean success rate, in per cent, over the tables of all other teams; a table without a valid guess "
            "counts 0"
        ),
    ),
}
GUESSED_FORMULAS = FORMULAS | {
    "top-k-attack": _(
        "mean success rate, in per cent, over the %(k)s best protected tables, and more where several are equal "
        "on the last place; a team whose own table is among them gets the worst rate against it in its place; "
        "the highest wins"
    ),
}
"""Scores and formulas where attackers guess membership or values."""
TOP_K = _(
    "%(combine)s of the rates, in per cent, against the %(k)s tables that are best by %(of)s, and more where several "
    "are equal on the last place; %(own)s; the highest wins"
)
"""The formula "top-k-attack" with other settings than its defaults, which are among these."""
CHOICES = {
    "combine": {"mean": _("mean"), "sum": _("sum")},
    "of": {"protection": _("protection"), "total": _("total")},
    "own": {
        "worst": _(
            "a team whose own table is among them gets the worst rate against it in its place"
        ),
        "left_out": _("a team whose own table is among them has the other ones only"),
        "zero": _("a team whose own table is among them gets 0 in its place"),
        "next": _(
            "for a team whose own table is among them the next best table counts in its place"
        ),
    },
}
UNION = _(
    "The chance is bounded from above by the sum, over k from this number of records on, of the number of choices of k "
    "records times the chance to the power of k."
)
"""The threshold of a formula whose bound is "union"."""
TIE_BREAKS = {
    "utility": _("the higher utility"),
    "protection": _("the higher protection"),
    "attack": _("the higher attack"),
    "presentation": _("the higher presentation"),
    "earlier": _("the earlier of the submissions that count"),
    "lowest-rates": _(
        "the higher of the lowest rates of its attacks, then of the second lowest, and so on"
    ),
}
LAST_STAGE = _("the better rank in the last stage")
ON_BOARD = _("rank on “%(board)s”")
TOTAL_ON = _("total on “%(board)s”")
TIES = _("Equal totals are decided by %(order)s.")
WINS = {"lower": _("%(terms)s; the lowest wins"), "higher": _("%(terms)s; the highest wins")}
"""A formula over other boards, by the direction of its totals."""
SEASONS = {
    "totals": _("Season: mean of the stages' totals, weighted %(weights)s."),
    "ranks": _("Season: mean of the ranks in the stages, weighted %(weights)s; the lowest wins."),
    "boards": _("Season: the same of the seasons of these boards, weighted %(weights)s each."),
}
BASELINES = {
    "built-in": _("The built-in attacks count for the worst rate, too; they have no rank."),
    "house": _(
        "The baseline teams of the platform count for the worst rate, too; they have no rank."
    ),
}
LOST = _(
    "The table of a disqualified team counts as if all its records were found; its attacks count."
)
REPEATS = _(
    "Protection is less by L − 1, but not below 0, where L is the largest number of attackers who found one and the "
    "same record of the table."
)
SHARED_RANKS = _(
    "Once the attacks are shown, teams that the data do not separate (by intervals over the records of the tables) "
    "share a rank, that of the best of them, whatever their totals and tie-breaks. Ranks that other boards and the "
    "season add are those of the totals."
)

SAFETY = {
    (True, True): _(
        "mean of the ranks on %(ids)s and on the worst rate: over %(attacks)s and, once the attack round "
        "has closed, over the guesses of every other team"
    ),
    (True, False): _(
        "mean of the ranks on %(ids)s and, once the attack round has closed, on the worst rate that another "
        "team's guesses reached"
    ),
    (False, True): _("mean of the ranks on %(ids)s and on the worst rate over %(attacks)s"),
    (False, False): _("mean of the ranks on %(ids)s"),
}
"""By two facts: there is an attack round, and the ruleset names rates."""
