# SPDX-License-Identifier: Apache-2.0
"""The generalized regions of consecutive releases in the report of an audit."""

from __future__ import annotations

from html import escape

from scoring.audits.series import SeriesAudit
from scoring.errors import gettext_noop as _
from scoring.formats.sequential import pictures
from scoring.reporting.document import Translate, figure, section

MOST_PAIRS = 8
"""The number of pairs of releases whose regions are drawn: the last ones."""


def boxes(audit: SeriesAudit, t: Translate, *, columns: tuple[int, int] | None = None) -> str:
    """A picture for every two consecutive releases with few enough groups; nothing where there is one release.

    Parameters
    ----------
    audit : SeriesAudit
    t : callable
        From English to the reader's language.
    columns : (int, int), optional
        Positions of the quasi-identifiers on both axes; the first two by default.
    """
    last = audit.n_releases
    pairs = range(max(1, last - MOST_PAIRS), last)
    if columns is None:
        columns = (0, min(1, len(audit.original.attributes) - 1))
    drawn, crowded = [], []
    for n in pairs:
        if pictures.may_be_drawn(*audit.series.releases[n - 1 : n + 1]):
            drawn.append(_pair(audit, n, columns, t))
        else:
            crowded.append(f"R{n}–R{n + 1}")
    notes = []
    if crowded:
        text = t(_("Not drawn, with more than %(most)s groups in a release: %(pairs)s."))
        notes.append(text % {"most": pictures.MOST_DRAWN, "pairs": ", ".join(crowded)})
    if pairs.start > 1:
        notes.append(t(_("The last %(n)s pairs are drawn.")) % {"n": MOST_PAIRS})
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return section(t(_("Generalized regions of consecutive releases")), "".join(drawn) + below)


def _pair(audit: SeriesAudit, n: int, columns: tuple[int, int], t: Translate) -> str:
    one, two = audit.series.releases[n - 1], audit.series.releases[n]
    between = len(pictures.overlapping(one, two))
    within = len(pictures.overlapping(two, two)) // 2  # each is found from both sides
    names = (f"R{n}", f"R{n + 1}")
    x, y = (audit.original.attributes[column].name for column in columns)
    text = t(
        _(
            "%(one)s with solid and %(two)s with broken lines, by %(x)s and %(y)s. Red is where two groups overlap "
            "that share a value but not all: %(between)s pairs of both releases, %(within)s of %(two)s."
        )
    )
    said = text % {
        "one": names[0],
        "two": names[1],
        "x": x,
        "y": y,
        "between": f"{between:,}",
        "within": f"{within:,}",
    }
    drawn = pictures.boxes(
        audit.original.attributes,
        one,
        two,
        columns=columns,
        names=names,
        name=f"boxes-{n}",
        alt=said,
        translate=t,
    )
    return figure(drawn, said, t)
