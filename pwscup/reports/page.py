# SPDX-License-Identifier: Apache-2.0
"""A final report as one self-contained page, in the active language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from html import escape
from typing import TYPE_CHECKING

from django.utils.formats import number_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from pwscup.core.texts.moments import shown_moment, zone_name
from pwscup.core.texts.parts import joined, listed
from pwscup.reports import pictures
from pwscup.reports.boards import sections
from pwscup.reports.boards.tables import number
from pwscup.reports.facts import DAY
from pwscup.reports.pictures import Span
from pwscup.reports.style import STYLE
from scoring.reporting import document as html
from scoring.reporting.document import figure, section, table

if TYPE_CHECKING:
    from pwscup.reports.facts import Marks, ReportFacts

N_WINNERS = 3


def document(facts: ReportFacts, *, language: str) -> str:
    """The whole page."""
    contest = facts.contest
    title = _("%(contest)s: final report") % {"contest": contest.local_title}
    summary = f"<p>{escape(contest.local_summary)}</p>" if contest.local_summary else ""
    parts = [
        f"<header><h1>{escape(title)}</h1>{summary}</header>",
        _winners(facts),
        _about(facts),
        _data(facts),
        _rules(facts),
        _timeline(facts),
        *(sections.of_group(group, _("Results")) for group in facts.groups),
        _arrivals(facts),
        *(_marks(marks) for marks in facts.marks),
        _decisions(facts),
        _versions(facts),
        _proofs(facts),
    ]
    body = "\n".join(part for part in parts if part)
    return html.document(title, STYLE, f"<main>\n{body}\n</main>\n", language=language)


def _moment(facts: ReportFacts, at: datetime) -> str:
    return shown_moment(at, facts.contest.tz)


def _pairs(title: str, rows: Sequence[tuple[str, str]], head: Sequence[str] = ()) -> str:
    """Two columns of text."""
    cells = ((escape(name), escape(words)) for name, words in rows)
    return table(title, head, cells, kind="facts")


# The contest


def _winners(facts: ReportFacts) -> str:
    """The first ranks of the deciding board."""
    if not facts.groups or not facts.groups[0].boards:
        return ""
    rows = facts.groups[0].boards[0].data["rows"]
    first = [row for row in rows if row["rank"] is not None and row["rank"] <= N_WINNERS]
    items = "".join(f"<li><b>{row['rank']}</b> {escape(row['name'])}</li>" for row in first)
    return f'<section class="winners"><ol>{items}</ol></section>' if items else ""


def _about(facts: ReportFacts) -> str:
    contest, rounds = facts.contest, facts.rounds
    first, last = min(r.opens_at for r in rounds), max(r.closes_at for r in rounds)
    rows = [
        (_("Organizers"), listed(facts.organizers)),
        (_("Sponsors"), listed(facts.sponsors)),
        (_("Began"), _moment(facts, first)),
        (_("Ended"), _moment(facts, last)),
        (_("Time zone"), zone_name(contest.timezone)),
        (_("Teams"), str(facts.n_teams)),
        (_("Submissions"), str(facts.n_submissions)),
        (_("Rules"), facts.rules.version),
        (_("Report written"), _moment(facts, facts.made_at)),
        (_("Scoring library"), f"scoring {facts.scoring_version}"),
    ]
    return section(_("The contest"), _pairs("", [row for row in rows if row[1]]))


def _data(facts: ReportFacts) -> str:
    """The table as everybody may know it: its size, and the columns that participants got."""
    columns = facts.rules.columns
    if not columns:
        return ""
    found = facts.n_records
    size = _("Records: %(n)s") % {"n": number_format(found, force_grouping=True)} if found else ""
    rows = [(column.name, column.role) for column in columns]
    shown = _pairs("", rows, [_("Column"), _("Role")])
    return section(_("Data"), (f"<p>{escape(size)}</p>" if size else "") + shown)


def _rules(facts: ReportFacts) -> str:
    rules = facts.rules
    shares = [(stage.title, stage.share) for stage in rules.stages]
    rounds = [(rule.title, joined(*rule.sentences)) for rule in rules.rounds]
    parts = [
        f"<p>{escape(rules.summary)}</p>",
        _pairs(_("Stages"), shares) if shares else "",
        _pairs(_("Rounds"), rounds),
        _pairs(_("Ranking"), [(name, capfirst(text)) for name, text in rules.ranking]),
    ]
    return section(_("The rules in short"), "".join(parts))


def _timeline(facts: ReportFacts) -> str:
    spans = [Span(r.local_title, r.opens_at, r.closes_at) for r in facts.rounds]
    breaks = [
        Span(stop.words, stop.started_at, stop.ended_at or facts.made_at)
        for stop in facts.interruptions
    ]
    picture = pictures.timeline(
        spans, breaks, facts.contest.tz, alt=_("The rounds as bars; the table has their dates.")
    )
    caption = _("All times in %(zone)s. Hatched: time that did not count.")
    rounds = (
        (escape(span.name), _moment(facts, span.start), _moment(facts, span.end)) for span in spans
    )
    stops = [
        (
            escape(stop.words),
            _moment(facts, stop.started_at),
            escape(stop.length),
            escape(stop.reason),
        )
        for stop in facts.interruptions
    ]
    names = [_("Interruption"), _("Began"), _("Length"), _("Reason")]
    parts = [
        figure(picture, caption % {"zone": zone_name(facts.contest.timezone)}, _, has_table=True),
        table("", [_("Round"), _("Opened"), _("Closed")], rounds, kind="facts"),
        table(_("Interruptions"), names, stops) if stops else "",
    ]
    return section(_("Timeline"), "".join(parts))


def _arrivals(facts: ReportFacts) -> str:
    found = facts.arrivals
    if found is None:
        return ""
    series = [(_("scored"), found.scored), (_("rejected"), found.rejected)]
    if any(found.other):
        series.append((_("without a result"), found.other))
    days = found.step // DAY
    picture = pictures.arrivals(
        found.starts,
        series,
        ("%m-%d %H:%M", "%m-%d", "%Y-%m-%d")[min(days, 2)],
        alt=_("Submissions over time as bars; the table has their number."),
    )
    if days > 1:
        caption = _("Submissions in steps of %(n)s days.") % {"n": days}
    else:
        caption = _("Submissions by day.") if days else _("Submissions by hour.")
    totals = [(name, str(sum(counts))) for name, counts in series]
    return section(_("Submissions over time"), figure(picture, caption, _) + _pairs("", totals))


def _marks(marks: Marks) -> str:
    """The means over the judges."""
    if not marks.rows:
        return ""
    head = [_("Team"), *marks.criteria, _("Mean")]
    rows = (
        [escape(team), *map(number, by_criterion), number(mean)]
        for team, by_criterion, mean in marks.rows
    )
    shown = table("", head, rows, numeric=range(1, len(head)), kind="marks")
    words = _("Means over the judges, from 0 to 100.")
    title = _("Judges' grades: %(round)s") % {"round": marks.title}
    return section(title, f"<p>{escape(words)}</p>{shown}")


# Organization


def _decisions(facts: ReportFacts) -> str:
    found = facts.decisions
    named = f" ({', '.join(found.named)})" if found.named else ""
    rows = [
        (_("Disqualified teams"), f"{found.n_disqualified}{named}"),
        (_("Withdrawn submissions"), str(found.n_withdrawn)),
        (_("Reinstatements"), str(found.n_reinstated)),
        (_("Permissions for late submissions"), str(found.n_late)),
        (_("Re-scorings applied"), str(found.n_rescored)),
    ]
    return section(_("Decisions"), _pairs("", rows))


def _versions(facts: ReportFacts) -> str:
    if not facts.versions:
        words = escape(_("The rules were never changed. SHA-256:"))
        digest = escape(facts.contest.ruleset.digest)
        return section(_("Versions of the rules"), f"<p>{words} <code>{digest}</code></p>")
    head = ["#", _("In force since"), _("What changed, and why"), "SHA-256"]
    rows = (
        (
            str(version.number),
            _moment(facts, version.since),
            escape(version.note),
            f"<code>{escape(version.digest)}</code>",
        )
        for version in facts.versions
    )
    return section(_("Versions of the rules"), table("", head, rows, kind="versions"))


def _proofs(facts: ReportFacts) -> str:
    words = _(
        "Every shuffle and draw is derived from a secret that the contest committed to at its start; every "
        "event is linked to the previous one by its hash."
    )
    rows = list(_fingerprints(facts))
    shown = ((escape(name), f"<code>{escape(digest)}</code>") for name, digest in rows)
    return section(_("Proofs"), f"<p>{escape(words)}</p>{table('', [], shown, kind='facts')}")


def _fingerprints(facts: ReportFacts) -> Iterator[tuple[str, str]]:
    contest = facts.contest
    if contest.commitment:
        yield _("Commitment (SHA-256 of the secret)"), contest.commitment
    if contest.reveal and contest.revealed_at:
        at = _moment(facts, contest.revealed_at)
        yield _("Secret and seeds published %(at)s (SHA-256)") % {"at": at}, contest.reveal.sha256
    if facts.head:
        position, digest = facts.head
        yield _("Audit trail, event %(n)d (SHA-256)") % {"n": position}, digest
