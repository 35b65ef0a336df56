# SPDX-License-Identifier: Apache-2.0
"""The rules of a contest with own tables of teams, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

from pwscup.core.texts.parts import joined, listed
from scoring.rulesets.base import ONCE

if TYPE_CHECKING:
    from scoring.rulesets import RoundSpec, Ruleset

DATA = _(
    "Every team has its own original table: %(sample)s records that the platform draws from one "
    "larger table."
)
CANDIDATES = _(
    "For every team there is a table of candidates: the %(sample)s records of its original and %(decoys)s "
    "decoys, further records of the same larger table, in shuffled order."
)
CANDIDATES_WITHOUT_DECOYS = _(
    "For every team there is a table of candidates: the %(sample)s records of its original in shuffled order."
)


ORIGINALS = _(
    "Every team gets %(n)s such originals, drawn one by one, and says for each table that it submits which of them the "
    "table was made from. A table is scored, published and attacked by that original."
)
ONE_OF_THEM = _(
    "Every team chooses by its number one of %(n)s such originals, drawn one by one, and gets no other: "
    "the choice holds for all rounds."
)
SHARED = _("All teams have the same %(n)s of these records; the others were drawn for each team.")
RARE = _("%(n)s of the shared records are rare: their value in %(column)s is %(value)s.")
STRATA = _(
    "The combinations of %(columns)s have the same shares in every drawn part as in the whole table, but for rounding."
)


TOGETHER = _(
    "A submission has %(n)s tables that belong together, with the same records on the same lines: a record that is "
    "deleted in one is deleted in all. All of them are published, their lines in the same secret order."
)
COMBINED = {
    "worst": _("Each table is measured by itself, and the worst value of each measure counts."),
    "mean": _("Each table is measured by itself, and the mean of each measure's values counts."),
}


def round_sentence(ruleset: Ruleset, spec: RoundSpec) -> str:
    """The tables of a submission, if there are several."""
    if not ruleset.data.parts or spec.phase != "anonymization":
        return ""
    n = len(ruleset.data.parts)
    return joined(str(TOGETHER) % {"n": n}, str(COMBINED[ruleset.data.combine]))


def of_draw(ruleset: Ruleset) -> tuple[str, ...]:
    """The draw of each team."""
    spec = ruleset.data
    said = [str(DATA) % {"sample": shown(spec.n_own)}]
    if spec.originals > 1:
        text = ONE_OF_THEM if spec.choose == ONCE else ORIGINALS
        said.append(str(text) % {"n": shown(spec.originals)})
    if spec.shared:
        said.append(str(SHARED) % {"n": shown(spec.shared)})
    if spec.rare is not None:
        rare = {"column": spec.rare.column, "value": spec.rare.value}
        said.append(str(RARE) % {"n": shown(spec.rare.records), **rare})
    if spec.strata:
        said.append(str(STRATA) % {"columns": listed(spec.strata)})
    return tuple(said)


def data(ruleset: Ruleset) -> tuple[str, ...]:
    """The draw of each team, and the candidates of attackers."""
    numbers = {"sample": shown(ruleset.data.n_own), "decoys": shown(ruleset.data.decoys)}
    said = [*of_draw(ruleset)]
    if any(spec.gives for spec in ruleset.rounds):
        words = CANDIDATES if ruleset.data.decoys else CANDIDATES_WITHOUT_DECOYS
        said.append(str(words) % numbers)
    return tuple(said)


def shown(n: int | None) -> str:
    """A number of records, in groups of digits."""
    return number_format(n or 0, force_grouping=True)
