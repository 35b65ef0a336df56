# SPDX-License-Identifier: Apache-2.0
"""Queries about submissions, always restricted to the viewer's permissions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import (
    Count,
    Exists,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    prefetch_related_objects,
)
from django.db.models.functions import Coalesce
from django.http import Http404

from pwscup.accounts.models import Team
from pwscup.contests.models import Contest, Round, upload_grace
from pwscup.core.db.prepared import Prepared
from pwscup.core.models import Event
from pwscup.submissions import policies
from pwscup.submissions.models import (
    TOO_SLOW,
    Choice,
    Evaluation,
    LateAllowance,
    Release,
    Rescore,
    Ruling,
    Submission,
    SubmissionFile,
)
from pwscup.submissions.states import UNFINISHED, USES_A_TRY, WASTED, State
from scoring.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from uuid import UUID

    from pwscup.submissions.policies import Person

NEWEST_FIRST = ("-arrived_at", "-id")
SLOW = Q(state=State.REJECTED, problems__0__code=TOO_SLOW)
OLDEST_FIRST = ("arrived_at", "id")


ITS_OWN = ("team", "round__contest", "target__team", "submitted_by")
ITS_RESULTS = ("evaluations__rescore", "files__file")


def _with_results(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """With team, round, target and evaluations of each, in a constant number of queries."""
    return submissions.select_related(*ITS_OWN).prefetch_related(*ITS_RESULTS)


# Submissions


def submissions_of_team(team: Team, round: Round) -> QuerySet[Submission]:
    """The submissions of a team in a round, the newest first."""
    found = Submission.objects.filter(team=team, round=round)
    return _with_results(found).order_by(*NEWEST_FIRST)


def submissions_in(contest: Contest) -> QuerySet[Submission]:
    """Every submission of a contest, the newest first: for its organizers."""
    found = Submission.objects.filter(round__contest=contest)
    return _with_results(found).order_by(*NEWEST_FIRST)


def get_visible(user: Person, public_id: UUID | str) -> Submission:
    """The submission with that id; Http404 if it does not exist or is not visible to the viewer."""
    submission = Submission.objects.select_related(*ITS_OWN).filter(public_id=public_id).first()
    if submission is None or not policies.may_see(user, submission):
        raise Http404
    prefetch_related_objects([submission], *ITS_RESULTS)  # nothing else is read for other users
    return submission


def newest_evaluation(submission: Submission, before: datetime | None = None) -> Evaluation | None:
    """The effective evaluation of a submission: its own, or the newest of an applied re-scoring.

    With `before`, re-scorings applied at that time or later are ignored. Reads nothing if the evaluations and
    their re-scorings are prefetched.
    """
    holding = (e for e in submission.evaluations.all() if e.holds)
    if before is not None:
        holding = (
            e for e in holding if e.rescore is None or (e.rescore.decided_at or before) < before
        )
    return max(holding, key=lambda e: e.pk, default=None)


def latest_evaluation(submission: Submission) -> Evaluation | None:
    """The displayed result; None if the submission is not scored."""
    return newest_evaluation(submission) if submission.state == State.SCORED else None


@dataclass(frozen=True, slots=True)
class Wasted:
    """Uploads of a user for a team that used no attempt: rejected, cancelled or failed."""

    team_id: int
    user_id: int | None
    n_uploads: int
    n_slow: int
    """The number of these whose scoring exceeded the time limit, or had begun before they were cancelled."""
    n_bytes: int


def wasted(contest: Contest, since: datetime) -> list[Wasted]:
    """Such uploads of all users in a contest since that time."""
    counted = _WASTED.rows(contest.pk, since)
    return [Wasted(team, user, n, n_slow, size or 0) for team, user, n, n_slow, size in counted]


def _wasted(contest_id: int, since: datetime) -> QuerySet[Submission, Any]:
    found = Submission.objects.filter(state__in=WASTED, arrived_at__gt=since)
    grouped = found.filter(team__contest=contest_id).order_by().values_list("team", "submitted_by")
    n, slow = Count("pk", distinct=True), SLOW | Q(state=State.CANCELLED, attempts__gt=0)
    n_slow = Count("pk", distinct=True, filter=slow)
    return grouped.annotate(n, n_slow=n_slow, size=Sum("files__file__size_bytes"))


_WASTED = Prepared(_wasted, int, datetime)


def refused_files(before: datetime) -> QuerySet[Submission]:
    """Submissions rejected or cancelled before that time that still have their bytes, which nothing needs.

    An appeal and an open re-scoring need the files of a rejected submission.
    """
    open_rescore = Rescore.objects.filter(contest=OuterRef("round__contest")).exclude(
        state__in=(Rescore.State.APPLIED, Rescore.State.DROPPED)
    )
    kept = SubmissionFile.objects.filter(submission=OuterRef("pk"), file__erased_at=None)
    refused = Submission.objects.filter(
        state__in=(State.REJECTED, State.CANCELLED), finished_at__lte=before, appeal=None
    )
    return refused.filter(Exists(kept), ~Exists(open_rescore))


def queue_place(submission: Submission) -> int | None:
    """1 for the submission that is scored next; None if it does not wait."""
    if submission.state != State.WAITING:
        return None
    earlier = Q(arrived_at__lt=submission.arrived_at) | Q(
        arrived_at=submission.arrived_at, pk__lt=submission.pk
    )
    return 1 + Submission.objects.filter(earlier, state=State.WAITING).count()


# Limits


def max_file_bytes(round: Round) -> int:
    """The largest file that the rules and the installation accept."""
    return min(round.contest.ruleset.limits.max_file_bytes, settings.MAX_UPLOAD_BYTES)


def used_and_last(team: Team, round: Round, target: Release | None = None) -> tuple[int, int]:
    """The number of used attempts of a team, in a round or against a target; and its last number in the
    round, or 0."""
    target_id = () if target is None else (target.pk,)
    query = _USED if target is None else _USED_AGAINST
    return query.first(team.pk, round.pk, *target_id) or (0, 0)


def _used(team_id: int, round_id: int, target_id: int | None = None) -> QuerySet[Submission, Any]:
    used = Count("pk", filter=Q(target=target_id, state__in=USES_A_TRY))
    found = Submission.objects.filter(team=team_id, round=round_id).order_by().values("team")
    return found.annotate(n=used, last=Max("number")).values_list("n", "last")


_USED, _USED_AGAINST = Prepared(_used, int, int), Prepared(_used, int, int, int)


def tries_left(team: Team, round: Round, target: Release | None = None) -> int:
    """The number of remaining attempts of a team: in a round, or against a target in an attack round."""
    return max(0, round.tries - used_and_last(team, round, target)[0])


def tries_left_by_target(team: Team, round: Round) -> dict[int, int]:
    """The number of remaining guesses of a team against each target, by the release's key; two queries."""
    keys = Release.objects.filter(round=round).values_list("pk", flat=True)
    left = dict.fromkeys(keys, round.tries)
    used = Submission.objects.filter(team=team, round=round, state__in=USES_A_TRY)
    for pk in used.exclude(target=None).values_list("target_id", flat=True):
        left[pk] = max(0, left[pk] - 1)
    return left


