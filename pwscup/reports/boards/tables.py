"""The boards of a final report as tables: every number carries its full precision."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.contests.rules.measures import shown_measure
from pwscup.core.templatetags.pwscup import measure as measure_words
from pwscup.leaderboards.boards.columns import is_by_name, shown_value
from pwscup.leaderboards.boards.texts import PARTS, round_title
from scoring.reporting.document import table
from scoring.rulesets import localized

if TYPE_CHECKING:
    from pwscup.reports.boards.facts import Board

Section = Mapping[str, Any]
Row = Mapping[str, Any]
NOTHING = "–"
MOST_COLUMNS = 14
"""A table of more columns is set smaller."""


def of_board(board: Board) -> str:
    """A board under its name."""
    head, cells = COLUMNS[board.name](board.data)
    rows = ([*_start(row), *cells(row)] for row in board.data["rows"])
    names = [_("Rank"), _("Team"), *head]
    numeric = [0, *range(2, len(names))]
    size = "board dense" if len(names) > MOST_COLUMNS else "board"
    return table(board.title, names, rows, numeric=numeric, kind=f"{size} board-{board.name}")


def of_matrix(section: Section) -> str:
    """Attackers down, attacked teams across."""
    head = [_("Attacker"), *(column["name"] for column in section["defenders"])]
    rows = ([escape(row["name"]), *map(_met, row["cells"])] for row in section["rows"])
    return table("", head, rows, numeric=range(1, len(head)), kind="board board-matrix")


def of_rounds(board: Board) -> Iterator[str]:
    """The boards of the rounds about a hidden table, each under its title."""
    for round in board.data["rounds"]:
        rows = [row for row in board.data["rows"] if row["round"] == round["key"]]
        if rows:
            title = f"{round_title(round)} (ε {round['epsilon']})"
            yield of_board(replace(board, title=title, data={**board.data, "rows": rows}))


def of_curve(section: Section) -> str:
    """Every scored estimate with its ε and its distance."""
    titles = {round["key"]: round_title(round) for round in section["rounds"]}
    head = [_("Team"), _("Round"), "ε", "L2", _("Asked once"), _("Counts")]
    rows = (
        [
            escape(row["name"]),
            escape(titles[row["round"]]),
            row["epsilon"],
            _data(row["value"], measure_words(row["value"])),
            measure_words(row["asked_once"]),
            _("yes") if row["counts"] else _("no"),
        ]
        for row in section["rows"]
    )
    return table("", head, rows, numeric=(2, 3, 4), kind="board board-matrix board-curve")


def number(value: float | None) -> str:
    """A number as a board shows it, with what it was rounded from."""
    return NOTHING if value is None else _data(value, f"{value:.2f}")


def percent(value: float | None) -> str:
    """A rate from 0 to 1 in per cent."""
    return NOTHING if value is None else _data(value, f"{100 * value:.2f}\u00a0%")


def _data(value: float, words: str) -> str:
    return f'<data value="{value!r}">{words}</data>'


def _start(row: Row) -> list[str]:
    rank = NOTHING if row["rank"] is None else _data(row["rank"], str(row["rank"]))
    house = f" <small>{escape(_('House team'))}</small>" if row["house"] else ""
    return [rank, f"{escape(row['name'])}{house}"]


def _met(cell: Row) -> str:
    return "×" if cell["own"] else percent(cell["rate"])


# The columns of each board: their names, and what a row has in them

Columns = tuple[list[str], Callable[[Row], list[str]]]


def _overall(section: Section) -> Columns:
    names = [_("Total"), _("Anonymization rank"), _("Attack rank")]
    keys = ("total", "anonymization_rank", "attack_rank")
    return names, lambda row: [number(row["total"]), *(str(row[key]) for key in keys[1:])]


def _anonymization(section: Section) -> Columns:
    names = [_("Total"), _("Utility rank"), _("Safety rank"), _("Worst rate")]

    def cells(row: Row) -> list[str]:
        if not row["submitted"]:
            return [NOTHING] * (len(names) + len(section["measures"]))
        ranks = [number(row[key]) for key in ("total", "utility_rank", "safety_rank")]
        return [*ranks, percent(row["worst_rate"]), *_values(section, row)]

    return [*names, *_heads(section)], cells


def _attack(section: Section) -> Columns:
    rates = {"median": _("Median rate"), "trimmed": _("Trimmed mean rate")}
    names = [rates.get(section.get("average", ""), _("Mean rate")), _("Targets guessed")]
    return names, lambda row: [
        percent(row["mean_rate"]),
        f"{row['n_guessed']}\u00a0/\u00a0{row['n_targets']}",
    ]


def _score(section: Section) -> Columns:
    names = [_("Total"), *(str(PARTS[part]) for part in section["parts"])]

    def cells(row: Row) -> list[str]:
        parts = (escape(_("hidden")) if c["hidden"] else number(c["value"]) for c in row["cells"])
        return [number(row["total"]), *parts]

    return names, cells


def _measures(section: Section) -> Columns:
    return _heads(section), lambda row: list(_values(section, row))


def _heads(section: Section) -> list[str]:
    columns = map(shown_measure, section["measures"])
    return [column.name if is_by_name(column) else column.id for column in columns]


def legend(section: Section) -> str:
    """The measures that have only a short name for their head; empty where all have their identifier."""
    columns = filter(is_by_name, map(shown_measure, section.get("measures", [])))
    return "; ".join(f"{column.name}: {column.title} ({column.id})" for column in columns)


def _values(section: Section, row: Row) -> Iterator[str]:
    for id_, cell in zip(section["measures"], row["cells"], strict=True):
        value = cell["value"]
        if value is None:
            yield NOTHING
        elif (column := shown_measure(id_)).is_rate:
            yield percent(value)
        else:
            yield _data(value, shown_value(value, column))


def _season(section: Section) -> Columns:
    language = get_language() or "en"
    names = [_("Total"), *(localized(stage["title"], language) for stage in section["stages"])]
    return names, lambda row: [
        number(row["total"]),
        *(number(cell["total"]) for cell in row["cells"]),
    ]


def _comparison(section: Section) -> Columns:
    titles = [round_title(round) for round in section["rounds"]]
    return [_("Total"), *titles], lambda row: [
        number(row["total"]),
        *(number(cell["total"]) for cell in row["cells"]),
    ]


def _estimates(section: Section) -> Columns:
    names = [_("Total"), *section["measures"]]

    def cells(row: Row) -> list[str]:
        if not row["submitted"]:
            return [NOTHING] * len(names)
        return [number(row["total"]), *_values(section, row)]

    return names, cells


COLUMNS: dict[str, Callable[[Section], Columns]] = {
    "overall": _overall,
    "anonymization": _anonymization,
    "attack": _attack,
    "score": _score,
    "measures": _measures,
    "season": _season,
    "comparison": _comparison,
    "estimates": _estimates,
}
