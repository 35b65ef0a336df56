# SPDX-License-Identifier: Apache-2.0
"""An audit of a series as one self-contained page: to read, to print, to send to the owner of the data."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from scoring.audits import series_risks
from scoring.audits.numbers import number, percent
from scoring.audits.series import SeriesAudit
from scoring.audits.series_regions import boxes
from scoring.audits.series_summary import summary
from scoring.audits.series_texts import (
    ATTACKERS,
    DEFINITIONS,
    Values,
    remarks,
    verdict,
)
from scoring.errors import gettext_noop as _
from scoring.reporting.document import Translate, document, section, table
from scoring.reporting.style import STYLE

_STYLE = f"""{STYLE}.nowrap {{ white-space: nowrap; }}
.small {{ color: var(--muted); font-size: .85rem; font-weight: 400; }}
.series td, .series th {{ padding-right: 1rem; }}
.series td:first-child {{ min-width: 8rem; }}
.people td:nth-child(3) {{ min-width: 9.5rem; }}
@media (max-width: 34rem) {{ table {{ font-size: .85rem; }} .series td, .series th {{ padding-right: .7rem; }} }}
"""


def report(
    audit: SeriesAudit,
    facts: Mapping[str, str],
    *,
    language: str = "en",
    translate: Translate = str,
    columns: tuple[int, int] | None = None,
) -> str:
    """The page.

    Parameters
    ----------
    audit : SeriesAudit
    facts : mapping of str to str
        Its provenance (files, digests, versions): shown unchanged at the end.
    language : str
        The language of what `translate` returns, as an HTML page names it.
    translate : callable
        From the English texts of this module and its neighbours to the reader's language.
    columns : (int, int), optional
        The quasi-identifiers on the axes of the pictures; the first two by default.
    """
    t, values = translate, summary(audit)
    title = t(_("Audit of a series of releases"))
    names = (escape(k) for k in facts)
    parts = [
        f"<header><h1>{escape(title)}</h1>{_counts(values, t)}</header>",
        _verdict(values, t),
        series_risks.definitions_compared(values, t),
        series_risks.histograms(audit, t),
        series_risks.over_time(audit, values, t),
        series_risks.people(values, t),
        boxes(audit, t, columns=columns),
        _losses(values, t),
        _attackers(values, t),
        _definitions(t),
        table(
            t(_("Where this comes from")), [], zip(names, map(escape, facts.values()), strict=True)
        ),
    ]
    body = "\n".join(part for part in parts if part)
    return document(title, _STYLE, f"<main>\n{body}\n</main>\n", language=language)


def _counts(values: Values, t: Translate) -> str:
    text = t(_("%(releases)s releases of %(people)s people, who have %(records)s records in all."))
    counts = {name: f"{values[f'n_{name}']:,}" for name in ("releases", "people", "records")}
    return f"<p>{escape(text % counts)}</p>"


def _verdict(values: Values, t: Translate) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in remarks(values, t))
    return f'<section class="verdict"><p>{escape(verdict(values, t))}</p><ul>{items}</ul></section>'


def _losses(values: Values, t: Translate) -> str:
    head = [
        _("release"),
        _("records"),
        _("groups"),
        _("counterfeits"),
        _("left out"),
        _("regions cut"),
        _("displaced"),
        _("extent"),
    ]
    rows = [
        (
            f"R{time}",
            *(
                f"{loss[name]:,}"
                for name in (
                    "n_records",
                    "n_groups",
                    "n_counterfeits",
                    "n_deleted",
                    "n_tampered",
                    "n_displaced",
                )
            ),
            percent(loss["extent"]),
        )
        for time, loss in enumerate(values["losses"], start=1)
    ]
    lead = t(
        _(
            "Left out: people from this release on. Displaced: records outside the region of their row. Extent: how "
            "wide the regions of records are on average, as a share of each attribute's range."
        )
    )
    found = table("", [t(text) for text in head], rows, numeric=range(1, 8), kind="losses")
    information = values["information"]
    text = t(
        _(
            "Extra information, by the column last and by notices: %(groups)s groups, %(cells)s cells, %(bits)s bits."
        )
    )
    told = text % {
        "groups": f"{information['n_groups']:,}",
        "cells": f"{information['n_cells']:,}",
        "bits": number(round(information["bits"], 1)),
    }
    body = f"<p>{escape(lead)}</p>{found}<p>{escape(told)}</p>"
    return section(t(_("What each release costs")), body)


def _attackers(values: Values, t: Translate) -> str:
    head = [_("attack method"), _("hits"), _("interval"), _("guesses"), _("above the baseline")]
    rows = [
        (
            f"<b>{escape(found['name'])}</b><br>{escape(t(ATTACKERS[found['name']]))}",
            f"<b>{percent(found['found'])}</b> ({found['hits']:,})",
            f"{percent(found['low'])} – {percent(found['high'])}",
            f"{found['n_guessed']:,}",
            percent(found["rate"]),
        )
        for found in values["attackers"]
    ]
    lead = t(
        _(
            "Attackers of the library, who know who was in the tables when, with all quasi-identifiers, and guess each "
            "person's value."
        )
    )
    found = table("", [t(text) for text in head], rows, numeric=(1, 2, 3, 4), kind="series")
    return section(t(_("Attackers")), f"<p>{escape(lead)}</p>{found}")


def _definitions(t: Translate) -> str:
    items = "".join(
        f"<dt>{escape(t(title))}</dt><dd>{escape(t(text))}</dd>"
        for title, text in DEFINITIONS.values()
    )
    return section(t(_("What the attackers know")), f"<dl>{items}</dl>")
