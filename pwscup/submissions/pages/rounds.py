# SPDX-License-Identifier: Apache-2.0
"""Contexts of the pages of rounds: plain functions of facts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Max
from django.urls import reverse
from django.utils.translation import get_language

from pwscup.contests.downloads import terms_first_url
from pwscup.contests.guidance import round_state
from pwscup.contests.rules.asked import shown_questions
from pwscup.contests.rules.measures import hidden_measures, shown_measure
from pwscup.contests.selectors import contest_page, download_name, downloads
from pwscup.contests.teams.tables import in_files
from pwscup.core.http.polling import etag
from pwscup.submissions import draws, policies, selectors
from pwscup.submissions.forms import GuessForm, NoteForm, TableForm
from pwscup.submissions.intake import inflight, limits
from pwscup.submissions.intake.gates import gate, used_today
from pwscup.submissions.judging import grades, votes
from pwscup.submissions.models import Choice, Evaluation, Ruling, Submission
from pwscup.submissions.pages import disclosing
from pwscup.submissions.pages.lines import folded, headline_of, lines
from pwscup.submissions.results import finals
from pwscup.submissions.states import UNFINISHED, USES_A_TRY
from scoring.rulesets.base import localized

if TYPE_CHECKING:
    from django.http import HttpRequest

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Round, RoundHint
    from pwscup.submissions.models import Release
    from pwscup.submissions.pages.lines import Line

DATA = frozenset({"original", "schema"})


def round_page(request: HttpRequest, round: Round, form: NoteForm | None) -> tuple[str, dict]:
    """Template and context of a round's page; `form` is a refused form, if any."""
    context = contest_page(request, round.contest, round.key)
    team, now = context["my_team"], context["now"]
    context |= {
        "round": round,
        "round_state": round_state(round, now),
        "awaited": awaited(round, now),
        "description": localized(round.spec.description, get_language() or "en"),
        "max_file_bytes": selectors.max_file_bytes(round),
        "max_upload_bytes": settings.MAX_UPLOAD_BYTES,
        "terms_first": terms_first_url(request, round.contest),
        "hints": hints_for(round) if team or context["is_organizer"] else (),
        "history_etag": history_etag(team, round, now) if team else "",
    }
    page = PAGES[round.format.page]
    return f"submissions/{page.__name__}.html", context | page(request, round, team, now, form)


def hints_for(round: Round) -> list[RoundHint]:
    """The published hints, for teams and organizers, the newest first."""
    published = round.hints.filter(published_at__isnull=False)
    return list(published.order_by("-published_at", "-pk"))


@dataclass(frozen=True, slots=True)
class Awaited:
    """The wait for results or targets: for uploads that began in time, or for their publication only."""

    uploads: inflight.Waiting | None

    @property
    def etag(self) -> str:
        return etag(self)


def awaited(round: Round, now: datetime) -> Awaited | None:
    """The wait for the results of a closed round, or the targets of an open one; None if they are there."""
    if uploads := inflight.waited_for(round, now):
        return Awaited(uploads)
    if not round.format.has_targets or not round.is_open(now) or selectors.releases(round).exists():
        return None
    attacked = selectors.attacked_round(round)
    uploads = inflight.waited_for(attacked, now) if attacked else None
    return Awaited(uploads) if uploads or pending(round) == "preparing" else None


# The anonymization round


def anonymization(
    request: HttpRequest,
    round: Round,
    team: Team | None,
    now: datetime,
    form: NoteForm | None,
) -> dict[str, Any]:
    """Form, samples and history."""
    return {
        **table_form(request, round, team, now, form),
        "validity": round.contest.ruleset.validity,
        **round.contest.format.rules.asked(round.contest.ruleset),
        **measured_history(request, round, team, now),
        **offered_files(round.contest, team, now),
    }


def history_etag(team: Team, round: Round, now: datetime) -> str:
    """Changes with everything that the page of a round shows of the team's own submissions."""
    contest = round.contest
    states = Submission.objects.filter(team=team, round=round).order_by("pk")
    evaluated = Evaluation.objects.filter(submission__team=team, submission__round=round)
    decided = (Choice.objects.filter(team=team, round=round), Ruling.objects.filter(team=team))
    return etag(
        list(states.values_list("pk", "state", "note")),
        [rows.aggregate(last=Max("pk"))["last"] for rows in (evaluated, *decided)],
        contest.version,
        contest.clock(now).astimezone(contest.tz).date(),
        [(r.has_closed(now), r.is_settled(now)) for r in contest.rounds.all()],
        finals.are_final(round, now),
    )


