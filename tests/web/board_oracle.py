# SPDX-License-Identifier: Apache-2.0
"""What the boards are made of, read in the plain way: an object for every row, one rule after the other."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pwscup.contests.models import Round
from pwscup.submissions import selectors
from pwscup.submissions.models import Release, Submission

Values = Mapping[str, Any]


def values_of(submission: Submission, before: datetime | None) -> Values | None:
    newest = selectors.newest_evaluation(submission, before)
    return newest.values if newest else None


def counted(round: Round, before: datetime | None) -> dict[int, tuple[int, Values | None]]:
    """Key and values of what counts of each team."""
    found = selectors.counted_submissions(round, before)
    return {team: (s.pk, values_of(s, before)) for team, s in found.items()}


def released(attack: Round, before: datetime | None) -> dict[int, tuple[int, Values | None]] | None:
    """The same of what was published to be attacked."""
    found = selectors.as_of(Release.objects.filter(round=attack), "created_at", before)
    standing = selectors.standing(Submission.objects.all(), before)
    if not found:
        return None
    return {
        release.team_id: (release.submission_id, values_of(release.submission, before))
        for release in found
        if standing.filter(pk=release.submission_id).exists()
    }


def rates(attack: Round, before: datetime | None) -> dict[tuple[int, int], float]:
    """The rate of the last guess that stands of each pair of teams."""
    guesses = Submission.objects.filter(round=attack).exclude(target=None)
    last: dict[tuple[int, int], Submission] = {}
    for guess in selectors.standing(guesses, before).order_by(*selectors.OLDEST_FIRST):
        last[guess.team_id, guess.target.team_id] = guess
    values = {pair: values_of(guess, before) or {} for pair, guess in last.items()}
    return {pair: of["rate"] for pair, of in values.items() if of.get("rate") is not None}
