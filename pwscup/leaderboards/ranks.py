# SPDX-License-Identifier: Apache-2.0
"""The rank of one submission among the teams' counting submissions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db.models import prefetch_related_objects

from pwscup.contests.rules.measures import hidden_measures, shown_measure
from pwscup.core.templatetags.pwscup import percent
from pwscup.leaderboards.boards import disclosure, measures
from pwscup.leaderboards.boards.attack_texts import attack_texts_of
from pwscup.leaderboards.boards.build import first_board
from pwscup.leaderboards.boards.cells import verdict_of
from pwscup.leaderboards.boards.medals import has_medals
from pwscup.leaderboards.boards.sections import Facts, Values
from pwscup.leaderboards.scope import may_show, scope_of
from pwscup.leaderboards.services import Boards, measures_of, served
from pwscup.submissions import selectors
from pwscup.submissions.models import Submission
from pwscup.submissions.results import finals
from pwscup.submissions.states import State
from scoring.formulas import MEASURE_RANKS
from scoring.formulas.ranking import AnonymizationStanding, EstimatesStanding, competition_ranks

if TYPE_CHECKING:
    from pwscup.contests.models import Round
    from pwscup.contests.policies import Person
    from scoring.registry import Measure


def context(submission: Submission, viewer: Person, now: datetime) -> dict[str, Any] | None:
    """The context of `_ranks.html`; None if the submission has no measures to rank.

    The team's own counting values are replaced by this submission's. The attacks of the others are those of
    the stored boards, which have read every rate. The ranks are hidden as long as the round's values are: a
    rank depends on the others' values. For a frozen contest, the others' values are those of the frozen
    boards.
    """
    round = submission.round
    newest = selectors.newest_evaluation(submission)
    if not round.format.is_measured or submission.state != State.SCORED:
        return None
    if newest is None or newest.values is None:
        return None
    prefetch_related_objects([round.contest], "rounds")  # requested repeatedly
    hidden = hidden_measures(round.contest, viewer)
    scope = scope_of(round.contest, now, stage=round.spec.stage, hidden=hidden)
    if round not in scope.stage.scored_rounds or not may_show(round, scope.now):
        return {"shown": False, "round": round, "contest": round.contest}
    is_final = finals.are_final(round, scope.now, scope.before)
    values = finals.values_of(newest, is_final=is_final) or {}
    known = measures_of(scope, now)
    is_playing = any(player.id == submission.team_id for player in known.players)
    measured = {**counted_values(known, round), submission.team_id: values}
    boards = None
    if is_playing and known.is_attack_shown:
        boards = served(round.contest, now, stage=round.spec.stage, hidden=hidden)
        if boards is None and needs_attacks(known, round):
            return {"awaited": True}
    worst = worst_attacks(boards if needs_attacks(known, round) else None, submission)
    standing = _standing(known, submission, measured, worst) if is_playing else None
    return {
        "shown": True,
        "as_of": boards.as_of if boards else None,
        "round": round,
        "contest": round.contest,
        "is_frozen": known.is_frozen,
        "standing": standing,
        "worst": _worst(known, standing),
        "verdict": _verdict(boards, submission.team_id),
        "n_teams": len(measured),
        "rows": [
            _row(known.rules.measure(measure), measured, submission.team_id, len(known.players))
            for measure in round.contest.ruleset.measures
            if measure not in hidden
        ]
        if is_playing
        else [],
    }


def _verdict(boards: Boards | None, team: int) -> str:
    """The ranks that the data admit for the team on the main board, in a sentence."""
    if boards is None:
        return ""
    rows = boards.outline[first_board(boards.scope.rules, boards.outline)]["rows"]
    own: Mapping[str, Any] = next((row for row in rows if row["team"] == team), {})
    return verdict_of(own.get("rank"), own.get("interval"))


def counted_values(known: Facts, round: Round) -> Mapping[int, Values]:
    """The counting values of each team in the round."""
    disclosed = (d.measured for d in known.disclosures if d.spec.key == round.key)
    return next(disclosed, known.measured)


def needs_attacks(known: Facts, round: Round) -> bool:
    return (
        round.format.is_attacked
        and known.ranking.formula == MEASURE_RANKS
        and known.is_attack_shown
    )


def worst_attacks(boards: Boards | None, submission: Submission) -> dict[int, float]:
    """The highest rate of another team against each published table: the others attacked the released
    submission, which implies nothing about another one."""
    worst = boards.worst if boards else {}
    if not submission.releases.exists():
        worst.pop(submission.team_id, None)
    return worst


def _standing(
    known: Facts,
    submission: Submission,
    measured: Mapping[int, Values],
    worst: Mapping[int, float],
) -> AnonymizationStanding | EstimatesStanding | None:
    """The place on the board of the round, if the formula makes one."""
    if submission.round.format.tells_of_table:
        return disclosure.board_of(known, measured)[submission.team_id]
    if known.ranking.formula != MEASURE_RANKS:
        return None
    found = measures.defence_of(known, measured, worst)
    return measures.without_hidden(known, found[submission.team_id])


def _worst(known: Facts, standing: AnonymizationStanding | EstimatesStanding | None) -> str:
    """The components of the safety rank, if there was an attack on the submission."""
    if not isinstance(standing, AnonymizationStanding) or standing.worst_rank is None:
        return ""
    found = {"rate": percent(standing.worst_rate), "rank": standing.worst_rank}
    return str(attack_texts_of(known.rules).worst) % found


def _row(
    measure: Measure, measured: Mapping[int, Values], team: int, n_teams: int
) -> dict[str, Any]:
    head = shown_measure(measure)
    found = {t: values.get(measure.id) for t, values in measured.items()}
    ranks = competition_ranks(found, direction=head.direction, n=n_teams)
    return {
        "measure": head,
        "value": found[team],
        "rank": ranks[team],
        "is_medal": ranks[team] == 1
        and not measure.is_worst(found[team])
        and has_medals(ranks[t] for t, value in found.items() if value is not None),
        "best": head.best_of(found.values()),
    }
