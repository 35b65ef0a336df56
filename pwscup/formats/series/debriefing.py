# SPDX-License-Identifier: Apache-2.0
"""The debriefing of a series of releases: whose values were guessed, and the width of the regions in each column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from pwscup.formats.common.debriefing import FIRST_RECORDS, times

if TYPE_CHECKING:
    from collections.abc import Collection


@dataclass(frozen=True, slots=True)
class Individual:
    """An individual whose value was guessed; the baseline guesses it, too."""

    id: str
    times: int
    by_baseline: bool


@dataclass(frozen=True, slots=True)
class Width:
    """A column: the mean width of its regions, as a share of its range."""

    name: str
    loss: float

    @property
    def width(self) -> float:
        """Of the bar, in per cent."""
        return round(100 * self.loss, 1)


def shown(values: dict[str, Any], _hidden: Collection[str] = ()) -> dict[str, Any]:
    """The context of the part `debriefing`."""
    n_found = sum(values["times"][1:])
    records = [Individual(**record) for record in values["records"]]
    return {
        "sentence": _sentence(n_found, values["n_records"], values["n_attackers"]),
        "times": times(values["times"]),
        "columns": [Width(**column) for column in values["columns"]],
        "records": records[:FIRST_RECORDS],
        "more_records": records[FIRST_RECORDS:],
        "n_unlisted": n_found - len(records),
    }


def _sentence(n_found: int, n_records: int, n_attackers: int) -> str:
    if not n_attackers:
        return _("Nobody attacked this series.")
    text = ngettext(
        "The one attacker guessed the values of %(found)s of %(records)s individuals.",
        "%(attackers)s attackers guessed the values of %(found)s of %(records)s individuals between them.",
        n_attackers,
    )
    return text % {"found": f"{n_found:,}", "records": f"{n_records:,}", "attackers": n_attackers}
