"""The rules of a contest with own tables of teams, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    from scoring.rulesets import Ruleset

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


def data(ruleset: Ruleset) -> tuple[str, ...]:
    """The draw of each team, and the candidates of attackers."""
    numbers = {"sample": shown(ruleset.data.sample), "decoys": shown(ruleset.data.decoys)}
    said = [str(DATA) % numbers]
    if any(spec.gives for spec in ruleset.rounds):
        words = CANDIDATES if ruleset.data.decoys else CANDIDATES_WITHOUT_DECOYS
        said.append(str(words) % numbers)
    return tuple(said)


def shown(n: int | None) -> str:
    """A number of records, in groups of digits."""
    return number_format(n or 0, force_grouping=True)
