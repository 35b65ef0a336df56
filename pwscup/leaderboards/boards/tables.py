# SPDX-License-Identifier: Apache-2.0
"""The columns and cells of every board: from a section of the stored boards to a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from pwscup.contests.rules.measures import ShownMeasure, measures_in
from pwscup.core.texts.parts import noted
from pwscup.leaderboards.boards import cells
from pwscup.leaderboards.boards.cells import Board, Cell, Column, Line, Rate
from pwscup.leaderboards.boards.columns import MANY_MEASURES, is_by_name, shown_value
from pwscup.leaderboards.boards.sections import INTERVAL
from pwscup.leaderboards.boards.texts import SCORE_TITLES, kind_of, plain, title_of

if TYPE_CHECKING:
    from pwscup.leaderboards.boards.attack_texts import AttackTexts
    from pwscup.leaderboards.boards.sections import Row

Section = Mapping[str, Any]
AVERAGES = {"median": gettext_lazy("Median rate"), "trimmed": gettext_lazy("Trimmed mean rate")}
"""The averages of rates other than the mean."""
STRONG, RANKS = "num strong", "num rank-column"


def table_of(name: str, section: Section, said: AttackTexts | None = None) -> Board:
    """The table of the board with that name; `said` names the rates of its attacks as their format does."""
    made = _with_intervals(BOARD_TABLES[kind_of(name, section)](section), section)
    if said is None:
        return made
    titles = {"worst_rate": said.worst_rate}
    if section.get("average", "") not in AVERAGES:
        titles["mean_rate"] = said.mean_rate
    columns = [
        replace(column, title=str(titles[key])) if (key := first_of(column)) in titles else column
        for column in made.columns
    ]
    return replace(made, columns=columns)


def _with_intervals(made: Board, section: Section) -> Board:
    """The table with the intervals of its rows, if there are any; in downloads they are the last columns."""
    found = [row.get("interval") for row in section.get("rows", ())]
    if not any(found):
        return made
    rows = [
        replace(
            line,
            interval=interval,
            last_exports=(*line.last_exports, *((interval or {}).get(key) for key in INTERVAL)),
        )
        for line, interval in zip(made.rows, found, strict=True)
    ]
    return replace(made, rows=rows, last_exports=(*made.last_exports, *INTERVAL))


def first_of(column: Column) -> str:
    """The first header of a column in downloads."""
    return column.exports[0] if column.exports else ""


def by_round(section: Section) -> Iterator[tuple[Mapping[str, Any], Section]]:
    """The rounds about a hidden table, each with its rows of a section."""
    for round in section["rounds"]:
        rows = [row for row in section["rows"] if row.get("round") == round["key"]]
        yield round, {**section, "rows": rows}


def _overall(section: Section) -> Board:
    columns = (
        cells.directed(_("Total"), ("total",), "lower"),
        Column(_("Anonymization rank"), ("anonymization_rank",), RANKS),
        Column(_("Attack rank"), ("attack_rank",), RANKS),
    )
    missing = _("no submission: counts as the number of teams")

    def line(row: Row) -> Line:
        mark = "" if row["submitted"] else missing
        ranks = cells.count(row["anonymization_rank"], mark), cells.count(row["attack_rank"])
        return replace(_line(row, (_total(row), *ranks)), is_empty=False)

    return Board(columns, [line(row) for row in section["rows"]])


def _anonymization(section: Section) -> Board:
    columns = (
        cells.directed(_("Total"), ("total",), "lower"),
        Column(_("Utility rank"), ("utility_rank",), RANKS),
        Column(_("Safety rank"), ("safety_rank",), RANKS),
        cells.directed(_("Worst rate"), ("worst_rate", "worst_rank", "worst_by"), "lower"),
    )
    measures = measures_in(section)
    return Board(
        [*columns, *_heads(measures, has_ranks=True)],
        _lines(section, lambda row: _standing(row, measures)),
    )


def _standing(row: Row, measures: list[ShownMeasure]) -> Iterable[Cell]:
    if not row["submitted"]:
        return ()
    ranks = cells.number(row["utility_rank"]), cells.number(row["safety_rank"])
    return _total(row), *ranks, _worst(row), *_values(row, measures, has_ranks=True)


def _worst(row: Row) -> Cell:
    exports = row["worst_rate"], row["worst_rank"], row["worst_by"]
    cell = replace(cells.rate(row["worst_rate"], css="num worst"), exports=exports)
    if row["worst_hidden"]:
        return replace(cell, text=_("hidden"), is_muted=True)
    if row["worst_rate"] is None:
        return cell
    return replace(cell, rank=row["worst_rank"], by=_by(row) if row["worst_rate"] else "")


def _by(row: Row) -> str:
    if row["worst_by_team"]:
        return _("by %(team)s") % {"team": row["worst_by"]}
    return _("by %(attack)s") % {"attack": row["worst_by"]}


def _attack(section: Section) -> Board:
    average = AVERAGES.get(section.get("average", ""))
    title = str(average) if average else _("Mean rate")
    columns = (
        cells.directed(title, ("mean_rate",), "higher"),
        Column(_("Targets guessed"), ("targets_guessed", "targets")),
    )

    def in_row(row: Row) -> Iterable[Cell]:
        guessed, n = row["n_guessed"], row["n_targets"]
        share = Cell(f"{guessed}\u00a0/\u00a0{n}", (guessed, n))
        return cells.rate(row["mean_rate"], css=STRONG), share

    return Board(columns, _lines(section, in_row))


def _score(section: Section) -> Board:
    parts = [Column(str(SCORE_TITLES[part]), (part,)) for part in section["parts"]]
    parts += [Column(title_of(board), _total_and_rank(board)) for board in section.get("below", ())]
    return _of_totals(section, section["direction"], parts, _part)


def _part(cell: Mapping[str, Any]) -> Cell:
    number = cells.number(cell["value"])
    hidden = replace(number, text=_("hidden"), kind=cells.TEXT, is_muted=True)
    return hidden if cell["hidden"] else number


def _season(section: Section) -> Board:
    stages = [
        Column(
            title_of(stage),
            _total_and_rank(stage),
            below=_("weight %(weight)s") % {"weight": plain(stage["weight"])},
        )
        for stage in section["stages"]
    ]
    return _of_totals(section, section["direction"], stages, _place)


def _comparison(section: Section) -> Board:
    rounds = [
        Column(title_of(round), _total_and_rank(round), RANKS, below=f"ε {round['epsilon']}")
        for round in section["rounds"]
    ]
    return _of_totals(section, "lower", rounds, _place)


def _total_and_rank(part: Mapping[str, Any]) -> tuple[str, str]:
    return f"{part['key']}_total", f"{part['key']}_rank"


def _place(cell: Mapping[str, Any]) -> Cell:
    number = cells.number(cell["total"])
    return replace(number, exports=(cell["total"], cell["rank"]), rank=cell["rank"])


def _of_totals(
    section: Section,
    direction: str,
    parts: Iterable[Column],
    part: Callable[[Mapping[str, Any]], Cell],
) -> Board:
    """A total, its components, and the tie-break of equal totals."""
    total = cells.directed(_("Total"), ("total",), direction)
    settled = _("ranked by a tie-break")

    def line(row: Row) -> Line:
        own = replace(_total(row), mark=settled if row["tie_broken_by"] else "")
        below = map(_place, row.get("below", ()))
        found = _line(row, (own, *map(part, row["cells"]), *below))
        return replace(found, last_exports=(row["tie_broken_by"],))

    rows = [line(row) for row in section["rows"]]
    return Board([total, *parts], rows, last_exports=("tie_broken_by",))


def _measures(section: Section) -> Board:
    measures = measures_in(section)
    return Board(_heads(measures), _lines(section, lambda row: _values(row, measures)))


def _estimates(section: Section) -> Board:
    """The boards of all rounds; `python -m scoring rank-estimates` reproduces them from the download."""
    measures = measures_in(section)
    heads = (
        replace(head, title=measure.name, below="", brief=measure.id)
        for head, measure in zip(_heads(measures, has_ranks=True), measures, strict=True)
    )

    def line(row: Row) -> Line:
        values = (_total(row), *_values(row, measures, has_ranks=True)) if row["submitted"] else ()
        found = _line(row, values)
        return replace(found, exports=(row["round"], *found.exports))

    return Board(
        [cells.directed(_("Total"), ("total",), "lower"), *heads],
        [line(row) for row in section["rows"]],
        ("round", "rank", "team", "house_team"),
    )


def _curve(section: Section) -> Board:
    titles = {round["key"]: title_of(round) for round in section["rounds"]}
    columns = (
        Column(_("Round"), css=""),
        Column("ε", ("epsilon",)),
        cells.directed("L2", ("table-L2",), "lower"),
        Column(_("Asked once"), ("asked_once",)),
        Column(_("Counts"), ("counts",), css=""),
    )

    def line(row: Row) -> Line:
        counts = Cell(_("yes") if row["counts"] else _("no"), (int(row["counts"]),), css="")
        in_row = (
            Cell(titles[row["round"]], css=""),
            Cell(row["epsilon"], (row["epsilon"],)),
            cells.measured(row["value"], css=STRONG),
            replace(cells.measured(row["asked_once"]), kind=cells.TEXT),
            replace(counts, is_muted=not row["counts"]),
        )
        return replace(_line(row, in_row), exports=(row["round"], row["name"], int(row["house"])))

    rows = [line(row) for row in section["rows"]]
    return Board(columns, rows, ("round", "team", "house_team"), is_ranked=False)


def _matrix(section: Section) -> Board:
    """Attackers in rows, attacked teams in columns."""
    columns = [Column(d["name"], (d["name"],), "num defender") for d in section["defenders"]]
    rows = [
        Line(
            row["name"],
            (row["name"], "built-in attack" if row["attack"] else "team"),
            [Rate(cell["rate"], cell["own"]) for cell in row["cells"]],
            row["team"],
            row["rank"],
            row["house"],
        )
        for row in section["rows"]
    ]
    return Board(columns, rows, ("attacker", "kind"))


# Rows


def _lines(section: Section, in_row: Callable[[Row], Iterable[Cell]]) -> list[Line]:
    return [_line(row, in_row(row)) for row in section["rows"]]


def _line(row: Row, in_row: Iterable[Cell]) -> Line:
    return Line(
        row["name"],
        (row["rank"], row["name"], int(row["house"])),
        tuple(in_row),
        row["team"],
        row["rank"],
        row["house"],
        is_empty=not row.get("submitted", True),
    )


def _total(row: Row) -> Cell:
    return cells.number(row["total"], css=STRONG)


# Measures


def _heads(measures: list[ShownMeasure], *, has_ranks: bool = False) -> list[Column]:
    by_name = any(map(is_by_name, measures))
    return [_head(measure, by_name, has_ranks) for measure in measures]


def _head(measure: ShownMeasure, by_name: bool, has_ranks: bool) -> Column:
    return Column(
        title=measure.name if by_name else measure.id,
        exports=(measure.id, f"{measure.id}_rank") if has_ranks else (measure.id,),
        css=RANKS if by_name else "num",
        arrow=measure.arrow,
        better=measure.better,
        below="" if by_name else measure.name,
        hint=noted(measure.title, measure.id) if by_name else measure.title,
        is_measure=True,
    )


def _values(row: Row, measures: list[ShownMeasure], *, has_ranks: bool = False) -> Iterator[Cell]:
    is_brief = len(measures) > MANY_MEASURES
    for cell, measure in zip(row["cells"], measures, strict=True):
        value, rank = cell["value"], cell["rank"] if has_ranks else None
        text, full = shown_value(value, measure, is_brief=is_brief), shown_value(value, measure)
        yield Cell(
            text,
            (value, rank) if has_ranks else (value,),
            cells.RATE if measure.is_rate else cells.MEASURE,
            value,
            "num best" if cell["best"] else "num",
            rank=rank,
            is_rank_below=True,
            full="" if full == text else full,
        )


BOARD_TABLES: dict[str, Callable[[Section], Board]] = {
    "overall": _overall,
    "anonymization": _anonymization,
    "attack": _attack,
    "score": _score,
    "measures": _measures,
    "season": _season,
    "matrix": _matrix,
    "comparison": _comparison,
    "estimates": _estimates,
    "curve": _curve,
}
