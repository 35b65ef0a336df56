# SPDX-License-Identifier: Apache-2.0
"""The data of a result: the table next to its original, as the audit of the submission has compared them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.http import Http404
from django.utils.translation import gettext as _

from pwscup.audits import pages
from scoring.audits.single import SingleColumn

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from django.http import HttpRequest

    from pwscup.submissions.models import Submission

CSV_HEADER = ("column", "value", "original", "submission")
MOST_PAIRS = 15
"""The largest changes of correlations that a page shows."""


@dataclass(frozen=True, slots=True)
class Bin:
    """A range or value of a column: its shares of the records, 0 to 1, and the lengths of both bars in per cent."""

    label: str
    before: float
    after: float
    before_width: float
    after_width: float


@dataclass(frozen=True, slots=True)
class Column:
    """The histograms of one column; `moved` is the share of the records in other bins, 0 to 1."""

    name: str
    bins: tuple[Bin, ...]
    moved: float


def page_of(request: HttpRequest, submission: Submission) -> dict[str, Any]:
    """The context of the page; Http404 in formats whose tables declare no rows."""
    if not submission.round.contest.format.declares_rows:
        raise Http404
    page = pages.audit_page(request, submission)
    page |= {"tab_of_result": "data", "may_audit": True}
    values = page["audit"].values if page.get("audit") else {}
    found = values.get("compared")
    if not found:
        return page
    return page | {
        "compared": True,
        "columns": [_column(one) for one in found["histograms"]],
        "pairs": found["pairs"][:MOST_PAIRS],
        "n_pairs": len(found["pairs"]),
        "single": sorted(
            (SingleColumn(**one) for one in values["columns"]), key=lambda one: -one.n_found
        ),
    }


def csv_rows(page: Mapping[str, Any]) -> Iterator[list[object]]:
    """The bins of all columns, with their shares of the records, 0 to 1."""
    for column in page["columns"]:
        for one in column.bins:
            yield [column.name, one.label, round(one.before, 6), round(one.after, 6)]


def _column(found: Mapping[str, Any]) -> Column:
    shares = list(zip(found["labels"], found["before"], found["after"], strict=True))
    widest = max((max(before, after) for _label, before, after in shares), default=0) or 1
    return Column(
        found["column"],
        tuple(
            Bin(
                label or _("other values"),
                before,
                after,
                round(100 * before / widest, 1),
                round(100 * after / widest, 1),
            )
            for label, before, after in shares
        ),
        sum(abs(after - before) for _label, before, after in shares) / 2,
    )
