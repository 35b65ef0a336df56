# SPDX-License-Identifier: Apache-2.0
"""Divisions: groups of teams with a separate board."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.accounts.names import likeness
from pwscup.contests.models import Contest, Division
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log

MOST_DIVISIONS = 20


@transaction.atomic
def create_division(*, actor: User, contest: Contest, title: str, title_ja: str = "") -> Division:
    """A new division, after the existing ones."""
    held = lock(contest)
    _refuse_taken_title(held, title, title_ja)
    if held.divisions.count() >= MOST_DIVISIONS:
        raise ContestRefused(
            _("A contest has at most %(expected)d divisions.") % {"expected": MOST_DIVISIONS}
        )
    last = held.divisions.aggregate(last=Max("position"))["last"]
    division = Division.objects.create(
        contest=held,
        key=_free_key(held, title),
        title=title,
        title_ja=title_ja,
        position=0 if last is None else last + 1,
    )
    _record("contest.division_created", actor, division, title=title, title_ja=title_ja)
    return division


@transaction.atomic
def rename_division(
    *, actor: User, contest: Contest, key: str, title: str, title_ja: str = ""
) -> Division:
    """Rename a division; the key stays, because URLs contain it."""
    held = lock(contest)
    division = _division(held, key)
    _refuse_taken_title(held, title, title_ja, but=division)
    changes = {
        name: [getattr(division, name), value]
        for name, value in (("title", title), ("title_ja", title_ja))
        if getattr(division, name) != value
    }
    if changes:
        division.title, division.title_ja = title, title_ja
        division.save(update_fields=list(changes))
        _record("contest.division_renamed", actor, division, **changes)
    return division


@transaction.atomic
def remove_division(*, actor: User, contest: Contest, key: str) -> None:
    """Remove a division without teams."""
    held = lock(contest)
    division = _division(held, key)
    n_teams = division.teams.count()
    if n_teams:
        raise ContestRefused(
            _("%(n)d teams are in “%(division)s”. Move them to another division first.")
            % {"n": n_teams, "division": division.local_title}
        )
    _record("contest.division_removed", actor, division, title=division.title)
    division.delete()


def _division(contest: Contest, key: str) -> Division:
    division = contest.divisions.filter(key=key).first()
    if division is None:
        raise ContestRefused(_("This contest has no such division."))
    return division


def _refuse_taken_title(
    contest: Contest, title: str, title_ja: str, *, but: Division | None = None
) -> None:
    """Teams and lists of teams refer to divisions by any of their titles."""
    taken = {
        likeness(name)
        for division in contest.divisions.all()
        if division != but
        for name in (division.key, division.title, division.title_ja)
    }
    for name in (title, title_ja):
        if name and likeness(name) in taken:
            raise ContestRefused(
                _("There is a division “%(division)s” already.") % {"division": name}
            )


def _free_key(contest: Contest, title: str) -> str:
    base = slugify(title).replace("_", "-")[:24].strip("-") or "division"
    taken = set(contest.divisions.values_list("key", flat=True))
    candidates = (base if n == 1 else f"{base}-{n}" for n in range(1, len(taken) + 2))
    return next(key for key in candidates if key not in taken)


def _record(kind: str, actor: User, division: Division, **data: object) -> None:
    audit_log.record(
        kind, actor=actor, contest_id=division.contest_id, subject=division.key, **data
    )
