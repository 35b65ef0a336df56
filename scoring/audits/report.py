# SPDX-License-Identifier: Apache-2.0
"""An audit as one self-contained page: to read, to print, to send to the owner of the data."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from scoring.attacks.membership import Membership
from scoring.audits import NOTABLE_TIMES, VERDICT, how_made, pictures
from scoring.audits.audit import Audit, Finding
from scoring.audits.numbers import number, percent
from scoring.audits.single import sentences
from scoring.errors import gettext_noop as _
from scoring.measures.disclosure import Disclosure
from scoring.registry import MEASURES, Measure
from scoring.reporting.document import Translate, document, figure, joined, section, table
from scoring.reporting.intervals import Rate
from scoring.reporting.style import STYLE

FAMILIES = {
    "anonymity": _("Equivalence classes"),
    "risk": _("Risk of records"),
    "diversity": _("Diversity of sensitive values"),
    "linkage": _("Official re-identification rates"),
    "disclosure": _("Disclosure, compared with non-members"),
    "utility": _("Official utility"),
    "similarity": _("Similarity to the original"),
    "generalization": _("Generalization"),
}
"""Headings, in the order of the page."""
NO_ATTACKER = _("No attacker was run.")
NOT_ABOVE = _("not significantly above non-members")
BETTER = {"lower": _("lower is better"), "higher": _("higher is better")}
DISCLOSURES = {
    "singling-out": _("Singling out"),
    "linkability": _("Linkability"),
    "inference": _("Inference"),
}


def report(
    audit: Audit,
    facts: Mapping[str, str],
    *,
    language: str = "en",
    translate: Translate = str,
) -> str:
    """The page.

    Parameters
    ----------
    audit : Audit
    facts : mapping of str to str
        Its provenance (files, digests, versions, seed): shown unchanged at the end.
    language : str
        The language of what `translate` returns, as an HTML page names it.
    translate : callable
        From the English texts of this module and of the registries to the reader's language.
    """
    t = translate
    title = t(_("Audit of an anonymized table"))
    parts = [
        f"<header><h1>{escape(title)}</h1>{_counts(audit, t)}</header>",
        _verdict(audit, t),
        _attackers(audit, t) if audit.findings else "",
        _records(audit, t),
        comparisons(audit.disclosures, audit.membership, t),
        all_measures(audit.values, t),
        _methods(audit, t) if audit.findings else "",
        table(
            t(_("Where this comes from")), [], ((escape(k), escape(v)) for k, v in facts.items())
        ),
    ]
    body = "\n".join(part for part in parts if part)
    return document(title, STYLE, f"<main>\n{body}\n</main>\n", language=language)


def verdict(audit: Audit, translate: Translate = str) -> str:
    """The verdict in one sentence: the strongest attacker, after how the table was made if that was found."""
    worst, replay = audit.worst, audit.replay
    if worst is None:
        return translate(NO_ATTACKER)
    made = [] if replay is None else [how_made(replay.chain, replay.seed, translate)]
    return joined([*made, _worst(worst, translate)], translate)


def _worst(worst: Finding, translate: Translate) -> str:
    return translate(VERDICT) % {
        "attack": worst.attack.id,
        "title": translate(worst.attack.title),
        "rate": percent(worst.rate),
    }


def _counts(audit: Audit, t: Translate) -> str:
    text = t(_("%(anonymized)s anonymized records, made from an original of %(original)s."))
    counts = {"anonymized": f"{audit.n_anonymized:,}", "original": f"{audit.n_original:,}"}
    return f"<p>{escape(text % counts)}</p>"


def _verdict(audit: Audit, t: Translate) -> str:
    often = int((audit.times_found >= NOTABLE_TIMES).sum())
    never = int((audit.times_found == 0).sum())
    of_attacks = [
        t(_("Random guesses find %(rate)s.")) % {"rate": percent(audit.by_chance)},
        t(_("%(n)s records (%(share)s) are found by two attackers or more, %(never)s by none."))
        % {
            "n": f"{often:,}",
            "share": percent(often / audit.n_anonymized),
            "never": f"{never:,}",
        },
    ]
    lines = [*(of_attacks if audit.findings else ()), *sentences(audit.columns, percent, t)]
    if (smallest := audit.values.get("S1")) is not None:
        text = t(_("Size of the smallest equivalence class: %(n)s."))
        lines.append(text % {"n": f"{smallest:,}"})
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<section class="verdict"><p>{escape(verdict(audit, t))}</p><ul>{items}</ul></section>'


def _attackers(audit: Audit, t: Translate) -> str:
    head = [
        _("attack method"),
        _("rate"),
        _("found"),
        _("interval"),
        _("guesses"),
    ]
    caption = t(
        _(
            "The rate of each attacker in per cent; the line is the interval, at 95 per cent, of "
            "the share that was found. Every attacker has the whole original and the records in a random order."
        )
    )
    alt = t(_("The rate of each attacker as a bar; the table has the numbers."))
    picture = figure(pictures.rates(audit, alt, t), caption, t, has_table=True)
    rows = (_finding(finding, t) for finding in audit.findings)
    found = table("", [t(text) for text in head], rows, numeric=(1, 2, 3, 4), kind="attackers")
    return section(t(_("All attackers")), f"{picture}{found}")


def _finding(finding: Finding, t: Translate) -> tuple[str, ...]:
    return (
        f"<b>{escape(finding.attack.id)}</b><br>{escape(t(finding.attack.title))}",
        f"<b>{percent(finding.rate)}</b>",
        f"{finding.found.hits:,}",
        _interval(finding.found),
        f"{finding.n_guessed:,}",
    )


def _interval(rate: Rate) -> str:
    low, high = (percent(share).replace(" ", "\u00a0") for share in (rate.low, rate.high))
    return f"{low}\u00a0– {high}"  # it may be split only in the middle


def _records(audit: Audit, t: Translate) -> str:
    times = t(_("Records by the number of attackers that found them: none, one, two, …"))
    sizes = t(_("Records by the size of their equivalence class; unique records are on the left."))
    figures = [figure(pictures.class_sizes(audit, sizes, t), sizes, t)]
    if audit.findings:
        figures.insert(0, figure(pictures.times_found(audit, times, t), times, t))
    return section(t(_("The records")), "".join(figures))


def comparisons(
    disclosures: Mapping[str, Disclosure], membership: Membership | None, t: Translate
) -> str:
    """The section about attacks that are run on non-members as well; empty without any."""
    if not disclosures and membership is None:
        return ""
    head = [
        _("attack"),
        _("on the original"),
        _("on non-members"),
        _("at random"),
        _("difference"),
        _("risk"),
    ]
    rows = [
        (
            escape(t(DISCLOSURES[name])),
            percent(found.main.value),
            percent(found.control.value),
            percent(found.baseline.value),
            f"{percent(found.difference.value)} "
            f"({percent(found.difference.low)} – {percent(found.difference.high)})"
            + ("" if found.is_above_control else f"<br>{escape(t(NOT_ABOVE))}"),
            f"<b>{percent(found.risk.value)}</b> "
            f"({percent(found.risk.low)} – {percent(found.risk.high)})",
        )
        for name, found in disclosures.items()
    ]
    text = t(
        _(
            "What an attacker learns about people in the table, compared with people who are not in it."
        )
    )
    risks = table("", [t(text) for text in head], rows, numeric=(1, 2, 3, 4, 5))
    member = ""
    if membership is not None:
        sentence = t(
            _(
                "Distinguishing members from non-members: area under the curve %(auc)s, from %(low)s to %(high)s "
                "(0.5 is random guessing). Of the members %(percent)s are found while 1 %% of the non-members are "
                "taken for members, and %(fewer)s while 0.1 %% are."
            )
        )
        area, rates = membership.area, membership.at_false_positives
        values = {
            "auc": f"{area.value:.3f}",
            "low": f"{area.low:.3f}",
            "high": f"{area.high:.3f}",
            "percent": percent(rates[0.01].value),
            "fewer": percent(rates[0.001].value),
        }
        member = f"<p>{escape(sentence % values)}</p>"
    title = t(_("Compared with people who are not in the table"))
    return section(title, f"<p>{escape(text)}</p>{risks}{member}")


def all_measures(values: Mapping[str, float | int | None], t: Translate) -> str:
    """The section about all measures, by family."""
    parts = [_family(family, values, t) for family in FAMILIES]
    return section(t(_("All measures")), "".join(parts))


def _family(family: str, values: Mapping[str, float | int | None], t: Translate) -> str:
    known = [(MEASURES[id_], value) for id_, value in values.items() if value is not None]
    rows = [_measure(measure, value, t) for measure, value in known if measure.family == family]
    return table(t(FAMILIES[family]), [], rows, numeric=(1,), kind="measures") if rows else ""


def _measure(measure: Measure, value: float | int, t: Translate) -> tuple[str, ...]:
    name = f"<b>{escape(measure.id)}</b><br>{escape(t(measure.title))}"
    return name, number(value), escape(t(BETTER[measure.direction]))


def _methods(audit: Audit, t: Translate) -> str:
    items = "".join(
        f"<dt>{escape(f.attack.id)}</dt><dd>{escape(t(f.attack.summary))}</dd>"
        for f in sorted(audit.findings, key=lambda f: f.attack.id)
    )
    return section(t(_("What the attackers do")), f"<dl>{items}</dl>")