# What counts


def as_of(rows: QuerySet[Any], moment: str, before: datetime | None) -> QuerySet[Any]:
    """The rows whose `moment` is earlier; all of them without a bound."""
    return rows if before is None else rows.filter(**{f"{moment}__lt": before})


def holding(before: datetime | None = None) -> QuerySet[Evaluation]:
    """The effective evaluations, see `newest_evaluation`."""
    applied = Q(rescore__state=Rescore.State.APPLIED)
    if before is not None:
        applied &= Q(rescore__decided_at__lt=before)
    return Evaluation.objects.filter(Q(rescore=None) | applied).order_by()


def standing(
    submissions: QuerySet[Submission], before: datetime | None = None
) -> QuerySet[Submission]:
    """Submissions that were scored, not withdrawn by an organizer, and not rejected by a re-scoring.

    With `before`, the state at that time: later arrivals and decisions are ignored.
    """
    rulings = as_of(Ruling.objects.all(), "decided_at", before)
    newest = rulings.filter(submission=OuterRef("pk")).order_by("-pk").values("kind")[:1]
    accepted = holding(before).filter(
        submission=OuterRef("submission"), pk__gt=OuterRef("pk"), values__isnull=False
    )
    rejected = holding(before).filter(submission=OuterRef("pk"), values__isnull=True)
    judged = as_of(submissions, "arrived_at", before).annotate(
        ruled=Coalesce(Subquery(newest), Value(""))
    )
    judged = judged.filter(~Exists(rejected.filter(~Exists(accepted))), state=State.SCORED)
    return judged.exclude(ruled=Ruling.Kind.WITHDRAWN)