def measured_history(
    request: HttpRequest, round: Round, team: Team | None, now: datetime
) -> dict[str, Any]:
    """The team's submissions in a round without targets, and their visible measures."""
    ruleset = round.contest.ruleset
    return {
        **history_of(request, round, team, now),
        "headline": [
            shown_measure(ruleset.measure(key))
            for key in headline_of(ruleset, hidden_measures(round.contest, request.user))
        ],
        "has_rates": bool(ruleset.ranking.linkage),
        "by_choice": policies.counts_by_choice(round),
    }


def history_of(
    request: HttpRequest, round: Round, team: Team | None, now: datetime
) -> dict[str, Any]:
    """The team's submissions in a round without targets."""
    history = list(selectors.submissions_of_team(team, round)) if team else []
    counted = selectors.counted_submission(team, round) if team else None
    return {
        **folded(lines(history, request.user, now, [counted.pk] if counted else [])),
        "unfinished": [s for s in history if s.state in UNFINISHED],
    }


def table_form(
    request: HttpRequest, round: Round, team: Team | None, now: datetime, form: NoteForm | None
) -> dict[str, Any]:
    """The form of a round without targets, or the reason why there is none, and the remaining attempts."""
    left = selectors.tries_left(team, round) if team else None
    today = limits.left_today(team, round, now) if team else None
    closed_to_me = gate(request, round, team, now, left=left, today=today)
    shown = form or (None if closed_to_me else empty_form(request, round))
    return {"gate": closed_to_me, "form": shown, "tries_left": left, "left_today": today}


def empty_form(request: HttpRequest, round: Round, *data: Any) -> TableForm:
    """The form of the files of a round without targets; organizers submit for teams of the platform."""
    teams: Iterable[Team] = ()
    if policies.publishes_for_house(request.user, round):
        teams = round.contest.teams.filter(is_house=True).order_by("name")
    return TableForm(round, round.spec.files, *data, teams=teams)


def offered_files(contest: Contest, team: Team | None, now: datetime) -> dict[str, Any]:
    """The data for the task, all and each by its key, and a valid sample submission.

    A team's own table is drawn now if it is due.
    """
    if team is not None and contest.format.own_tables:
        draws.ensure_drawn(team, now)
    may_choose = team is not None and draws.may_choose(team, now)
    files = downloads(contest, team)
    data = [file for file in files if file.key in DATA]
    return {
        "originals_to_choose": contest.ruleset.data.numbers if may_choose else (),
        "data_files": data,
        "samples": [file for file in files if file not in data],
        **{key: next((file for file in data if file.key == key), None) for key in DATA},
    }


# The attack round


@dataclass(frozen=True, slots=True)
class Target:
    """Another team's table, and the results of the viewer's team against it."""

    release: Release
    n_used: int
    tries_left: int
    left_today: int | None
    last: Line | None
    counting: Line | None

    @property
    def may_guess(self) -> bool:
        return bool(self.tries_left) and self.left_today != 0


def attack(
    request: HttpRequest,
    round: Round,
    team: Team | None,
    now: datetime,
    form: NoteForm | None,
) -> dict[str, Any]:
    """Form, targets and history."""
    tables = list(selectors.releases(round)) if round.has_opened(now) else []
    guesses = list(selectors.submissions_of_team(team, round)) if team else []
    counting = selectors.counting_guesses(team, round) if team else {}
    history = lines(guesses, request.user, now, counting.values())
    left = selectors.tries_left_by_target(team, round) if team else {}
    today = limits.left_today_by_target(team, round, now) if team else None
    others = [table for table in tables if team is None or table.team_id != team.pk]
    in_all = limits.left_in_all(team, round) if team else None
    closed_to_me = gate(request, round, team, now, left=in_all)
    return {
        "gate": closed_to_me,
        "left_in_all": in_all,
        "pending": None if tables or not round.has_opened(now) else pending(round),
        "form": form
        or (guess_form(round, team, others) if team and others and not closed_to_me else None),
        "targets": [_target(table, history, left, today) for table in others],
        "used_today": used_today(round, now) if today and 0 in today.values() else "",
        "has_candidates": "candidates" in round.spec.gives,
        "has_people": "people" in round.spec.gives,
        "questions": shown_questions(round.spec, get_language() or "en"),
        "rate_title": round.contest.format.boards.attack(round.contest.ruleset).guess_rate,
        "schema_name": download_name(round.contest, "schema.toml"),
        "guess_names": guess_names(round, team.slug if team else "", ["<team>"]),
        "may_download": any(
            policies.may_download_release(request.user, t, now) for t in tables[:1]
        ),
        "own_table": next((t for t in tables if team and t.team_id == team.pk), None),
        **folded(history),
        "unfinished": [line.submission for line in history if line.unfinished],
    }


