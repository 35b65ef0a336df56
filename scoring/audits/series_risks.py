# SPDX-License-Identifier: Apache-2.0
"""The parts of an audit of a series about risk: its size, the people concerned, and its growth."""

from __future__ import annotations

from html import escape

from scoring.audits.numbers import percent
from scoring.audits.series import MOST_LISTED, SeriesAudit
from scoring.audits.series_texts import (
    DEFINITIONS,
    Values,
    above_told,
    how_found,
    not_found,
    worlds_told,
)
from scoring.errors import gettext_noop as _
from scoring.formats.sequential import pictures
from scoring.reporting.document import Translate, figure, section, table


def definitions_compared(values: Values, t: Translate) -> str:
    """The certainty of an attacker after all releases, by its knowledge."""
    head = [
        _("what the attacker knows"),
        _("largest"),
        _("mean"),
        _("above 1/m"),
        _("possible worlds"),
    ]
    rows = []
    for found in values["findings"]:
        if not found["after"]:
            continue
        name, risks = found["definition"], found["after"][-1]
        rows.append(
            (
                f"<b>{escape(t(DEFINITIONS[name][0]))}</b>"
                f'<br><span class="small">{escape(how_found(risks, t))}</span>',
                f"<b>{percent(risks['max'] or 0.0)}</b>{_interval(risks)}",
                percent(risks["mean"] or 0.0),
                _above(risks, t),
                escape(worlds_told(name, risks, t)),
            )
        )
    lead = t(_("How certain an attacker with all releases may be of people's values."))
    found = table("", [t(text) for text in head], rows, numeric=(1, 2, 3, 4), kind="series")
    notes = [f"{title}: {reason}" for title, reason in not_found(values, t)]
    notes += _without(values, t)
    items = "".join(f"<li>{escape(note)}</li>" for note in notes)
    below = f"<ul>{items}</ul>" if items else ""
    return section(t(_("Risk under each definition")), f"<p>{escape(lead)}</p>{found}{below}")


def _above(risks: Values, t: Translate) -> str:
    """The number above 1/m, and below it the number that may be."""
    return "<br>".join(map(escape, above_told(risks, t)))


def _interval(risks: Values) -> str:
    """The interval of the person with the largest risk, where it is sampled."""
    if risks["low"] is None or risks["low"] == risks["high"]:
        return ""
    low, high = (percent(risks[end]).replace(" ", "\u00a0") for end in ("low", "high"))
    return f"<br>{low}\u00a0– {high}"


def _without(values: Values, t: Translate) -> list[str]:
    """The replacement of risks where no possible world, or no row, was found."""
    no_row = _("%(definition)s: of %(n)s people no row is left; their risk counts as 0.")
    no_world = _(
        "%(definition)s: for %(n)s people no possible world was found; the risk by row counting is used instead."
    )
    return [
        t(no_row if found["definition"] == "counting" else no_world)
        % {"definition": t(DEFINITIONS[found["definition"]][0]), "n": f"{found['n_without']:,}"}
        for found in values["findings"]
        if found["n_without"]
    ]


def histograms(audit: SeriesAudit, t: Translate) -> str:
    """The distribution of risks, a picture for each definition."""
    parts = []
    text = t(
        _("%(definition)s: people by their risk; those above 1/m = %(bound)s are highlighted.")
    )
    labels = (t(_("risk")), t(_("people")))
    for finding in audit.findings:
        if finding.last is None:
            continue
        said = text % {
            "definition": t(DEFINITIONS[finding.definition.value][0]),
            "bound": percent(1 / audit.m),
        }
        drawn = pictures.histogram(
            finding.last,
            m=audit.m,
            labels=labels,
            name=f"histogram-{finding.definition.value}",
            alt=said,
            translate=t,
        )
        parts.append(figure(drawn, said, t))
    return section(t(_("Distribution of risks")), "".join(parts))


def over_time(audit: SeriesAudit, values: Values, t: Translate) -> str:
    """The risks after each release; empty where only the last one was looked at."""
    head = [t(text) for text in (_("after"), _("largest"), _("mean"), _("above 1/m"))]
    tables = [
        table(
            t(DEFINITIONS[found["definition"]][0]),
            head,
            (
                (
                    f"R{risks['release']}",
                    percent(risks["max"] or 0.0),
                    percent(risks["mean"] or 0.0),
                    _above(risks, t),
                )
                for risks in found["after"]
            ),
            numeric=(1, 2, 3),
        )
        for found in values["findings"]
        if len(found["after"]) > 1
    ]
    if not tables:
        return ""
    picture = ""
    if len(audit.chosen.history) > 1:
        said = t(
            _(
                "%(definition)s: the largest and the mean risk after release 1, 2, … of those so far."
            )
        ) % {"definition": t(DEFINITIONS[audit.definition.value][0])}
        labels = (t(_("largest")), t(_("mean")))
        drawn = pictures.over_time(audit.chosen.history, labels=labels, alt=said, translate=t)
        picture = figure(drawn, said, t, has_table=True)
    only_last = [
        t(DEFINITIONS[found["definition"]][0])
        for found in values["findings"]
        if len(found["after"]) == 1
    ]
    note = ""
    if only_last:
        text = t(
            _("Only after the last release, because all would take too long: %(definitions)s.")
        )
        note = f"<p>{escape(text % {'definitions': ', '.join(only_last)})}</p>"
    return section(t(_("Risk over time")), f"{picture}{''.join(tables)}{note}")


def people(values: Values, t: Translate) -> str:
    """The people identified by the releases, the largest risks first; empty if nobody is published."""
    if not values["people"]:
        return ""
    is_over_time = any(person["over_time"] for person in values["people"])
    head = [_("person"), _("risk")]
    if is_over_time:
        head += [_("after each release"), _("pinned down by")]
    text = t(_("The largest risks under: %(definition)s. At most %(n)s people are listed."))
    lead = text % {
        "definition": t(DEFINITIONS[values["definition"]][0]),
        "n": f"{MOST_LISTED}",
    }
    if is_over_time:
        lead += " " + t(_("“Pinned down by” lists the releases that raised a person's risk."))
    rows = []
    for person in values["people"]:
        row = [escape(person["id"]), f"<b>{percent(person['risk'])}</b>{_interval(person)}"]
        if is_over_time:
            steps = ["–" if risk is None else percent(risk) for risk in person["over_time"]]
            row += [
                " ".join(f'<span class="nowrap">{step}</span>' for step in _arrows(steps)),
                ", ".join(f"R{release}" for release in person["pinned_by"]),
            ]
        rows.append(row)
    found = table("", [t(text) for text in head], rows, numeric=(1,), kind="people")
    return section(t(_("People at risk")), f"<p>{escape(lead)}</p>{found}")


def _arrows(steps: list[str]) -> list[str]:
    """Each step but the last with the arrow to the next one."""
    return [*(f"{step} →" for step in steps[:-1]), *steps[-1:]]
