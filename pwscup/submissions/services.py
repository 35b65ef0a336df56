# SPDX-License-Identifier: Apache-2.0
"""Actions on submissions: submit, cancel, choose, annotate; each in one transaction with its event."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import Team
from pwscup.accounts.selectors import same_person
from pwscup.contests.models import Round
from pwscup.contests.selectors import round_now
from pwscup.contests.teams.tables import numbers_of
from pwscup.core import audit_log, jobs
from pwscup.core.db import locks
from pwscup.core.db.columns import longest
from pwscup.core.db.prepared import Prepared, insert
from pwscup.core.files import storage
from pwscup.core.files.names import plain_name
from pwscup.core.models import StoredFile
from pwscup.core.texts.moments import shown_moment
from pwscup.core.texts.parts import listed
from pwscup.core.texts.refusals import RefusedByCode
from pwscup.formats import FILES
from pwscup.formats.files import PDF
from pwscup.submissions import draws, policies, selectors
from pwscup.submissions.intake import limits, repeats
from pwscup.submissions.jobs import withdraw
from pwscup.submissions.models import Choice, Release, Submission, SubmissionFile
from pwscup.submissions.selectors import Wasted
from pwscup.submissions.states import State
from scoring.rulesets.base import ONCE

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest
    from scoring.rulesets import RoundSpec

Upload = tuple[str, bytes | Iterable[bytes]]
"""An arrived file: the name given by its owner, and its bytes."""

PDF_SIGNATURE, PDF_WITHIN = b"%PDF-", 1024  # the distance in which PDF readers search for it
NOTE_LENGTH = longest(Submission, "note")
REFUSALS = {
    "not_allowed": _("You cannot submit for this team."),
    "round.not_open_yet": _("The round has not opened yet."),
    "contest.paused": _(
        "The contest is paused, so nothing can be submitted. The dates move by the length of the pause; "
        "submit after it is resumed."
    ),
    "round.closed": _("The round is closed: this arrived after the deadline."),
    "round.organizers": _("The organizers publish the tables of this round; teams attack them."),
    "team.disqualified": _(
        "The organizers have disqualified this team: the reason is on the team's page. "
        "It cannot submit unless they reinstate it."
    ),
    "team.no_tables": _(
        "Your team has no tables: the individuals in those of the organizers were all assigned to other teams. Ask the "
        "organizers."
    ),
    "round.released": _("The tables of this round are already published."),
    "file.missing": _("The file “%(file)s” is missing."),
    "file.unknown": _("This round does not accept a file “%(file)s”."),
    "file.none": _("Nothing was submitted: choose a file."),
    "file.not_pdf": _(
        "The file “%(name)s” is not a PDF document, whatever its name says. Export the slides as PDF."
    ),
    "file.empty": _("The file “%(name)s” is empty."),
    "file.too_large": _(
        "The file “%(name)s” is too large: at most %(expected)s bytes are accepted."
    ),
    "original.missing": _("Choose the original that the table was made from: one of %(expected)s."),
    "original.unknown": _(
        "There is no original %(got)s: the originals of your team are %(expected)s."
    ),
    "original.not_chosen": _(
        "Choose one of your team's originals first, on the page of the round."
    ),
    "original.chosen": _("An original can be chosen once, when the first round has opened."),
    "original.only": _("Every team has one original in this round: leave its number out."),
    "target.missing": _("Choose the table that the guess is about."),
    "target.unknown": _("There is no such table in this round."),
    "target.own": _("This is your own table; guess about another team's."),
    "tries.wasted": _(
        "%(expected)s uploads of yours or of your team were rejected or cancelled within a day. Wait some "
        "hours; python -m scoring validate checks files on your computer."
    ),
    "tries.wasted_bytes": _(
        "Uploads of yours or of your team that were rejected or cancelled within a day have more than "
        "%(expected)s bytes. Wait some hours; python -m scoring validate checks files on your computer."
    ),
    "tries.slow": _(
        "Scoring %(expected)s uploads of yours or of your team took too long within a day, or had begun when they were "
        "cancelled. Wait some hours."
    ),
    "tries.none_left": _("No attempts are left: %(expected)s are allowed."),
    "tries.none_in_all": _("No attempts are left: %(expected)s are allowed in the whole round."),
    "tries.none_today": _(
        "%(expected)s attempts per day are allowed, and those of today are used. The next is possible from %(next)s on."
    ),
    "tries.none_before_close": _(
        "%(expected)s attempts per day are allowed, and those of today are used. The round closes before the next day."
    ),
    "note.too_long": _("The note is too long: at most %(expected)s characters."),
    "cancel.too_late": _("Only a waiting submission can be cancelled; this one no longer waits."),
    "retry.not_failed": _(
        "Only a submission whose scoring failed or took too long can be retried; this one is not."
    ),
    "retry.erased": _("The files are deleted: they can no longer be scored."),
    "choose.not_scored": _("Only a scored submission of this round can count."),
    "choose.too_late": _("The round is closed: what counts can no longer be changed."),
}


class SubmissionRefused(RefusedByCode):
    """A refused file, or a refused change of a submission."""

    TEXTS = REFUSALS


def submit(
    *,
    user: User | None,
    team: Team,
    round: Round,
    files: Mapping[str, Upload],
    arrived_at: datetime,
    target: Release | None = None,
    note: str = "",
    nonce: str = "",
    original: int | None = None,
    **said: Any,
) -> Submission:
    """Accept a team's files and queue them; refuse violations of rules that need no reading of the files.

    `files` maps the ruleset's keys to name and bytes; `arrived_at` is when the request began. `user` is None
    if the platform plays for its own team. `original` is the number of the original that a table was made from, if
    teams have several. `said` holds further fields of the submission that the team has filled in
    and its form has checked. The same files with the same `nonce` return the submission of the first time.
    """
    try:
        _check(user, team, round, files, arrived_at, target)
        original = checked_original(team, round, original)
        said |= {"note": _checked_note(note), "original": original}
    except SubmissionRefused:
        if first := sent_before(user, team, round, target, files, nonce, original):
            return first
        raise
    written = _write(round, files)
    key = repeats.key_of(nonce, round, target, repeats.digests_of(written), original)
    try:
        with transaction.atomic():
            _lock(team)
            _check_member(user, team, round)
            first = repeats.first_with(team, key)
            if first is None:
                return _take_in(user, team, round, target, said, arrived_at, key, written)
    except BaseException:
        _discard(written)
        raise
    _discard(written)
    return first


def sent_before(
    user: User | None,
    team: Team,
    round: Round,
    target: Release | None,
    files: Mapping[str, Upload],
    nonce: str,
    original: int | None = None,
) -> Submission | None:
    """The submission of the same form with the same files, if it was sent before; it reads the files."""
    if not nonce or not policies.plays_for(user, team, round):
        return None
    digests = {key: repeats.digest(data) for key, (_, data) in files.items()}
    return repeats.first_with(team, repeats.key_of(nonce, round, target, digests, original))


def _check(
    user: User | None,
    team: Team,
    round: Round,
    files: Mapping[str, Upload],
    arrived_at: datetime,
    target: Release | None,
) -> None:
    """Cheap checks before the files are written; `_enter` makes the remaining ones."""
    if round.contest_id != team.contest_id:
        raise SubmissionRefused("not_allowed")
    if round.spec.is_organizers and not team.is_house:
        raise SubmissionRefused("round.organizers")
    _check_time(team, round, arrived_at)
    team.contest = round.contest  # whose rules are already read
    if round.format.is_attacked and draws.is_left_out(team, timezone.now()):
        raise SubmissionRefused("team.no_tables")
    _check_target(team, round, target)
    _check_keys(round.contest.ruleset.round(round.key), files)


def checked_original(team: Team, round: Round, original: int | None) -> int | None:
    """The number of one of the team's originals, which need not be named where it has chosen one.

    Another is refused, and none if it has several.
    """
    numbers = numbers_of(team) if round.format.needs_own_table else (None,)
    if original in numbers:
        return original
    if None in numbers:
        raise SubmissionRefused("original.only")
    if not numbers:
        raise SubmissionRefused("original.not_chosen")
    if original is None and round.contest.ruleset.data.choose == ONCE:
        return numbers[0]
    shown = listed(map(str, numbers))
    if original is None:
        raise SubmissionRefused("original.missing", expected=shown)
    raise SubmissionRefused("original.unknown", expected=shown, got=original)


def _take_in(
    user: User | None,
    team: Team,
    round: Round,
    target: Release | None,
    said: Mapping[str, Any],
    arrived_at: datetime,
    key: str,
    written: Mapping[str, StoredFile],
) -> Submission:
    submission = _enter(user, team, round, target, said, arrived_at, key)
    _attach(submission, written)
    audit_log.record(
        "submission.received",
        actor=user,
        contest_id=round.contest_id,
        subject=str(submission.public_id),
        team=team.slug,
        round=round.key,
        number=submission.number,
        target=target.team.slug if target else None,
        arrived_at=arrived_at.isoformat(),
        files=repeats.digests_of(written),
        **({} if submission.original is None else {"original": submission.original}),
    )
    transaction.on_commit(partial(jobs.announce, Submission, submission.pk))
    return submission


def _discard(written: Mapping[str, StoredFile]) -> None:
    for file in written.values():
        storage.discard(file)


def check_round(user: User | None, team: Team, round: Round, arrived_at: datetime) -> None:
    """Refuse actions that the team may not do in this round at that time: submitting files, or asking.

    Raises
    ------
    ------
    SubmissionRefused
        With the first reason.
    """
    _check_member(user, team, round)
    _check_standing(team, round, arrived_at)


def _check_member(user: User | None, team: Team, round: Round) -> None:
    if round.contest_id != team.contest_id or not policies.plays_for(user, team, round):
        raise SubmissionRefused("not_allowed")


def _check_standing(team: Team, round: Round, arrived_at: datetime) -> None:
    _check_time(team, round, arrived_at)
    if selectors.is_disqualified(team):
        raise SubmissionRefused("team.disqualified")


def _check_time(team: Team, round: Round, arrived_at: datetime) -> None:
    if not round.contest.is_published:
        raise SubmissionRefused("not_allowed")
    if not round.has_opened(arrived_at):
        raise SubmissionRefused("round.not_open_yet")
    if not policies.runs(round, arrived_at) and not round.has_closed(arrived_at):
        raise SubmissionRefused("contest.paused")
    if round.has_closed(arrived_at) and not policies.may_be_late(team, round, arrived_at):
        raise SubmissionRefused("round.closed")


def _check_target(team: Team, round: Round, target: Release | None) -> None:
    if not round.format.has_targets:
        if target is not None:
            raise SubmissionRefused("target.unknown")
        return
    if target is None:
        raise SubmissionRefused("target.missing")
    if target.round_id != round.pk:
        raise SubmissionRefused("target.unknown")
    if target.team_id == team.pk:
        raise SubmissionRefused("target.own")


def _check_tries(
    team: Team, round: Round, target: Release | None, arrived_at: datetime, n_used: int
) -> None:
    if n_used >= round.tries:
        raise SubmissionRefused("tries.none_left", expected=round.tries)
    if limits.left_in_all(team, round) == 0:
        raise SubmissionRefused("tries.none_in_all", expected=round.spec.tries_in_all)
    if limits.left_today(team, round, arrived_at, target) == 0:
        following = limits.next_day(round, arrived_at)
        if following is None:
            raise SubmissionRefused("tries.none_before_close", expected=round.tries_per_day)
        raise SubmissionRefused(
            "tries.none_today",
            expected=round.tries_per_day,
            next=shown_moment(following, round.contest.tz),
        )


def _check_keys(spec: RoundSpec, files: Mapping[str, Upload]) -> None:
    known = {file.key for file in spec.files}
    for key in files:
        if key not in known:
            raise SubmissionRefused("file.unknown", file=key)
    for file in spec.files:
        if file.required and file.key not in files:
            raise SubmissionRefused("file.missing", file=file.key)
    if not files:
        raise SubmissionRefused("file.none")


def _checked_note(note: str) -> str:
    note = note.strip()
    if len(note) > NOTE_LENGTH:
        raise SubmissionRefused("note.too_long", expected=NOTE_LENGTH)
    return note


def _write(round: Round, files: Mapping[str, Upload]) -> dict[str, StoredFile]:
    """Write the bytes of every file, sealed; if one is refused all are discarded."""
    limit = selectors.max_file_bytes(round)
    written: dict[str, StoredFile] = {}
    try:
        for key, (name, data) in files.items():
            format = FILES[round.spec.file(key).kind]
            shown = plain_name(name, f"{key}.{format.suffix}")
            chunks = _limited(data, limit, shown)
            if format.content_type == PDF:
                chunks = _pdf(chunks, shown)
            written[key] = storage.write(chunks, area=storage.Area.SEALED, name=shown)
            if written[key].size_bytes == 0:
                raise SubmissionRefused("file.empty", name=shown)
    except BaseException:
        _discard(written)
        raise
    return written


def _limited(data: bytes | Iterable[bytes], limit: int, name: str) -> Iterator[bytes]:
    size = 0
    for chunk in [data] if isinstance(data, bytes) else data:
        size += len(chunk)
        if size > limit:
            raise SubmissionRefused("file.too_large", name=name, expected=limit)
        yield chunk


def _pdf(chunks: Iterable[bytes], name: str) -> Iterator[bytes]:
    """The chunks of a file that begins like a PDF document, whatever its name."""
    held = b""
    unread = iter(chunks)
    for chunk in unread:
        held += chunk
        if len(held) >= PDF_WITHIN:
            break
    if held and PDF_SIGNATURE not in held[:PDF_WITHIN]:
        raise SubmissionRefused("file.not_pdf", name=name)
    yield held
    yield from unread


def _enter(
    user: User | None,
    team: Team,
    round: Round,
    target: Release | None,
    said: Mapping[str, Any],
    arrived_at: datetime,
    key: str,
) -> Submission:
    """Repeat the checks, number the submission and count its attempts, under the lock of the team."""
    # Publishing waits for this lock: files that arrived in time are stored, or refused as late. Other teams share it.
    locks.share(round)
    round = round_now(round)
    # Writing the files took time, and much may have changed.
    _check_standing(team, round, arrived_at)
    late = round.has_closed(arrived_at)  # but not refused: the team may submit late
    if round.format.is_attacked and selectors.is_released(round, team if late else None):
        raise SubmissionRefused("round.released")
    n_used, last = selectors.used_and_last(team, round, target)
    _check_tries(team, round, target, arrived_at, n_used)
    _check_wasted(user, team, arrived_at)
    submission = Submission(
        round=round,
        team=team,
        target=target,
        submitted_by=user,
        number=last + 1,
        arrived_at=arrived_at,
        sent_as=key,
        sent_at=timezone.now(),  # about to be sent; `jobs.announce` resets it on failure
        **said,
    )
    insert(submission)
    return submission


def _check_wasted(user: User | None, team: Team, arrived_at: datetime) -> None:
    """For the team, and for the user in any team of the contest, so that another team is no way around the limit."""
    wasted = selectors.wasted(team.contest, arrived_at - timedelta(days=1))
    if _excess(wasted) is None:  # of all members together, so no user must be identified
        return
    people = same_person(user, team.contest) if user is not None else ()
    theirs = [entry for entry in wasted if entry.team_id == team.pk or entry.user_id in people]
    if (refusal := _excess(theirs)) is not None:
        raise refusal


def _excess(wasted: Sequence[Wasted]) -> SubmissionRefused | None:
    if sum(w.n_uploads for w in wasted) >= (most := settings.MAX_WASTED_UPLOADS_PER_DAY):
        return SubmissionRefused("tries.wasted", expected=most)
    if sum(w.n_slow for w in wasted) >= (most := settings.MAX_SLOW_UPLOADS_PER_DAY):
        return SubmissionRefused("tries.slow", expected=most)
    if sum(w.n_bytes for w in wasted) >= (most := settings.MAX_WASTED_BYTES_PER_DAY):
        return SubmissionRefused("tries.wasted_bytes", expected=most)
    return None


def _held(team_id: int) -> QuerySet[Team, Any]:
    held = Team.objects.select_for_update(no_key=True).filter(pk=team_id)
    return held.order_by().values_list("pk")


_HELD = Prepared(_held, int)


def _lock(team: Team) -> None:
    """Leaving, removal and rulings wait for this lock, so the checks stay valid until the end."""
    if _HELD.first(team.pk) is None:
        raise SubmissionRefused("not_allowed")  # the team was removed after everybody left


def _attach(submission: Submission, written: Mapping[str, StoredFile]) -> None:
    insert(*written.values())
    insert(
        *(
            SubmissionFile(submission=submission, key=key, file=file)
            for key, file in written.items()
        )
    )


def cancel(*, user: User, submission: Submission) -> Submission:
    """Cancel a waiting submission: it uses no attempt. A worker that was faster wins."""
    with transaction.atomic():
        _lock_for(user, submission)
        if not withdraw(submission.pk):
            raise SubmissionRefused("cancel.too_late")
        _record("submission.cancelled", user, submission)
    submission.refresh_from_db()
    return submission


def choose_original(*, user: User, team: Team, number: int) -> None:
    """Give the team one of its originals, for the whole contest; the others are never drawn."""
    if not policies.may_have_table(user, team, timezone.now()) or not policies.is_member(
        user, team
    ):
        raise SubmissionRefused("not_allowed")
    numbers = team.contest.ruleset.data.numbers
    if number not in numbers:
        expected = listed(map(str, numbers))
        raise SubmissionRefused("original.unknown", expected=expected, got=number)
    with transaction.atomic():
        is_open = draws.may_choose(team, timezone.now())
        if is_open:
            team.contest.format.draw.drawn(team, {}, (number,))
        if not is_open or numbers_of(team) != (number,):
            raise SubmissionRefused("original.chosen")
        audit_log.record(
            "original.chosen",
            actor=user,
            contest_id=team.contest_id,
            subject=f"team {team.slug}",
            original=number,
        )


def choose(*, user: User, submission: Submission) -> Choice:
    """Choose the submission that counts; without a choice, the latest scored one counts."""
    with transaction.atomic():
        _lock_for(user, submission)
        # Publishing also takes this lock: the chosen submission is published.
        round = submission.round = _locked_round(submission)
        if round.has_closed(timezone.now()) or selectors.is_released(round):
            raise SubmissionRefused("choose.too_late")
        if not policies.may_choose(user, submission, timezone.now()):
            raise SubmissionRefused("choose.not_scored")
        _record("submission.chosen", user, submission)
        return Choice.objects.create(
            submission=submission, team=submission.team, round=round, chosen_by=user
        )


def annotate(*, user: User, submission: Submission, note: str) -> Submission:
    """Change the note of a submission; notes are for the team only."""
    checked = _checked_note(note)
    with transaction.atomic():
        _lock_for(user, submission)
        submission.note = checked
        submission.save(update_fields=["note"])
        _record("submission.annotated", user, submission)
    return submission


def retry(*, actor: User | None, submission: Submission) -> None:
    """Retry a submission whose scoring failed or took too long; without `actor` it is done by the operator."""
    if actor is not None and not policies.may_rule(actor, submission):
        raise SubmissionRefused("not_allowed")
    with transaction.atomic():
        _lock(submission.team)
        round = _locked_round(submission)
        is_gone = submission.files.filter(file__erased_at__isnull=False).exists()
        if is_gone or round.contest.erased_at is not None:
            raise SubmissionRefused("retry.erased")
        if round.format.is_attacked and selectors.is_released(round, submission.team):
            raise SubmissionRefused("round.released")
        ended = Submission.objects.get(pk=submission.pk)
        afresh = {"problems": [], "n_problems": 0}
        if not ended.can_be_retried or not jobs.wait_again(
            Submission, ended.pk, ended.state, **afresh
        ):
            raise SubmissionRefused("retry.not_failed")
        _record("submission.retried", actor, submission)
        transaction.on_commit(partial(jobs.announce, Submission, submission.pk))


def retry_all(*, actor: User | None, contest: Contest) -> int:
    """Retry every submission of a contest whose scoring failed; return their number."""
    failed = Submission.objects.filter(round__contest=contest, state=State.FAILED)
    n_retried = 0
    for submission in failed.select_related("team", "round__contest").order_by("pk"):
        try:
            retry(actor=actor, submission=submission)
        except SubmissionRefused as refusal:
            if refusal.code == "not_allowed":
                raise
        else:
            n_retried += 1
    return n_retried


def _lock_for(user: User, submission: Submission) -> None:
    """Check under the lock of the team, so that former members cannot change anything."""
    _lock(submission.team)
    if not policies.may_change(user, submission):
        raise SubmissionRefused("not_allowed")
    if selectors.is_disqualified(submission.team):
        raise SubmissionRefused("team.disqualified")


def _locked_round(submission: Submission) -> Round:
    held = Round.objects.select_for_update(no_key=True, of=("self",)).select_related("contest")
    return held.get(pk=submission.round_id)


def _record(kind: str, user: User | None, submission: Submission) -> None:
    audit_log.record(
        kind,
        actor=user,
        contest_id=submission.round.contest_id,
        subject=str(submission.public_id),
        team=submission.team.slug,
        round=submission.round.key,
        number=submission.number,
    )
