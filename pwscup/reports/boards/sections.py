# SPDX-License-Identifier: Apache-2.0
"""A group of boards on the page of a final report: tables, pictures, and texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import measures_in
from pwscup.core.templatetags.pwscup import measure as measure_words
from pwscup.core.templatetags.pwscup import percent as percent_words
from pwscup.core.texts.parts import joined
from pwscup.leaderboards import charts
from pwscup.leaderboards.boards.heat import top_of
from pwscup.leaderboards.boards.texts import title_of
from pwscup.leaderboards.pictures.scatter import Axis, front_of, scatter_of
from pwscup.reports import pictures
from pwscup.reports.boards import tables
from pwscup.reports.pictures import Point, Spread
from scoring.reporting.document import figure, section

if TYPE_CHECKING:
    from pwscup.contests.rules.measures import ShownMeasure
    from pwscup.reports.boards.facts import Group
    from scoring.reporting.pictures import Cell, Picture

Data = Mapping[str, Any]
MOST_PROFILES = 40
"""With more teams only the first ones have a separate picture."""


def of_group(group: Group, title: str) -> str:
    """The tables of a group, each with its pictures."""
    parts: list[str] = []
    for board in group.boards:
        if board.name == "matrix":
            parts += [f"<h3>{escape(board.title)}</h3>", *_matrix(group, board.data)]
        elif board.name == "estimates":
            parts += tables.of_rounds(board)
        elif board.name == "curve":
            parts += [f"<h3>{escape(board.title)}</h3>", *_curve(group, board.data)]
        else:
            parts += [tables.of_board(board, group.attack), *_explained(group, board.data)]
    if not group.key.startswith("division-"):
        parts += [*_parts(group), *_trade_off(group), *_profiles(group)]
    return section(group.title or title, "".join(parts))


def _explained(group: Group, data: Data) -> Iterator[str]:
    """Explanations of the headers of a table of measures, and of risk."""
    words = (tables.legend(data), group.risks if data.get("measures") else "")
    yield from (f'<p class="note">{escape(text)}</p>' for text in words if text)


# Components of the totals


def _parts(group: Group) -> Iterator[str]:
    data = group.board("score")
    chart = charts.parts(data) if data else None
    if chart is None:
        return
    series = [(one["name"], one["values"]) for one in chart["series"]]
    picture = pictures.stacked(
        chart["teams"],
        series,
        chart["x_label"],
        is_stacked=chart["stacked"],
        alt=_("Bars of the parts by team; the table above has the numbers."),
        name=f"{group.key}-parts",
    )
    yield figure(picture, _("Components of the totals."), _)


def _trade_off(group: Group) -> Iterator[str]:
    found = _by_values(group) or _by_scores(group)
    if found is None:
        return
    points, across, up = found
    picture = pictures.scatter(
        points,
        across,
        up,
        front_of([(p.x, p.y) for p in points], across, up),
        alt=_("Utility against safety, a point for each team; the tables have the numbers."),
        name=f"{group.key}-scatter",
    )
    caption = _(
        "Better is up and right; the dashed line joins the teams that no other team beats in both. The star is the "
        "first place; with many teams the numbers are their ranks."
    )
    yield figure(picture, caption, _)


def _by_values(group: Group) -> tuple[list[Point], Axis, Axis] | None:
    """The picture of the board."""
    data = group.board("anonymization")
    drawn = scatter_of(data, group.rules) if data else None
    if drawn is None:
        return None
    points = [Point(one.name, one.rank, one.safety, one.utility) for one in drawn.points]
    return points, drawn.across, drawn.up


def _by_scores(group: Group) -> tuple[list[Point], Axis, Axis] | None:
    data = group.board("score")
    if data is None or not {"utility", "protection"} <= set(data["parts"]):
        return None
    x, y = (data["parts"].index(part) for part in ("protection", "utility"))
    points = [
        Point(row["name"], row["rank"], cells[x]["value"], cells[y]["value"])
        for row in data["rows"]
        if (cells := row["cells"])[x]["value"] is not None and cells[y]["value"] is not None
    ]
    across, up = (
        Axis("", title, 0, 100, lambda value: f"{value:g}")
        for title in (_("Protection"), _("Utility"))
    )
    return (points, across, up) if points else None


# Estimates of a hidden table


def _curve(group: Group, data: Data) -> Iterator[str]:
    chart = charts.budget_curve(data)
    if chart is None:
        return
    picture = pictures.curve(
        [
            (one["name"], [(p["x"], p["y"], p["counts"]) for p in one["points"]])
            for one in chart["series"]
        ],
        (chart["formula"], chart["line"]),
        (chart["x_label"], chart["y_label"]),
        rows=list(_estimates(data)),
        alt=_("The distance of every estimate by ε; the table has the numbers."),
        name=f"{group.key}-curve",
    )
    caption = _(
        "The distance of each scored estimate from the hidden table, by the ε of its data; filled points "
        "count. The dashed line is the root mean square distance of one query for the table with that ε."
    )
    yield figure(picture, caption, _)
    title = escape(_("The numbers of all estimates"))
    yield f"<details><summary>{title}</summary>{tables.of_curve(data)}</details>"


def _estimates(data: Data) -> Iterator[tuple[Cell, ...]]:
    """Every estimate: its round, team, ε and distance, and whether it counts."""
    titles = {round["key"]: title_of(round) for round in data["rounds"]}
    for row in data["rows"]:
        counts = _("yes") if row["counts"] else _("no")
        yield titles[row["round"]], row["name"], float(row["epsilon"]), row["value"], counts


# Attacks


def _matrix(group: Group, data: Data) -> Iterator[str]:
    picture = pictures.heat_map(
        [row["name"] for row in data["rows"]],
        [column["name"] for column in data["defenders"]],
        [[cell["rate"] for cell in row["cells"]] for row in data["rows"]],
        [[cell["own"] for cell in row["cells"]] for row in data["rows"]],
        axes_titles=(_("Attacked team"), _("Attacker")),
        top=top_of(data),
        alt=str(group.attack.report_picture),
        name=f"{group.key}-matrix",
    )
    caption = joined(group.attack.report_matrix, group.attack.explained)
    wider = " wider" if len(data["defenders"]) > pictures.MOST_NUMBERS else ""
    yield f'<div class="scroll wide{wider}">{figure(picture, caption, _, has_table=True)}</div>'
    yield tables.of_matrix(data)
    yield from _by_attacker(group, data)
    yield from _by_defender(group, data)


def _teams(data: Data) -> list[Data]:
    return [row for row in data["rows"] if row["attack"] is None]


def _by_attacker(group: Group, data: Data) -> Iterator[str]:
    """Means over all other teams, with 0 for a missing guess: as on the attack board."""
    rows = []
    for row in _teams(data):
        rates = [cell["rate"] or 0 for cell in row["cells"] if not cell["own"]]
        if rates:
            best = max(rates)
            rows.append((row["name"], 100 * sum(rates) / len(rates), 100 * best))
    if not rows:
        return
    picture = pictures.bars(
        rows,
        str(group.attack.percent),
        (_("Attacker"), _("Mean in %"), _("Best in %")),
        alt=_("Rates by attacker as bars; the matrix has the numbers."),
        name=f"{group.key}-attackers",
    )
    yield figure(picture, str(group.attack.by_attacker), _)


def _by_defender(group: Group, data: Data) -> Iterator[str]:
    teams, rows = _teams(data), []
    for position, column in enumerate(data["defenders"]):
        met = [row["cells"][position] for row in teams]
        rates = [c["rate"] for c in met if c["rate"] is not None and not c["own"]]
        if rates:
            rows.append((column["name"], 100 * sum(rates) / len(rates), 100 * max(rates)))
    if not rows:
        return
    picture = pictures.bars(
        rows,
        str(group.attack.percent),
        (_("Attacked team"), _("Mean in %"), _("Worst in %")),
        alt=_("Rates by attacked team as bars; the matrix has the numbers."),
        name=f"{group.key}-defenders",
    )
    caption = _("By attacked team: the mean over those who guessed, and as a line the worst rate.")
    yield figure(picture, caption, _)


# Measures


def _profiles(group: Group) -> Iterator[str]:
    data = group.board("anonymization") or group.board("measures")
    if data is None or not data["measures"]:
        return
    rows = [row for row in data["rows"] if row["submitted"]]
    if not rows:
        return
    caption = _(
        "The shown measures over all teams, the best value on the right: the line from the worst to the "
        "best, the bar the middle half, the tick the median; the red line is the team %(team)s."
    )
    drawn = [
        figure(_profile(group, data, rows, n), caption % {"team": row["name"]}, _)
        for n, row in enumerate(rows[:MOST_PROFILES])
    ]
    yield drawn[0]
    if drawn[1:]:
        others = "".join(
            f"<h4>{escape(row['name'])}</h4>{picture}"
            for row, picture in zip(rows[1:], drawn[1:], strict=False)
        )
        title = escape(_("The same for the other teams"))
        yield f"<details><summary>{title}</summary>{others}</details>"


def _profile(group: Group, data: Data, rows: list[Data], n: int) -> Picture:
    spreads = [
        spread
        for position, shown in enumerate(measures_in(data))
        if (spread := _spread(shown, [row["cells"][position]["value"] for row in rows], n))
    ]
    team = rows[n]["name"]
    alt = _("The position of the team %(team)s among all teams by each measure.") % {"team": team}
    return pictures.profile(spreads, team, alt=alt, name=f"{group.key}-team-{n}")


def _spread(shown: ShownMeasure, values: list[float | None], n: int) -> Spread | None:
    """The values as relative positions between the worst and the best."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    worst, best = max(known), min(known)
    if shown.direction == "higher":
        worst, best = best, worst

    def share(value: float | None) -> float | None:
        if value is None:
            return None
        return 1.0 if worst == best else (value - worst) / (best - worst)

    shares = tuple(found for value in values if (found := share(value)) is not None)
    ends = (worst, best)
    return Spread(shown.id, _end(shown, worst), _end(shown, best), ends, shares, share(values[n]))


def _end(shown: ShownMeasure, value: float) -> str:
    if shown.is_rate:
        return percent_words(value)
    return f"{value:.3g}" if abs(value) < 1000 else measure_words(float(round(value)))
