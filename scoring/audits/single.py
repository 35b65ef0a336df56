# SPDX-License-Identifier: Apache-2.0
"""What one column finds by itself, and the sentence about it: see `scoring.audits.columns` for the search."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scoring.errors import gettext_noop as _

NEARLY_ALL = 0.9
"""A column that by itself finds this share of the records is named in a sentence."""
SINGLE = _("%(column)s by itself finds %(rate)s of the records.")
SINGLE_UNCHANGED = _("%(column)s was not changed: by itself it finds %(rate)s of the records.")
FURTHER = _("Columns that do the same by themselves, at %(rate)s or more: %(n)s further ones.")
MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class SingleColumn:
    """The result of one column by itself.

    Attributes
    ----------
    column : str
    n_found, n_records : int
        The records that the column finds, and all anonymized records.
    is_unchanged : bool
        Every anonymized record has the value of its own original.
    """

    column: str
    n_found: int
    n_records: int
    is_unchanged: bool

    @property
    def rate(self) -> float:
        """The share of the records that are found, from 0 to 1."""
        return self.n_found / self.n_records


def sentences(
    found: Iterable[SingleColumn],
    percent: Callable[[float], str],
    translate: Callable[[str], str] = str,
) -> list[str]:
    """A sentence for each of the strongest columns that by themselves find nearly every record, and their number."""
    strong = sorted((one for one in found if one.rate >= NEARLY_ALL), key=lambda one: -one.n_found)
    said = [
        translate(SINGLE_UNCHANGED if one.is_unchanged else SINGLE)
        % {"column": one.column, "rate": percent(one.rate)}
        for one in strong[:MOST_SENTENCES]
    ]
    if n_further := len(strong) - len(said):
        said.append(translate(FURTHER) % {"rate": percent(NEARLY_ALL), "n": n_further})
    return said
