# SPDX-License-Identifier: Apache-2.0
"""Reading a list of boards, and what all of them share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scoring.formulas import BOARD_TOTALS, FINAL, OF_LISTED, OVER_BOARDS, SEASONS, TIE_BREAKS
from scoring.formulas.boards import in_order
from scoring.options import Option
from scoring.rulesets.base import ONLY_BOARD, BoardSpec, RankingSpec
from scoring.rulesets.loader_ranking import (
    check_attacks,
    found_formula,
    read_settings,
    read_shared,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from scoring.formulas import Formula
    from scoring.rulesets.base import MeasureSpec, RoundSpec, StageSpec
    from scoring.rulesets.document import Document

RESERVED = (ONLY_BOARD, "measures", "matrix", "season", "n_teams", "live", FINAL)
"""Names of further boards, which no key may be."""
TOP_K = "top-k-attack"
_WEIGHTS = Option("weights", "numbers", (), "what each of the boards weighs")


def read_boards(
    document: Document,
    measures: Sequence[MeasureSpec],
    stages: Sequence[StageSpec],
    rounds: Sequence[RoundSpec],
) -> tuple[tuple[BoardSpec, ...], RankingSpec]:
    """The boards of `[[board]]`, and of `[ranking]` what all of them share."""
    documents = document.tables("board")
    keys = [_key(item) for item in documents]
    _check_keys(documents, keys)
    boards = tuple(
        _board(item, key, keys, stages, rounds) for item, key in zip(documents, keys, strict=True)
    )
    boards = _directed(documents, boards)
    formulas = [OF_LISTED[board.formula] for board in boards if board.formula]
    used = {part for formula in formulas for part in formula.uses}
    used |= {name for board in boards for name in board.tie_breaks}
    used |= {
        part
        for board in boards
        if board.settings.get("of") == "total" and not board.boards
        for part in ("utility",)
    }
    shared: dict[str, Any] = {}
    ranking = document.table("ranking") if document.has("ranking") or "utility" in used else None
    if ranking is not None and measures:
        shared = read_shared(ranking, measures, used, formulas)
    elif ranking is not None:
        ranking.give_up()
    first = boards[0] if boards else None
    return boards, RankingSpec(
        formula=first.formula if first else "",
        settings=first.settings if first else {},
        tie_breaks=first.tie_breaks if first else (),
        **shared,
    )


def _key(document: Document) -> str:
    key = document.short_name("key")
    if key in RESERVED or key.startswith("season-"):
        names = ", ".join(RESERVED)
        document.wrong("key", f"another name than {names}, and none that begins with season-", key)
    return key


def _check_keys(documents: Sequence[Document], keys: Sequence[str]) -> None:
    for position, (document, key) in enumerate(zip(documents, keys, strict=True)):
        if key and key in keys[:position]:
            document.wrong("key", "a key that no other board has", key)


def _board(
    document: Document,
    key: str,
    keys: Sequence[str],
    stages: Sequence[StageSpec],
    rounds: Sequence[RoundSpec],
) -> BoardSpec:
    name = document.choice("formula", OF_LISTED, may_be_absent=True)
    formula = found_formula(document, OF_LISTED, name)
    title = document.translated("title")
    if formula is None:
        document.give_up()  # which other keys are right depends on the formula
        return BoardSpec(key, title, "")
    check_attacks(document, formula, stages, rounds)
    others = [other for other in keys if other and other != key]
    further = [other for other in others if other not in TIE_BREAKS]  # these are scores
    settings = read_settings(document, formula)
    boards = _boards(document, formula, settings, others)
    season = document.choice("season", SEASONS) if document.has("season") else SEASONS[0]
    if season == "boards" and formula.id not in OVER_BOARDS:
        document.wrong(
            "season", f"totals or ranks, as {formula.id} is no formula over boards", season
        )
    return BoardSpec(
        key,
        title,
        formula.id,
        settings,
        boards,
        _weights(document, formula, boards),
        _tie_breaks(document, "tie_breaks", (*TIE_BREAKS, *further)) or (),
        season,
        _tie_breaks(document, "season_tie_breaks", (*TIE_BREAKS, FINAL, *further)),
        formula.direction,
    )


def _boards(
    document: Document, formula: Formula, settings: Mapping[str, Any], others: Sequence[str]
) -> tuple[str, ...]:
    """The boards that this one is made of; or the one whose totals say which tables are the best."""
    is_needed = formula.id in OVER_BOARDS
    if not is_needed and not document.has("boards"):
        return ()
    if not is_needed and settings.get("of") != "total":
        expected = f"nothing, as {formula.id} takes nothing from other boards"
        document.wrong("boards", expected, "boards")
        document.give_up()
        return ()
    boards = document.choices("boards", others)
    if not is_needed and len(boards) > 1:
        document.wrong(
            "boards", "one board, whose totals say which tables are the best", len(boards)
        )
    return boards


def _weights(document: Document, formula: Formula, boards: Sequence[str]) -> tuple[float, ...]:
    if formula.id not in OVER_BOARDS:
        return ()
    if not document.has("weights"):
        return (1.0,) * len(boards)
    weights = tuple(map(float, document.accepted("weights", _WEIGHTS) or ()))
    if weights and boards and (len(weights) != len(boards) or not any(weights)):
        expected = f"a number for each of the {len(boards)} boards, not all of them 0"
        document.wrong("weights", expected, ", ".join(f"{w:g}" for w in weights))
    return weights if len(weights) == len(boards) else (1.0,) * len(boards)


def _tie_breaks(document: Document, key: str, known: Sequence[str]) -> tuple[str, ...] | None:
    return document.choices(key, known, empty=True) if document.has(key) else None


def _directed(documents: Sequence[Document], boards: Sequence[BoardSpec]) -> tuple[BoardSpec, ...]:
    """The boards with their directions: that of totals of other boards is theirs, and has to be the same."""
    keys = [board.key for board in boards]
    if len(set(keys)) < len(keys) or not all(board.key and board.formula for board in boards):
        return tuple(boards)
    try:
        ordered = in_order(boards)
    except ValueError:
        for document, board in zip(documents, boards, strict=True):
            if board.refers_to and _leads_to(board.key, boards):
                document.wrong("boards", "boards that are not made of this one", board.key)
        return tuple(boards)
    from dataclasses import replace

    made: dict[str, BoardSpec] = {}
    for board in ordered:
        directions = sorted({made[key].direction for key in board.boards})
        made[board.key] = board
        if board.formula == BOARD_TOTALS and directions:
            made[board.key] = replace(board, direction=directions[0])
            if len(directions) > 1:
                documents[keys.index(board.key)].wrong(
                    "boards", "boards on which the same totals are better", " and ".join(directions)
                )
    return tuple(made[key] for key in keys)


def _leads_to(key: str, boards: Sequence[BoardSpec]) -> bool:
    """The board of this key is made of itself."""
    by_key = {board.key: board for board in boards}
    seen, left = set[str](), {*by_key[key].refers_to}
    while left:
        seen |= left
        left = {other for name in left if name in by_key for other in by_key[name].refers_to} - seen
    return key in seen
