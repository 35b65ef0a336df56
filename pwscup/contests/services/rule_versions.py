# SPDX-License-Identifier: Apache-2.0
"""The versions of a contest's rules: each is stored once, under the next number."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import timezone

from pwscup.contests.models import Contest, RulesetVersion
from pwscup.core import audit_log

if TYPE_CHECKING:
    from pwscup.accounts.models import User
    from scoring.rulesets import Ruleset


def write_down(contest: Contest, rules: Ruleset, **what: Any) -> RulesetVersion:
    """Store rules as the next version; `what` are its other fields."""
    last = contest.ruleset_versions.order_by("-number").values_list("number", flat=True).first()
    return RulesetVersion.objects.create(
        contest=contest, number=(last or 0) + 1, text=rules.text, digest=rules.digest, **what
    )


def holding_rules(contest: Contest) -> RulesetVersion:
    """The current version of the contest's rules; created now if the contest is older than versions."""
    rules = contest.ruleset
    applied = contest.ruleset_versions.filter(digest=rules.digest).exclude(applied_at=None)
    found = applied.order_by("-number").first()
    return found or write_down(contest, rules, applied_at=contest.created_at)


def hold(contest: Contest, rules: RulesetVersion, actor: User) -> None:
    """Make them the contest's current rules."""
    before = contest.ruleset.digest
    contest.ruleset_text = rules.text
    contest.__dict__.pop("ruleset", None)
    contest.save(update_fields=["ruleset_text"])
    rules.applied_at = timezone.now()
    rules.save(update_fields=["applied_at"])
    audit_log.record(
        "contest.ruleset_changed",
        actor=actor,
        contest_id=contest.pk,
        subject=f"rules {rules.number}",
        digest=[before, rules.digest],
        reason=rules.note,
    )
