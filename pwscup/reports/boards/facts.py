# SPDX-License-Identifier: Apache-2.0
"""The boards of a final report: of every stage, of the season and of every division."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from pwscup.leaderboards import scope
from pwscup.leaderboards.boards import build as boards
from pwscup.leaderboards.boards import texts
from pwscup.leaderboards.boards.attack_texts import attack_texts_of, risk_text
from pwscup.leaderboards.services import boards_of
from pwscup.reports.outcome import final_board
from scoring.rulesets import localized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pwscup.contests.models import Contest
    from pwscup.leaderboards.boards.attack_texts import AttackTexts
    from pwscup.leaderboards.services import Boards
    from scoring.rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Board:
    """One public board; `data` is its section of the stored boards."""

    name: str
    title: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Group:
    """The boards of a stage, of the season or of a division; `key` is its anchor on the page."""

    key: str
    title: str
    boards: tuple[Board, ...]
    digest: str
    rules: Ruleset

    @property
    def attack(self) -> AttackTexts:
        return attack_texts_of(self.rules)

    @property
    def risks(self) -> str:
        """What explains the risk measures if their names do not."""
        return risk_text(self.rules)

    def board(self, name: str) -> Mapping[str, Any] | None:
        kinds = ((texts.kind_of(board.name, board.data), board.data) for board in self.boards)
        return next((data for kind, data in kinds if kind == name), None)


def groups(contest: Contest, now: datetime) -> list[Group]:
    """The season first, then the stages from the last to the first, then the divisions."""
    rules = contest.ruleset
    found = []
    if scope.has_season(rules):
        season = final_board(contest, now)
        found.append(
            _group(
                "season",
                str(texts.TITLES["season"]),
                season.boards,
                boards.season_boards_of(rules),
            )
        )
    names = boards.boards_of_formula(rules)
    hidden = contest.hidden_measures
    for spec in reversed(rules.stages):
        made = boards_of(contest, now, stage=spec.key, hidden=hidden)
        title = localized(spec.title, get_language() or "en") if len(rules.stages) > 1 else ""
        found.append(_group(f"stage-{spec.key}", title, made, names))
    return [*found, *_divisions(contest, now)]


def _divisions(contest: Contest, now: datetime) -> Iterator[Group]:
    for division in contest.divisions.all():
        made = final_board(contest, now, division)
        title = _("Division: %(division)s") % {"division": division.local_title}
        yield _group(f"division-{division.key}", title, made.boards, (made.name,))


def _group(key: str, title: str, made: Boards, names: tuple[str, ...]) -> Group:
    """The boards with content: a stage need not have an attack round."""
    there = (name for name in names if _says_something(made.data[name]))
    return Group(
        key,
        title,
        tuple(
            Board(name, texts.board_title(name, made.scope.rules), made.data[name])
            for name in there
        ),
        made.key,
        made.scope.rules,
    )


def _says_something(section: Mapping[str, Any]) -> bool:
    """There are rows, and columns if these differ between contests."""
    columns = (section[key] for key in ("measures", "defenders") if key in section)
    return bool(section["rows"]) and all(columns)


def digest_of(found: list[Group]) -> str:
    """The digest of the facts behind the boards: different digest, different boards."""
    return hashlib.sha256("|".join(group.digest for group in found).encode()).hexdigest()


def key_of(contest: Contest, now: datetime) -> str:
    """The digest of the current boards."""
    return digest_of(groups(contest, now))