def newest_ruling(team: Team, submission: Submission | None = None) -> Ruling | None:
    """The effective ruling about a team, or about one of its submissions."""
    found = Ruling.objects.filter(team=team, submission=submission)
    return found.select_related("decided_by").order_by("-pk").first()


def decisions_in(contest: Contest) -> tuple[list[Ruling], list[LateAllowance]]:
    """All decisions of organizers about the teams of a contest, the newest first."""
    rulings = Ruling.objects.filter(team__contest=contest).order_by("-pk")
    allowances = LateAllowance.objects.filter(team__contest=contest).order_by("-pk")
    return (
        list(rulings.select_related("decided_by", "submission__round__contest")),
        list(allowances.select_related("granted_by", "round__contest")),
    )


def may_be_late(rounds: Collection[Round], now: datetime, before: datetime | None = None) -> bool:
    """A team may still submit late in one of a contest's rounds, or its upload may be in flight.

    The last permission of each team is effective; with `before`, the state at that time. No result is final
    until then.
    """
    return late_until(rounds, now, before) is not None


def late_until(
    rounds: Collection[Round], now: datetime, before: datetime | None = None
) -> datetime | None:
    """The latest deadline of a team that may be late; an upload of it may be in flight for some time longer."""
    found = LateAllowance.objects.filter(round__in=rounds).order_by("pk")
    allowed = as_of(found, "granted_at", before).values_list("team", "round", "until")
    newest = {row[:2]: row[2] for row in allowed}
    clock = next((round.contest.clock(now - upload_grace()) for round in rounds), now)
    return max((until for until in newest.values() if until > clock), default=None)


def _rulings_about(team_id: int) -> QuerySet[Ruling, Any]:
    rulings = Ruling.objects.filter(team=team_id, submission=None).order_by("-pk")
    return rulings.values_list("kind")[:1]


_NEWEST_RULING = Prepared(_rulings_about, int)


def is_disqualified(team: Team) -> bool:
    """The newest ruling disqualifies the team."""
    return _NEWEST_RULING.first(team.pk) == (Ruling.Kind.DISQUALIFIED,)


def disqualified(contest: Contest, before: datetime | None = None) -> set[int]:
    """The keys of the disqualified teams, according to the newest ruling about each."""
    rulings = Ruling.objects.filter(team__contest=contest, submission=None).order_by("pk")
    newest = dict(as_of(rulings, "decided_at", before).values_list("team_id", "kind"))
    return {team for team, kind in newest.items() if kind == Ruling.Kind.DISQUALIFIED}


def counted_submissions(round: Round, before: datetime | None = None) -> dict[int, Submission]:
    """The counting submission of each team: its choice, or the latest scored one; a constant number of queries."""
    scored = standing(Submission.objects.filter(round=round), before).order_by(*OLDEST_FIRST)
    counted = dict(scored.values_list("team_id", "pk"))
    if policies.counts_by_choice(round):
        choices = Choice.objects.filter(round=round, submission__in=scored.order_by().values("pk"))
        choices = as_of(choices, "chosen_at", before)
        counted |= dict(choices.order_by("id").values_list("team_id", "submission_id"))
    found = Submission.objects.select_related("team", "round__contest", "target__team")
    found = found.prefetch_related("evaluations__rescore").order_by("pk")
    return {s.team_id: s for s in found.filter(pk__in=counted.values())}


def counted_submission(team: Team, round: Round) -> Submission | None:
    """The counting submission of a team: its choice, or the latest scored one."""
    scored = standing(Submission.objects.filter(team=team, round=round))
    if policies.counts_by_choice(round):
        choice = Choice.objects.filter(team=team, round=round, submission__in=scored.values("pk"))
        chosen = choice.order_by("id").values_list("submission_id", flat=True).last()
        if chosen is not None:
            return _with_results(scored.filter(pk=chosen)).first()
    return _with_results(scored).order_by(*NEWEST_FIRST).first()