def pending(round: Round) -> str:
    """The reason why no table is published: the tables are being prepared, or no team has one."""
    attacked = selectors.attacked_round(round)
    if attacked is None:
        return "nothing"
    coming = selectors.has_unfinished(attacked) or selectors.counted_submissions(attacked)
    return "preparing" if coming else "nothing"


def guess_form(round: Round, team: Team, others: Iterable[Release], *data: Any) -> GuessForm:
    """The form for guesses against these targets."""
    names = {release.team.slug: release.team.name for release in others}
    return GuessForm(round, names, team.slug, *data, names=guess_names(round, team.slug, names))


def guess_names(round: Round, own: str, targets: Iterable[str]) -> list[str]:
    """The names of guess files in this round."""
    if round.format.names_both_teams:
        return [f"{in_files(own or '<own>')}_attack_{in_files(slug)}.csv" for slug in targets]
    return [f"{slug}.csv" for slug in targets]


def _target(
    table: Release,
    history: Sequence[Line],
    left: dict[int, int],
    today: dict[int, int] | None,
) -> Target:
    own = [line for line in history if line.submission.target_id == table.pk]
    return Target(
        release=table,
        n_used=sum(line.submission.state in USES_A_TRY for line in own),
        tries_left=left.get(table.pk, 0),
        left_today=None if today is None else today.get(table.pk, 0),
        last=own[0] if own else None,
        counting=next((line for line in own if line.counts), None),
    )


# The disclosure of a hidden table


def disclosure(
    request: HttpRequest,
    round: Round,
    team: Team | None,
    now: datetime,
    form: NoteForm | None,
) -> dict[str, Any]:
    """Form and history, the target of the estimate, and the disclosed data: a released table, or answers."""
    return {
        **table_form(request, round, team, now, form),
        **measured_history(request, round, team, now),
        **disclosing.facts(round, team, now),
        "may_download": policies.may_have_published(request.user, round, now),
    }


# The presentations


def presentation(
    request: HttpRequest,
    round: Round,
    team: Team | None,
    now: datetime,
    form: NoteForm | None,
) -> dict[str, Any]:
    """The order of the teams and their slides, the form for the team's own, and its grades when they are shown."""
    settled = round.is_settled(now)
    return {
        **table_form(request, round, team, now, form),
        **history_of(request, round, team, now),
        "talks": grades.talks(round, request.user, now),
        "criteria": grades.titled_criteria(round),
        "own_means": grades.means_of(round, team) if team and settled else None,
        "own_comments": grades.comments_on(round, team) if team and settled else (),
        "may_see_marks": policies.may_see_marks(request.user, round),
        **_vote(request, round, team),
    }


def _vote(request: HttpRequest, round: Round, team: Team | None) -> dict[str, Any]:
    """The vote of the audience, its result after the end, and the link for guests for organizers."""
    vote = votes.vote_of(round)
    if vote is None:
        return {"vote": None}
    path = reverse("guest-vote", args=[vote.token]) if vote.token else ""
    return {
        "vote": vote,
        "may_vote": team is not None,
        "award": votes.result_of(vote) if vote.ended_at else None,
        "guest_url": request.build_absolute_uri(path) if path else "",
    }


PAGES = {
    "anonymization": anonymization,
    "attack": attack,
    "disclosure": disclosure,
    "presentation": presentation,
}
"""By the purpose of a round; the templates are named like the functions."""
