# SPDX-License-Identifier: Apache-2.0
"""Certificates: their recipients and content."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.utils import translation
from django.utils.formats import date_format

from pwscup.reports.outcome import deciding_rounds, final_board, is_decided
from pwscup.submissions.selectors import disqualified

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from pwscup.reports.outcome import FinalBoard


@dataclass(frozen=True, slots=True)
class Place:
    """A rank, and the number of ranked teams."""

    rank: int
    n_ranked: int


@dataclass(frozen=True, slots=True)
class Certificate:
    """A team's certificate in one language; without a rank it is one of participation."""

    language: str
    contest: str
    team: str
    place: Place | None
    division: str
    place_in_division: Place | None
    ended_on: str
    signers: tuple[str, ...]
    commitment: str
    reveal: str


def for_everybody(contest: Contest, now: datetime, language: str) -> list[Certificate]:
    """The certificates of all teams in the order of the final board, then by name."""
    teams = contest.teams.filter(is_house=False).select_related("division")
    return _certificates(contest, teams, now, language)


def for_team(contest: Contest, team: Team, now: datetime, language: str) -> Certificate | None:
    """A team's own certificate; None if there is none, or not yet."""
    if not is_decided(contest, now):
        return None
    teams = contest.teams.filter(pk=team.pk, is_house=False).select_related("division")
    return next(iter(_certificates(contest, teams, now, language)), None)


def _certificates(
    contest: Contest, teams: Iterable[Team], now: datetime, language: str
) -> list[Certificate]:
    out = disqualified(contest)
    teams = [team for team in teams if team.pk not in out]
    board = final_board(contest, now)
    divisions = {team.division_id: team.division for team in teams if team.division}
    within = {key: final_board(contest, now, d) for key, d in divisions.items()}
    ranks = board.ranks
    teams.sort(key=lambda team: (ranks.get(team.pk, len(ranks) + 1), team.name))
    with translation.override(language):
        shared = _shared(contest, language)
        return [
            Certificate(
                team=team.name,
                place=_place(board, team),
                division=team.division.local_title if team.division else "",
                place_in_division=_place(within.get(team.division_id), team),
                **shared,
            )
            for team in teams
        ]


def _place(board: FinalBoard | None, team: Team) -> Place | None:
    rank = board.ranks.get(team.pk) if board else None
    return Place(rank, len(board.ranks)) if board and rank is not None else None


def _shared(contest: Contest, language: str) -> dict:
    """The common part of the certificates of all teams."""
    ended = max(round.closes_at for round in deciding_rounds(contest)).astimezone(contest.tz)
    people = contest.organizers.filter(deleted_at=None).order_by("pk")
    return {
        "language": language,
        "contest": contest.local_title,
        "ended_on": date_format(ended, "DATE_FORMAT" if language == "ja" else "j F Y"),
        "signers": tuple(person.display_name for person in people),
        "commitment": contest.commitment,
        "reveal": contest.reveal.sha256 if contest.reveal else "",
    }
