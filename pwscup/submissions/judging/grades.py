# SPDX-License-Identifier: Apache-2.0
"""The judges' grades of presentations: the order of talks, the grades, and their means."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.http import Http404
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.accounts.selectors import team_of
from pwscup.contests.models import Round
from pwscup.core import audit_log
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.submissions import policies, selectors
from pwscup.submissions.judging.models import JudgeComment
from pwscup.submissions.models import JudgeMark, Submission
from scoring.rulesets.base import CriterionSpec, localized

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.submissions.policies import Person

Key = tuple[int, str]
"""A team and a criterion."""

REFUSALS = {
    "not_judge": _("Only judges and organizers who do not play can give grades."),
    "closed": _("Grades can be given while the presentation round is open. Nothing was saved."),
    "unknown": _("This round has no such team or criterion."),
    "changed": _(
        "You saved grades from another window after you opened this page, so nothing was saved now. "
        "Check your grades below and make your change again."
    ),
}


class MarkRefused(RefusedByCode):
    """Refused grades; none of them is saved."""

    TEXTS = REFUSALS


# The order of talks


def speakers(round: Round) -> list[Team]:
    """The teams in the order in which they present.

    It follows from the contest's commitment and the time of each team's creation, to the microsecond, which
    nobody can choose, unlike a name; a new team does not change the relative order of the others.
    """
    contest = round.contest
    seed = contest.commitment or contest.slug
    out = selectors.disqualified(contest)
    teams = contest.teams.exclude(pk__in=out)
    if contest.rehearsal_of_id is None:
        teams = teams.filter(is_house=False)

    def drawn(team: Team) -> bytes:
        lot = f"{seed}/{round.key}/{team.created_at.astimezone(UTC).isoformat()}/{team.pk}"
        return hashlib.sha256(lot.encode()).digest()

    return sorted(teams, key=drawn)


@dataclass(frozen=True, slots=True)
class Talk:
    """A team's position in the order, and its slides if this viewer may download them."""

    position: int
    team: Team
    has_slides: bool
    may_see: bool


def talks(round: Round, viewer: Person, now: datetime) -> list[Talk]:
    """The public order of the presentations."""
    slides = selectors.counted_submissions(round)
    all_of_them = policies.may_see_all_slides(viewer, round, now)
    own = team_of(viewer, round.contest)
    return [
        Talk(position, team, team.pk in slides, all_of_them or team == own)
        for position, team in enumerate(speakers(round), start=1)
    ]


def slides_for(viewer: Person, round: Round, slug: str, now: datetime) -> Submission:
    """The slides of a team that count; Http404 if there are none or the viewer may not download them."""
    team = round.contest.teams.filter(slug=slug).first()
    counted = selectors.counted_submission(team, round) if team else None
    may_see = (
        policies.may_see_all_slides(viewer, round, now) or team_of(viewer, round.contest) == team
    )
    if not round.format.is_judged or counted is None or not may_see:
        raise Http404
    return counted


# Grades


def titled_criteria(round: Round) -> list[tuple[str, str]]:
    """The criteria: keys, and titles in the reader's language."""
    language = get_language() or "en"
    return [(c.key, localized(c.title, language)) for c in round.spec.criteria]


def newest(round: Round) -> dict[tuple[int | None, int, str], Decimal]:
    """The current grades, by judge, team and criterion."""
    given = JudgeMark.objects.filter(round=round).order_by("pk")
    rows = given.values_list("judge_id", "team_id", "criterion", "points")
    return {(judge, team, criterion): points for judge, team, criterion, points in rows}


def own_marks(round: Round, judge: Person) -> dict[Key, Decimal]:
    """The current grades of one judge."""
    return {key[1:]: points for key, points in newest(round).items() if key[0] == judge.pk}


def last_of(round: Round, judge: Person) -> int:
    """The number of rows of a judge: it grows with every save."""
    marks = JudgeMark.objects.filter(round=round, judge=judge.pk)
    return marks.count() + JudgeComment.objects.filter(round=round, judge=judge.pk).count()


def comments(round: Round) -> dict[tuple[int | None, int], str]:
    """The current comments, by judge and team; those that were taken back are left out."""
    given = JudgeComment.objects.filter(round=round).order_by("pk")
    newest = {row[:2]: row[2] for row in given.values_list("judge_id", "team_id", "text")}
    return {key: text for key, text in newest.items() if text}


