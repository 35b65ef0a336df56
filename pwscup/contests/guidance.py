# SPDX-License-Identifier: Apache-2.0
"""The state of a contest, and the next step of its viewer."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from pwscup.accounts.guests import class_code
from pwscup.accounts.policies import is_over
from pwscup.contests.downloads import terms_url
from pwscup.contests.models import Contest, Round
from pwscup.contests.policies import are_results_complete, has_accepted, is_frozen
from pwscup.contests.selectors import current_round, following_round, judged_round
from pwscup.core.texts.parts import joined
from scoring.rulesets import localized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.policies import Person


@dataclass(frozen=True, slots=True)
class Moment:
    """A round on the timeline."""

    round: Round
    state: str  # upcoming | open | paused | closed | draft: it opens when the contest is published


@dataclass(frozen=True, slots=True)
class Interrupted:
    """Time that did not count, on the timeline; without an end it continues."""

    words: str
    started_at: datetime
    ended_at: datetime | None
    length: str
    reason: str


@dataclass(frozen=True, slots=True)
class Boundary:
    """The next opening or closing, and its time."""

    words: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Step:
    """The next step of this viewer, and its page; without an address there is nothing to do."""

    title: str
    words: str
    url: str = ""
    label: str = ""
    in_browser: str = ""  # the page where the same is done without files of one's own
    is_awaited: bool = False  # it changes by itself within seconds
    is_upcoming: bool = (
        False  # it changes when the next round opens, which may be earlier than planned
    )
    more_url: str = ""
    more_label: str = ""


def timeline(rounds: Sequence[Round], now: datetime) -> list[Moment]:
    """Every round with its state."""
    return [Moment(round, _state_of_moment(round, now)) for round in rounds]


def _state_of_moment(round: Round, now: datetime) -> str:
    state = round_state(round, now)
    is_waiting = state in ("open", "paused") and not round.contest.is_published
    return "draft" if is_waiting else state


@dataclass(frozen=True, slots=True)
class StageRows:
    """The rounds of a stage; without a title if the contest has only one."""

    title: str
    rows: list[tuple[Any, Moment]]


def by_stage(contest: Contest, forms: Sequence[Any], moments: Sequence[Moment]) -> list[StageRows]:
    """The forms of rounds with their states, by stage."""
    stages, language = contest.ruleset.stages, get_language() or "en"
    titles = {stage.key: localized(stage.title, language) for stage in stages}
    rows: list[StageRows] = []
    last = None
    for form, moment in zip(forms, moments, strict=True):
        key = moment.round.spec.stage
        if key != last:
            rows.append(StageRows(titles[key] if len(stages) > 1 else "", []))
        rows[-1].rows.append((form, moment))
        last = key
    return rows


def round_state(round: Round, now: datetime) -> str:
    if round.is_open(now):
        return "open"
    if round.has_closed(now):
        return "closed"
    return "paused" if round.has_opened(now) else "upcoming"


def interruptions(contest: Contest, now: datetime) -> list[Interrupted]:
    """The pauses and outages of a contest, in order."""
    return [
        Interrupted(
            words=str(found.get_kind_display()),
            started_at=found.started_at,
            ended_at=found.ended_at,
            length=length_text((found.ended_at or now) - found.started_at),
            reason=found.reason,
        )
        for found in contest.interruptions.all()
    ]


def length_text(length: timedelta) -> str:
    """Days, hours and minutes, rounded up to the minute."""
    minutes = -(-int(length.total_seconds()) // 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    parts = (
        ngettext("%(n)d day", "%(n)d days", days) % {"n": days} if days else "",
        ngettext("%(n)d hour", "%(n)d hours", hours) % {"n": hours} if hours else "",
        ngettext("%(n)d minute", "%(n)d minutes", minutes) % {"n": minutes} if minutes else "",
    )
    return joined(*parts) or _("less than a minute")


def next_boundary(rounds: Sequence[Round], now: datetime) -> Boundary | None:
    """The end of the open round, or the next opening; nothing while the contest is paused."""
    if any(round.contest.paused_at is not None for round in rounds):
        return None
    current, following = current_round(rounds, now), following_round(rounds, now)
    if current is not None:
        words = _("%(round)s closes in") % {"round": current.local_title}
        return Boundary(words, current.closes_at)
    if following is not None:
        words = _("%(round)s opens in") % {"round": following.local_title}
        return Boundary(words, following.opens_at)
    return None


def _after_the_end(page: dict[str, Any]) -> Step:
    """The page of the results, for users who may see them."""
    contest = page["contest"]
    title = _("This contest is over")
    if not are_results_complete(contest, page["now"]):
        awaited = _(
            "The last uploads are awaited and scored. Results will follow; this page updates itself."
        )
        return Step(title, awaited, is_awaited=True)
    if not page["may_see_board"]:
        return Step(title, _("Its results are shown to its teams."), "", "")
    board, label = reverse("board", args=[contest.slug]), _("See the leaderboard")
    if is_frozen(contest, page["now"]):
        words = _("The leaderboard is frozen until the organizers reveal the final order.")
        return Step(title, words, board, label)
    if not _has_debriefing(contest, page["my_team"]):
        return Step(title, _("The results are on the leaderboard."), board, label)
    return Step(
        title,
        _("The results are on the leaderboard. The debriefing explains what was found, and why."),
        board,
        label,
        more_url=reverse("debriefing", args=[contest.slug]),
        more_label=_("Debriefing"),
    )


def _has_debriefing(contest: Contest, team: Team | None) -> bool:
    """The page of the debriefing has something for members of this team, or for visitors without one."""
    if contest.format.hides_table:
        disclosed = Contest.objects.filter(pk=contest.pk, debriefing_settings__discloses_table=True)
        if not disclosed.exists():
            return False
    return team is not None or contest.rounds.exclude(debriefing_examples=None).exists()


def next_step(page: dict[str, Any], user: Person) -> Step:
    """The next step of this viewer of the page that `contest_page` describes: join, accept the terms, submit."""
    contest, rounds, now = page["contest"], page["contest_rounds"], page["now"]
    slug = contest.slug
    if page["is_organizer"]:
        return Step(
            _("You organize this contest"),
            _("Data, rounds, submissions and the audit trail are on the organizer's pages."),
            reverse("organize-contest", args=[slug]),
            _("Organize"),
        )
    judged = judged_round(user, rounds)
    if judged is not None and not judged.has_closed(now):
        return Step(
            _("You judge the presentations"),
            _("Grade each team's presentation by each criterion while “%(round)s” is open.")
            % {"round": judged.local_title},
            reverse("marks", args=[slug, judged.key]),
            _("Enter grades"),
        )
    if is_over(contest, now):
        return _after_the_end(page)
    if judged is not None and page["my_team"] is None:
        return Step(_("You judge the presentations"), _("The time for grades is over."), "", "")
    if page["my_team"] is None:
        return _join(contest, is_anonymous=user.is_anonymous)
    if not has_accepted(user, contest):
        team = reverse("team", args=[slug])
        return Step(
            _("Read the terms"),
            _("Your team gets the data as soon as you have accepted the terms of participation."),
            terms_url(contest, team),
            _("Read and accept the terms"),
        )
    if contest.paused_at is not None:
        return Step(
            _("The contest is paused"),
            _("No files can be submitted, and no time is lost: all later dates will be postponed."),
        )
    return _play(slug, rounds, now)


def _join(contest: Contest, *, is_anonymous: bool) -> Step:
    team = reverse("team", args=[contest.slug])
    if is_anonymous and class_code(contest) is not None:
        return Step(
            _("Take part"),
            _("Scan the QR code of your class, or enter its code. You need no email address."),
            reverse("join"),
            _("Enter the class code"),
        )
    if contest.admission == contest.Admission.INVITED:
        return Step(
            _("Take part"),
            _("The organizers set up the teams: open the invitation link that you were sent."),
        )
    if is_anonymous:
        return Step(
            _("Take part"),
            _(
                "Log in or sign up; then create a team, or join one with an invitation link from its captain."
            ),
            f"{reverse('account_login')}?next={team}",
            _("Log in"),
        )
    words = _("Create a team, or join one with an invitation link from its captain.")
    return Step(_("Take part"), words, team, _("Create or join a team"))


def _play(slug: str, rounds: Sequence[Round], now: datetime) -> Step:
    current = current_round(rounds, now)
    if current is None:
        following = following_round(rounds, now)
        title = following.local_title if following else ""
        return Step(
            _("Your team is ready"),
            _("There is nothing to submit until “%(round)s” opens.") % {"round": title},
            is_upcoming=following is not None,
        )
    return Step(
        _("“%(round)s” is open") % {"round": current.local_title},
        str(current.format.todo),
        reverse("round", args=[slug, current.key]),
        _("Submit"),
        in_browser=reverse("trials", args=[slug, current.key]) if current.has_trials else "",
    )
