# SPDX-License-Identifier: Apache-2.0
"""Common parts of what teams do: the address of a round, the caller's team, and the terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.accounts.selectors import team_of
from pwscup.api.problems import ApiRefused
from pwscup.contests.policies import has_accepted

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest
    from pwscup.core.http.requests import ApiRequest

CONTEST = "/contests/{slug:slug}"
ROUND = f"{CONTEST}/rounds/{{slug:key}}"
SUBMISSION = "/submissions/{uuid:public_id}"


def own_team(request: ApiRequest, contest: Contest) -> Team:
    """The caller's team; refused if there is none."""
    team = team_of(request.user, contest)
    if team is None:
        raise ApiRefused("team.none")
    return team


def after_terms(request: ApiRequest, contest: Contest) -> None:
    """Refuse data to a caller who has not accepted the terms."""
    if not has_accepted(request.user, contest):
        raise ApiRefused("terms.first")