def own_comments(round: Round, judge: Person) -> dict[int, str]:
    """The current comments of one judge, by team."""
    return {team: text for (pk, team), text in comments(round).items() if pk == judge.pk}


def comments_on(round: Round, team: Team) -> list[str]:
    """The texts of the judges about a team, without their names."""
    return [text for (_judge, pk), text in comments(round).items() if pk == team.pk]


def means(round: Round) -> dict[Key, float]:
    """By team and criterion, the mean over the judges who gave a grade."""
    given = JudgeMark.objects.filter(round=round).order_by("pk")
    rows = list(given.values_list("team_id", "judge_id", "criterion", "points"))
    return {
        (team, criterion.key): mean
        for criterion in round.spec.criteria
        for team, mean in mean_marks(rows, [criterion]).items()
    }


def mean_marks(
    rows: Iterable[tuple[int, int | None, str, Any]], criteria: Iterable[CriterionSpec]
) -> dict[int, float]:
    """By team, from rows of team, judge, criterion and points in the order in which they were given.

    The newest grade of every judge and criterion counts; criteria that are not in the rules are ignored.
    """
    named = {criterion.key for criterion in criteria}
    newest = {row[:3]: row[3] for row in rows if row[2] in named}
    by_judge: dict[tuple[int, int | None], list[Any]] = {}
    for (team, judge, _criterion), points in newest.items():
        by_judge.setdefault((team, judge), []).append(points)
    by_team: dict[int, list[Any]] = {}
    for (team, _judge), points in by_judge.items():
        by_team.setdefault(team, []).append(sum(points) / len(points))
    return {team: float(sum(means) / len(means)) for team, means in sorted(by_team.items())}


def means_of(round: Round, team: Team) -> list[tuple[str, float | None]]:
    """One team's mean by criterion, in the order and with the titles of the rules; None without a grade."""
    found = means(round)
    return [(title, found.get((team.pk, key))) for key, title in titled_criteria(round)]


def save(
    *,
    user: User,
    round: Round,
    given: Mapping[Key, Decimal],
    seen: int,
    comments: Mapping[int, str] = MappingProxyType({}),
    now: datetime | None = None,
) -> int:
    """Save a judge's grades and comments by team, all or none; return the number of new or changed ones.

    `seen` is the value of `last_of` when the judge's page was rendered.

    Raises
    ------
    MarkRefused
        If the user may not, the round is not open, or a newer page of the judge was saved in the meantime.
    """
    if not policies.may_see_marks(user, round):
        raise MarkRefused("not_judge")
    if not policies.may_mark(user, round, now or timezone.now()):
        raise MarkRefused("closed")
    _check_known(round, [*given, *((team, None) for team in comments)])
    with transaction.atomic():
        Round.objects.select_for_update(no_key=True).get(pk=round.pk)
        if last_of(round, user) != seen:
            raise MarkRefused("changed")
        held = own_marks(round, user)
        changed = {key: points for key, points in given.items() if held.get(key) != points}
        JudgeMark.objects.bulk_create(
            JudgeMark(round=round, team_id=team, judge=user, criterion=criterion, points=points)
            for (team, criterion), points in changed.items()
        )
        written = own_comments(round, user)
        new = {team: text for team, text in comments.items() if written.get(team, "") != text}
        JudgeComment.objects.bulk_create(
            JudgeComment(round=round, team_id=team, judge=user, text=text)
            for team, text in new.items()
        )
        if changed or new:
            counts = {"n_marks": len(changed)} | ({"n_comments": len(new)} if new else {})
            audit_log.record(
                "marks.saved",
                actor=user,
                contest_id=round.contest_id,
                subject=round.key,
                **counts,
            )
    return len(changed) + len(new)


def _check_known(round: Round, given: Iterable[tuple[int, str | None]]) -> None:
    teams = {team.pk for team in speakers(round)}
    criteria = {None, *(criterion.key for criterion in round.spec.criteria)}
    if any(team not in teams or criterion not in criteria for team, criterion in given):
        raise MarkRefused("unknown")
