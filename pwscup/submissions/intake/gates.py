"""What stands in the way of whoever wants to hand something in, and the next step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.auth.views import redirect_to_login
from django.urls import reverse
from django.utils.translation import gettext as _

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
    """Why nothing can be handed in at the moment, and the next step."""

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
    """The first reason why the form is not shown; None where it is.

    `left` counts the tries of the round and `today` those of the day, where each is limited.
    """
    slug = round.contest.slug
    if team is not None and team.pk in selectors.disqualified(round.contest):
        text = _("The organizers have disqualified your team.")
        return Gate(text, _("Read why"), reverse("decisions", args=[slug]))
    if round.has_closed(now) and not (team and policies.may_be_late(team, round, now)):
        return Gate(
            _("This round has closed."), _("See the leaderboard"), reverse("board", args=[slug])
        )
    if request.user.is_anonymous:
        log_in = redirect_to_login(request.get_full_path()).url
        return Gate(_("Log in to hand in files for your team."), _("Log in"), log_in)
    if team is None:
        text = _("Files are handed in by teams, and you are in none yet: make one or join one.")
        return Gate(text, _("To the teams"), reverse("team", args=[slug]))
    if not round.contest.is_published:
        return Gate(_("This contest is a draft: nothing can be handed in before it is published."))
    if not round.has_opened(now):
        text = _("This round has not opened yet. The rules say what will be handed in.")
        return Gate(text, _("Read the rules"), reverse("rules", args=[slug]))
    if round.format.is_attacked and draws.is_left_out(team, now):
        return Gate(
            str(services.REFUSALS["team.no_tables"]),
            _("Ask a question"),
            reverse("questions", args=[slug]),
        )
    if not policies.runs(round, now):
        return Gate(_("The contest is paused: nothing can be handed in until it goes on."))
    if left == 0:
        return Gate(_("All tries are used. Rejected and cancelled files use none."))
    return Gate(used_today(round, now)) if today == 0 else None


def used_today(round: Round, now: datetime) -> str:
    """That the day's tries are used, and when the next one is possible."""
    following = limits.next_day(round, now)
    if following is None:
        return _("The tries of this day are used, and the round closes before the next day begins.")
    return _("The tries of this day are used. The next one is possible from %(next)s on.") % {
        "next": shown_moment(following, round.contest.tz)
    }
