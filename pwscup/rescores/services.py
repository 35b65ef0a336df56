# SPDX-License-Identifier: Apache-2.0
"""New rules for a contest, and their consequences for all submissions."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

import scoring
from pwscup.contests import policies
from pwscup.contests.models import Contest, Round, RulesetVersion
from pwscup.contests.selectors import original_of
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.rounds import RoundPlan, plan_of, update_rounds
from pwscup.contests.services.rule_versions import hold, holding_rules, write_down
from pwscup.contests.services.table import lacking_records
from pwscup.contests.teams.tables import has_draws, n_available
from pwscup.core import audit_log, jobs
from pwscup.core.db.columns import longest
from pwscup.core.files import storage
from pwscup.formats import format_of
from pwscup.rescores import compatibility, selectors
from pwscup.submissions.models import Rescore, Submission
from pwscup.submissions.states import UNFINISHED, State
from scoring.rulesets import parse_ruleset

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import QuerySet

    from pwscup.accounts.models import User
    from pwscup.core.texts.refusals import Text
    from scoring.rulesets import Ruleset

OPEN = (Rescore.State.WAITING, Rescore.State.RUNNING, Rescore.State.DONE)


# Rules


def change_rules(
    *, actor: User, contest: Contest, version: int | None = None, text: str, note: str = ""
) -> RulesetVersion:
    """Store new rules: they are effective immediately before the first submission, otherwise after a re-scoring.

    Raises
    ------
    ------
    ProblemsFound
        All invalid keys.
    ContestRefused
        If the contest cannot continue under these rules.
    """
    rules = parse_ruleset(text)
    with transaction.atomic():
        held = lock(contest, version)
        if rules.digest == held.ruleset.digest:
            raise ContestRefused(_("These rules are already in force."))
        begun = policies.has_submissions(held)
        _refuse_impossible(held, rules, begun=begun)
        note = note.strip()[: longest(RulesetVersion, "note")]
        written = write_down(held, rules, note=note, created_by=actor)
        if begun:
            _start(held, written, actor)
        else:
            _sync_rounds(held, rules)
            hold(held, written, actor)
    contest.refresh_from_db()
    contest.__dict__.pop("ruleset", None)
    return written


@transaction.atomic
def change_keys(
    *,
    actor: User,
    contest: Contest,
    version: int | None = None,
    text: str,
    note: str = "",
    plans: Sequence[RoundPlan],
) -> None:
    """Store rules that differ in some keys, and the attempts and the feedback of rounds: all of it or nothing.

    Raises
    ------
    ProblemsFound
        All invalid keys.
    ContestRefused
        If nothing differs, or the contest cannot continue so.
    """
    rows = [plan_of(round) for round in contest.rounds.all()]
    is_other = text != contest.ruleset_text
    if not is_other and list(plans) == rows:
        raise ContestRefused(_("Nothing differs from the rules in force."))
    if list(plans) != rows:
        update_rounds(actor=actor, contest=contest, version=version, plans=plans)
        version = None
    if is_other:
        change_rules(actor=actor, contest=contest, version=version, text=text, note=note)


def _refuse_impossible(contest: Contest, rules: Ruleset, *, begun: bool) -> None:
    found: list[Text] = []
    if begun:
        found += compatibility.blockers(contest.ruleset, rules)
    elif has_draws(contest):
        found += compatibility.data_blockers(contest.ruleset, rules)
    dataset = original_of(contest)
    if dataset is not None:
        found += compatibility.table_blockers(contest.ruleset, rules)
        lacking = lacking_records(rules, n_available(dataset))
        if lacking is not None:
            found.append(lacking)
        format = format_of(rules)
        format.setup.check_columns(rules, dataset.schema)
        if rules.data.rare is not None:
            assert dataset.public is not None
            public = storage.read(dataset.public)
            format.table.check_draw(public, dataset.schema.public(), rules)
    if contest.max_team_size > rules.limits.max_team_size:
        found.append(
            _(
                "limits.max_team_size — the contest allows teams of %(got)d — expected at least that "
                "— got %(rules)d. Lower it in the settings first."
            )
            % {"got": contest.max_team_size, "rules": rules.limits.max_team_size}
        )
    if begun and contest.rescores.filter(state__in=OPEN).exists():
        found.append(
            _("A re-scoring is not decided yet. Apply or discard it, then change the rules again.")
        )
    if found:
        raise ContestRefused(*found)


def _sync_rounds(contest: Contest, rules: Ruleset) -> None:
    """Create the rounds of the new rules; existing rounds keep their dates."""
    existing = {round.key: round for round in contest.rounds.all()}
    for key, round in existing.items():
        if key not in {spec.key for spec in rules.rounds}:
            round.delete()
    ends = timezone.now() + timedelta(days=7)
    for position, spec in enumerate(rules.rounds):
        known = existing.get(spec.key)
        tries = spec.tries or spec.tries_per_target or 1
        if known is None:
            round = Round.objects.create(
                contest=contest,
                key=spec.key,
                kind=spec.kind,
                position=position,
                opens_at=ends,
                closes_at=ends + timedelta(minutes=spec.minutes),
                tries=tries,
                tries_per_day=spec.tries_per_day,
                feedback=spec.feedback,
            )
        elif known.kind == spec.kind:
            round = known
            round.position = position
            round.save(update_fields=["position"])
        else:
            round = known
            round.position, round.kind, round.tries = position, spec.kind, tries
            round.tries_per_day, round.feedback = spec.tries_per_day, spec.feedback
            round.save()
        _move_after(round, ends if position else None)
        ends = round.closes_at


def _move_after(round: Round, earliest: datetime | None) -> None:
    """Keep the order of rounds if one was inserted between two others."""
    if earliest is not None and round.opens_at < earliest:
        length = round.closes_at - round.opens_at
        round.opens_at, round.closes_at = earliest, earliest + length
        round.save(update_fields=["opens_at", "closes_at"])


# Re-scoring


@transaction.atomic
def start(*, actor: User, contest: Contest, version: int | None = None) -> Rescore:
    """Evaluate all submissions again under the current rules, with the installed version of the library."""
    held = lock(contest, version)
    if held.rescores.filter(state__in=OPEN).exists():
        raise ContestRefused(_("A re-scoring is not decided yet. Apply or discard it first."))
    if not policies.has_submissions(held):
        raise ContestRefused(
            _("There are no submissions yet, so there is nothing to evaluate again.")
        )
    return _start(held, holding_rules(held), actor)


def _start(contest: Contest, rules: RulesetVersion, actor: User) -> Rescore:
    rescore = Rescore.objects.create(
        contest=contest,
        rules=rules,
        scoring_version=scoring.__version__,
        requested_by=actor,
        sent_at=timezone.now(),
    )
    audit_log.record(
        "contest.rescore_requested",
        actor=actor,
        contest_id=contest.pk,
        subject=f"rules {rules.number}",
        digest=rules.digest,
        scoring_version=rescore.scoring_version,
    )
    transaction.on_commit(partial(jobs.announce, Rescore, rescore.pk))
    return rescore


@transaction.atomic
def complete(*, actor: User, contest: Contest) -> Rescore:
    """Compute new submissions, or the rest of a failed attempt, before the decision."""
    held = lock(contest)
    rescore = _undecided(held, Rescore.State.DONE, Rescore.State.FAILED)
    rescore.state, rescore.sent_at = Rescore.State.WAITING, timezone.now()
    rescore.attempts, rescore.reference, rescore.finished_at = 0, "", None
    rescore.save()
    transaction.on_commit(partial(jobs.announce, Rescore, rescore.pk))
    return rescore


@transaction.atomic
def apply(*, actor: User, contest: Contest, version: int | None = None) -> Rescore:
    """Make the new results effective; the previous ones are kept."""
    held = lock(contest, version)
    rescore = _undecided(held, Rescore.State.DONE)
    if selectors.missing(rescore).exists() or _unfinished(held).exists():
        raise ContestRefused(
            _(
                "There are new submissions, or some are being scored now. "
                "Compute the rest, then check the difference again."
            )
        )
    put_in_force(rescore)
    if rescore.rules.digest != held.ruleset.digest:
        hold(held, rescore.rules, actor)
    _decide(rescore, Rescore.State.APPLIED, actor)
    contest.refresh_from_db()
    contest.__dict__.pop("ruleset", None)
    return rescore


def put_in_force(rescore: Rescore) -> None:
    """Give every submission the state of its new evaluation."""
    evaluations = rescore.evaluations.select_related("submission")
    for evaluation in evaluations.iterator(chunk_size=500):
        state = State.SCORED if evaluation.values is not None else State.REJECTED
        if evaluation.submission.state == state:
            continue
        Submission.objects.filter(pk=evaluation.submission_id).update(
            state=state, problems=evaluation.problems, n_problems=len(evaluation.problems)
        )


def _unfinished(contest: Contest) -> QuerySet[Submission]:
    return Submission.objects.filter(round__contest=contest, state__in=UNFINISHED)


@transaction.atomic
def drop(*, actor: User, contest: Contest, version: int | None = None) -> Rescore:
    """Discard the re-scoring; its results stay visible."""
    held = lock(contest, version)
    rescore = _undecided(held, *OPEN, Rescore.State.FAILED)
    _decide(rescore, Rescore.State.DROPPED, actor)
    return rescore


def _undecided(contest: Contest, *states: str) -> Rescore:
    rescore = selectors.undecided(contest)
    if rescore is None:
        raise ContestRefused(_("There is no re-scoring to decide about."))
    rescore = Rescore.objects.select_for_update().get(pk=rescore.pk)
    if rescore.state not in states:
        raise ContestRefused(_("The re-scoring is not complete: wait until it is computed."))
    return rescore


def _decide(rescore: Rescore, state: str, actor: User) -> None:
    rescore.state, rescore.decided_by, rescore.decided_at = state, actor, timezone.now()
    rescore.fence += 1  # a running worker can no longer write
    rescore.save(update_fields=["state", "decided_by", "decided_at", "fence"])
    audit_log.record(
        f"contest.rescore_{state}",
        actor=actor,
        contest_id=rescore.contest_id,
        subject=f"rules {rescore.rules.number}",
        scoring_version=rescore.scoring_version,
        n_evaluations=rescore.evaluations.count(),
    )
