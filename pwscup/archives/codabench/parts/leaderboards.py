# SPDX-License-Identifier: Apache-2.0
"""The first leaderboard of a bundle, which Codabench shows for all phases."""

from __future__ import annotations

from dataclasses import replace

from pwscup.archives.codabench.description import Column, Leaderboard
from pwscup.archives.codabench.parts.base import Reading
from pwscup.archives.codabench.sections import Section

MOST_BOARDS, MOST_COLUMNS = 20, 50
DEFAULT_PRECISION = 2
COMPUTATIONS = {"sum": "sum", "avg": "mean", "mean": "mean", "min": "min", "max": "max"}
"""Codabench's computations as composites are called in rules."""
OLD_COLUMNS = "leaderboard.columns."
"""The place of columns in CodaLab 1.5, whose keys are their names there."""
DIRECTIONS = {"asc": "lower", "desc": "higher"}


def read_leaderboard(reading: Reading) -> Leaderboard:
    """The first leaderboard, which Codabench shows for all phases."""
    boards = _old_boards(reading) if reading.is_old else _boards(reading)
    if not boards:
        if not any(note.where.startswith("leaderboard") for note in reading.problems.found):
            reading.problems.add("missing", "leaderboards", expected="sections")
        return Leaderboard("", "", ())
    (first, columns), *others = boards
    for board, _columns in others:
        reading.left_out.add("leaderboards", board.path, got=board.text("title", "label"))
    is_hidden = first.flag("hidden")
    if is_hidden:
        reading.left_out.add("hidden_board", first.where("hidden"))
    rule = first.text("submission_rule")
    title = first.text("title", "label")
    first.called("key", "index", "primary_index", "rank", "id")
    reading.note_unknown(first)
    read = [_column(reading, column, is_hidden=is_hidden) for column in columns]
    found = _computed(reading, columns, read)
    if not any(not column.of for column in found) and not reading.problems.found:
        reading.problems.add("no_column", first.where("columns"))
    _check_keys(reading, columns, found)
    return Leaderboard(title[:100], rule, tuple(found))


def _boards(reading: Reading) -> list[tuple[Section, list[Section]]]:
    boards = reading.top.sections("leaderboards", "leaderboard", most=MOST_BOARDS)
    found = []
    for n, board in enumerate(boards):
        columns = board.sections("columns", most=MOST_COLUMNS)
        if n == 0 and not columns and board.get("columns") is None:
            reading.problems.add("missing", board.where("columns"), expected="sections")
        order = {id(c): c.whole("index", default=at) or 0 for at, c in enumerate(columns)}
        found.append((board, sorted(columns, key=lambda c: order[id(c)])))
    return found


def _old_boards(reading: Reading) -> list[tuple[Section, list[Section]]]:
    """In CodaLab 1.5 boards and columns stand next to each other, and a column repeats its board."""
    whole = reading.top.section("leaderboard")
    if whole is None:
        return []
    boards = whole.sections("leaderboards", most=MOST_BOARDS)
    columns = whole.sections("columns", most=MOST_COLUMNS)
    reading.note_unknown(whole)
    order = {id(c): c.whole("rank", default=1) or 0 for c in columns}
    columns.sort(key=lambda c: order[id(c)])
    by_label: dict[str, list[Section]] = {}
    for column in columns:
        board = column.section("leaderboard")
        label = board.text("label").lower() if board else ""
        by_label.setdefault(label, []).append(column)
    return [
        (board, by_label.get(board.text("label").lower()) or by_label.get("", []))
        for board in boards
    ]


def _column(reading: Reading, section: Section, *, is_hidden: bool) -> Column:
    """A column, as if the program wrote it."""
    old_key = section.path.removeprefix(OLD_COLUMNS) if reading.is_old else ""
    title = section.text("title", "label") or old_key
    key = old_key or section.text("key", is_needed=True)
    section.called(
        *("computation", "computed", "computation_indexes", "column_group"),
        *("index", "rank", "leaderboard", "id", "key"),
    )
    sorting = (section.text("sorting", "sort") or "desc").lower()
    if sorting not in DIRECTIONS:
        section.wrong(section.called("sorting", "sort"), "sorting", sorting)
    precision = section.whole("precision", "numeric_format", default=DEFAULT_PRECISION)
    hidden = section.flag("hidden") or is_hidden
    reading.note_unknown(section)
    direction = DIRECTIONS.get(sorting, "higher")
    precision = DEFAULT_PRECISION if precision is None else precision
    return Column(key, (title or key)[:100], direction, precision, hidden)


def _computed(reading: Reading, sections: list[Section], columns: list[Column]) -> list[Column]:
    """The columns, those that Codabench computes of others with these; without those that cannot be computed here.

    Values that are made of others are better when they are higher, and there are no ranks among them.
    """
    by_index = {
        str(section.whole("index", default=n)): column
        for n, (section, column) in enumerate(zip(sections, columns, strict=True))
        if not section.get("computation", "computed")
    }
    found = []
    for section, column in zip(sections, columns, strict=True):
        said = section.get("computation", "computed")
        if not said:
            found.append(column)
            continue
        of = COMPUTATIONS.get(said.lower(), "") if isinstance(said, str) else ""
        parts = [by_index.get(index) for index in section.indexes("computation_indexes")]
        keys = tuple(part.key for part in parts if part is not None)
        if of and keys and len(keys) == len(parts) and column.direction == "higher":
            found.append(replace(column, of=of, parts=keys))
        else:
            reading.left_out.add("computation", section.path, got=column.title)
    return found


def _check_keys(reading: Reading, sections: list[Section], columns: list[Column]) -> None:
    seen: set[str] = set()
    for column in columns:
        if column.key and column.key in seen:
            where = sections[0].path.rpartition("[")[0] or sections[0].path
            reading.problems.add("twice", where, got=column.key)
        seen.add(column.key)