def counting_guesses(team: Team, round: Round) -> dict[int, int]:
    """The key of the team's counting guess against each release, by the release's key."""
    scored = standing(Submission.objects.filter(team=team, round=round)).exclude(target=None)
    return dict(scored.order_by(*OLDEST_FIRST).values_list("target_id", "pk"))


def n_failed(contest: Contest) -> int:
    """The number of submissions of a contest that failed because of the platform."""
    return Submission.objects.filter(round__contest=contest, state=State.FAILED).count()


def causes(contest: Contest, submissions: Iterable[Submission]) -> dict[UUID, Problem]:
    """The reason why a program or a plugin of the rules failed, by submission that failed for it; for organizers."""
    failed = {str(s.public_id): s.public_id for s in submissions if s.state == State.FAILED}
    if not failed:
        return {}
    events = Event.objects.filter(
        contest_id=contest.pk, kind="submission.failed", subject__in=failed
    )
    newest = {e.subject: e.data for e in events.order_by("id")}
    return {
        failed[subject]: Problem(**data["cause"])
        for subject, data in newest.items()
        if "cause" in data
    }


def too_slow() -> QuerySet[Submission]:
    """Submissions that were rejected because scoring exceeded the time limit."""
    return Submission.objects.filter(SLOW)


def failed_that_would_count(round: Round) -> list[Submission]:
    """Failed submissions that would count for their teams otherwise.

    Not if the team has a later scored submission, chose another one, is disqualified or has its table
    published, and not if an organizer has withdrawn the submission.
    """
    failed = list(Submission.objects.filter(round=round, state=State.FAILED).order_by("pk"))
    if not failed:
        return []
    counted = counted_submissions(round)
    chosen = set(Choice.objects.filter(round=round).values_list("team_id", flat=True))
    settled = set(Release.objects.filter(submission__round=round).values_list("team_id", flat=True))
    settled |= disqualified(round.contest) | (chosen & set(counted))
    return [
        submission
        for submission in failed
        if submission.team_id not in settled
        and not _is_later(counted.get(submission.team_id), submission)
        and not is_withdrawn(submission)
    ]


def _is_later(counting: Submission | None, submission: Submission) -> bool:
    key = (submission.arrived_at, submission.pk)
    return counting is not None and (counting.arrived_at, counting.pk) > key


def is_withdrawn(submission: Submission) -> bool:
    """An organizer has withdrawn the submission."""
    ruling = newest_ruling(submission.team, submission)
    return ruling is not None and ruling.kind == Ruling.Kind.WITHDRAWN


# Releases


def releases(round: Round) -> QuerySet[Release]:
    """The tables of an attack round, by team name."""
    found = Release.objects.filter(round=round)
    found = found.select_related("team", "table", "candidates", "round__contest")
    return found.order_by("team__name", "id")


def get_visible_release(user: Person, public_id: UUID | str, now: datetime) -> Release:
    """The release with that id; Http404 if it does not exist or is not visible to the viewer."""
    release = (
        Release.objects.filter(public_id=public_id)
        .select_related("team", "table", "candidates", "round__contest")
        .first()
    )
    if release is None or not policies.may_download_release(user, release, now):
        raise Http404
    return release


def attacked_round(attack: Round) -> Round | None:
    """The anonymization round whose tables an attack round is about: the rules name it."""
    attacked = Round.objects.select_related("contest")
    return attacked.filter(contest=attack.contest_id, key=attack.spec.attacks).first()


def is_released(round: Round, team: Team | None = None) -> bool:
    """Tables of this anonymization round, or that of one team, are already published."""
    if team is None:
        return _RELEASED.first(round.pk) is not None
    return Release.objects.filter(submission__round=round, team=team).exists()


def _released(round_id: int) -> QuerySet[Release, Any]:
    return Release.objects.filter(submission__round=round_id).order_by().values_list("pk")[:1]


_RELEASED = Prepared(_released, int)


def has_unfinished(round: Round) -> bool:
    return Submission.objects.filter(round=round, state__in=UNFINISHED).exists()
