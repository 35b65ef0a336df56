# SPDX-License-Identifier: Apache-2.0
"""Requesting a dry run, and removing its copy."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.bots import copies
from pwscup.bots.models import Rehearsal
from pwscup.contests.selectors import missing_for_publication
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.rule_versions import hold, write_down
from pwscup.core import audit_log, jobs
from scoring.rulesets import parse_ruleset
from scoring.rulesets.answers import ANSWERS, with_answer

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from pwscup.contests.models import Contest


@transaction.atomic
def request_dry_run(*, actor: User, contest: Contest, version: int | None = None) -> Rehearsal:
    """Let bots play the contest; the copy of an earlier dry run is removed."""
    held = lock(contest, version)
    if held.rehearsal_of_id is not None:
        raise ContestRefused(_("This is a dry run itself."))
    missing = missing_for_publication(held)
    if missing:
        raise ContestRefused(*missing)
    if held.dry_runs.filter(state__in=Rehearsal.UNFINISHED).exists():
        raise ContestRefused(_("The bots are already playing. Wait until they are done."))
    _discard_copies(held)
    rehearsal = Rehearsal.objects.create(contest=held, requested_by=actor, sent_at=timezone.now())
    audit_log.record("contest.dry_run_requested", actor=actor, contest_id=held.pk)
    transaction.on_commit(partial(jobs.announce, Rehearsal, rehearsal.pk))
    return rehearsal


@transaction.atomic
def discard_dry_run(*, actor: User, contest: Contest, version: int | None = None) -> None:
    """Remove the copy of the dry run; the report stays."""
    held = lock(contest, version)
    if held.dry_runs.filter(state__in=Rehearsal.UNFINISHED).exists():
        raise ContestRefused(_("The bots are playing. Wait until they are done."))
    if not _discard_copies(held):
        raise ContestRefused(_("There is no dry run to remove."))
    audit_log.record("contest.dry_run_removed", actor=actor, contest_id=held.pk)


@transaction.atomic
def add_answer(*, actor: User, contest: Contest, version: int | None = None, name: str) -> None:
    """Add the rule that answers a cheater to the rules of a draft; its certificate no longer holds."""
    held = lock(contest, version)
    if held.is_published or name not in ANSWERS or not ANSWERS[name].is_missing(held.ruleset):
        raise ContestRefused(_("This rule cannot be added here. Change the rules on their page."))
    rules = parse_ruleset(with_answer(held.ruleset_text, name))
    hold(held, write_down(held, rules, note=str(_(ANSWERS[name].title)), created_by=actor), actor)
    contest.ruleset_text = held.ruleset_text
    contest.__dict__.pop("ruleset", None)


def _discard_copies(contest: Contest) -> int:
    found = list(contest.rehearsals.select_related("rehearsal_of", "secret", "reveal"))
    for copy in found:
        copies.discard(copy)
    return len(found)
