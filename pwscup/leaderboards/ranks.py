"""How one submission would stand among the teams' counted submissions."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from pwscup.contests.measures import shown_measure
from pwscup.leaderboards import facts
from pwscup.leaderboards.boards import Facts, Values, defence_of
from pwscup.submissions.models import Submission
from pwscup.submissions.states import State
from scoring.ranking import competition_ranks


def context(submission: Submission, now: datetime) -> dict[str, Any] | None:
    """The context of `_ranks.html`; None where the submission has no measures to rank.

    The team's own counted values are replaced by this submission's. The ranks are hidden as long as
    the round's values are: a rank is made of the others' values.
    """
    round = submission.round
    values = facts.newest_values(submission)
    if round.phase != "anonymization" or submission.state != State.SCORED or values is None:
        return None
    stage = facts.stage_of(round.contest, now)
    if stage.anonymization != round or not facts.may_show(round, now):
        return {"shown": False, "round": round, "contest": round.contest}
    known = facts.gather(stage)
    measured = {**known.measured, submission.team_id: values}
    standing = defence_of(_without_attacks_on(known, submission), measured)[submission.team_id]
    return {
        "shown": True,
        "contest": round.contest,
        "standing": standing,
        "n_teams": len(known.players),
        "rows": [
            _row(measure, measured, submission.team_id, len(known.players))
            for measure in round.contest.ruleset.measures
        ],
    }


def _without_attacks_on(known: Facts, submission: Submission) -> Facts:
    """The other teams attacked the released submission, which says nothing of another one."""
    if submission.releases.exists():
        return known
    rates = {pair: rate for pair, rate in known.rates.items() if pair[1] != submission.team_id}
    return replace(known, rates=rates)


def _row(measure: str, measured: dict[int, Values], team: int, n_teams: int) -> dict[str, Any]:
    head = shown_measure(measure)
    found = {t: values.get(measure) for t, values in measured.items()}
    ranks = competition_ranks(found, direction=head.direction, n=n_teams)
    return {
        "measure": head,
        "value": found[team],
        "rank": ranks[team],
        "best": head.best(found.values()),
    }
