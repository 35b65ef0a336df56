# SPDX-License-Identifier: Apache-2.0
"""Gates: the reasons why a user cannot submit, each with the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.views import redirect_to_login
from django.urls import reverse
from django.utils.translation import gettext as _

from pwscup.accounts.policies import is_judge, is_organizer
from pwscup.core.texts.moments import shown_moment
from pwscup.submissions import draws, policies, selectors, services
from pwscup.submissions.intake import limits

if TYPE_CHECKING:
    from datetime import datetime

    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round


@dataclass(frozen=True, slots=True)
class Gate:
    """The reason why nothing can be submitted now, and the next step."""

    text: str
    step: str = ""
    url: str = ""


def gate(
    request: HttpRequest,
    round: Round,
    team: Team | None,
    now: datetime,
    *,
    left: int | None = None,
    today: int | None = None,
) -> Gate | None:
    """The first reason why the form is not shown; None if it is shown.

    `left` is the number of remaining attempts in the round and `today` that of the day, if limited.
    """
    slug = round.contest.slug
    if team is not None and team.pk in selectors.disqualified(round.contest):
        text = _("The organizers have disqualified your team.")
        return Gate(text, _("Read why"), reverse("decisions", args=[slug]))
    if round.has_closed(now) and not (team and policies.may_be_late(team, round, now)):
        if not round.is_settled(now):
            return Gate(_("This round has closed. Results will follow."))
        return Gate(
            _("This round has closed."), _("See the leaderboard"), reverse("board", args=[slug])
        )
    if request.user.is_anonymous:
        log_in = redirect_to_login(request.get_full_path()).url
        return Gate(_("Log in to submit files for your team."), _("Log in"), log_in)
    for_house = policies.publishes_for_house(request.user, round)
    if team is not None and round.spec.is_organizers:
        return Gate(str(services.REFUSALS["round.organizers"]))
    if team is None and not for_house:
        if is_organizer(request.user, round.contest) or is_judge(request.user, round.contest):
            return Gate(_("Files are submitted by teams. Organizers and judges do not play."))
        text = _("Files are submitted by teams, and you are not in a team yet: create or join one.")
        return Gate(text, _("To the teams"), reverse("team", args=[slug]))
    if not round.contest.is_published:
        return Gate(_("This contest is a draft: files can be submitted after it is published."))
    if not round.has_opened(now):
        text = _("This round has not opened yet. The rules describe the files to submit.")
        return Gate(text, _("Read the rules"), reverse("rules", args=[slug]))
    if team is not None and round.format.is_attacked and draws.is_left_out(team, now):
        return Gate(
            str(services.REFUSALS["team.no_tables"]),
            _("Ask a question"),
            reverse("questions", args=[slug]),
        )
    if not policies.runs(round, now):
        return Gate(_("The contest is paused: files can be submitted after it is resumed."))
    if left == 0:
        return Gate(_("All attempts are used. Rejected and cancelled files use none."))
    return Gate(used_today(round, now)) if today == 0 else None


def used_today(round: Round, now: datetime) -> str:
    """A message that the attempts of the day are used, and when the next one is possible."""
    following = limits.next_day(round, now)
    if following is None:
        return _(
            "The attempts of this day are used, and the round closes before the next day begins."
        )
    return _("The attempts of this day are used. The next one is possible from %(next)s on.") % {
        "next": shown_moment(following, round.contest.tz)
    }
