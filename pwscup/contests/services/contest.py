# SPDX-License-Identifier: Apache-2.0
"""A contest as a whole: creation, settings, publication."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from pwscup.accounts import services as accounts
from pwscup.accounts.models import User
from pwscup.contests import policies, selectors
from pwscup.contests.models import Contest, Round
from pwscup.contests.services.commitment import drawn, ensure_committed
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.contests.services.games import known_games
from pwscup.contests.services.rounds import suggested_rounds
from pwscup.contests.services.rule_versions import write_down
from pwscup.contests.services.table import drop_draft, drop_preparation
from pwscup.contests.terms import default_terms
from pwscup.core import audit_log
from pwscup.formats import format_of
from scoring.rulesets import Ruleset, load_ruleset

RESERVED_SLUGS = frozenset({"import", "new"})
SETTINGS = (
    "title",
    "title_ja",
    "summary",
    "summary_ja",
    "timezone",
    "max_team_size",
    "admission",
    "has_late_teams",
    "has_trials",
    "epsilon_cap",
)


def free_slug(title: str) -> str:
    """An unused slug derived from the title."""
    base = slugify(title)[:40].strip("-") or "contest"
    taken = set(Contest.objects.filter(slug__startswith=base).values_list("slug", flat=True))
    taken |= RESERVED_SLUGS
    candidates = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
    return next(slug for slug in candidates if slug not in taken)


@transaction.atomic
def create_contest(
    *,
    actor: User | None,
    ruleset: str | Ruleset,
    title: str,
    starts_at: datetime,
    slug: str = "",
    title_ja: str = "",
    summary: str = "",
    summary_ja: str = "",
    timezone: str = "Asia/Tokyo",
    max_team_size: int | None = None,
    is_demo: bool = False,
) -> Contest:
    """A draft with a ruleset of the library or an uploaded one; its rounds follow one another, with the
    suggested lengths."""
    rules = load_ruleset(ruleset) if isinstance(ruleset, str) else ruleset
    contest = Contest.objects.create(
        slug=slug or free_slug(title),
        title=title,
        title_ja=title_ja,
        summary=summary,
        summary_ja=summary_ja,
        timezone=timezone,
        ruleset_text=rules.text,
        max_team_size=max_team_size or rules.limits.max_team_size,
        has_trials=format_of(rules).offers_trials,
        is_demo=is_demo,
        **({} if is_demo else default_terms()),
        **drawn(),
    )
    write_down(contest, rules, created_by=actor, applied_at=contest.created_at)
    if actor is not None:
        contest.organizers.add(actor)
    for position, plan in enumerate(suggested_rounds(rules, starts_at, contest.tz)):
        kind = rules.round(plan.key).kind
        Round.objects.create(contest=contest, position=position, kind=kind, **asdict(plan))
    audit_log.record(
        "contest.created",
        actor=actor,
        contest_id=contest.pk,
        subject=contest.slug,
        ruleset=rules.id,
        digest=rules.digest,
        commitment=contest.commitment,
    )
    for name in rules.baseline_teams:
        accounts.add_baseline_team(actor=actor, contest=contest, name=name)
    return contest


@transaction.atomic
def update_settings(
    *, actor: User, contest: Contest, version: int | None = None, values: Mapping[str, Any]
) -> None:
    """Titles, summaries, time zone and team size; the event contains the old and new values."""
    held = lock(contest, version)
    changes = {
        name: [getattr(held, name), values[name]]
        for name in SETTINGS
        if name in values and getattr(held, name) != values[name]
    }
    for name, (_before, after) in changes.items():
        setattr(held, name, after)
        setattr(contest, name, after)
    held.save(update_fields=list(changes))
    if changes:
        recorded: dict[str, Any] = {
            name: [_plain(value) for value in both] for name, both in changes.items()
        }
        audit_log.record("contest.settings_changed", actor=actor, contest_id=contest.pk, **recorded)


def _plain(value: Any) -> Any:
    """A setting as stored in an event: JSON has no decimal numbers."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value


@transaction.atomic
def publish(
    *,
    actor: User | None,
    contest: Contest,
    version: int | None = None,
    sentence: str | None = None,
) -> None:
    """Publish the contest; the draft of its table and the raw file are deleted.

    A `sentence` is what participants read about the games that the certificate of the dry run shows; an empty one is
    refused where there are any, or no certificate of these rules. Without one nothing is asked or shown.
    """
    held = lock(contest, version)
    missing = selectors.missing_for_publication(held)
    if missing:
        raise ContestRefused(*missing)
    if sentence is not None:
        held.known_games = known_games(held, sentence)
    ensure_committed(held)
    held.is_published = contest.is_published = True
    held.save(update_fields=["is_published", "known_games"])
    drop_draft(held)
    drop_preparation(held)
    audit_log.record("contest.published", actor=actor, contest_id=contest.pk, subject=contest.slug)


@transaction.atomic
def unpublish(*, actor: User, contest: Contest, version: int | None = None) -> None:
    """Unpublish the contest, if no team has joined."""
    held = lock(contest, version)
    if policies.has_joined(held):
        raise ContestRefused(
            _("Teams have joined this contest, so it stays public. Move its rounds instead.")
        )
    held.is_published = contest.is_published = False
    held.save(update_fields=["is_published"])
    audit_log.record(
        "contest.unpublished", actor=actor, contest_id=contest.pk, subject=contest.slug
    )
