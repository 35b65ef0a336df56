# SPDX-License-Identifier: Apache-2.0
"""The rounds of a contest: dates and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from pwscup.accounts.models import User
from pwscup.contests import policies
from pwscup.contests.models import Contest, Round
from pwscup.contests.services.common import ContestRefused, lock
from pwscup.core import audit_log
from scoring.rulesets import Ruleset

if TYPE_CHECKING:
    from pwscup.core.texts.refusals import Text

MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The organizer's settings of a round."""

    key: str
    opens_at: datetime
    closes_at: datetime
    tries: int
    feedback: str
    tries_per_day: int | None = None


def suggested_rounds(ruleset: Ruleset, starts_at: datetime, zone: ZoneInfo) -> list[RoundPlan]:
    """The ruleset's rounds without gaps.

    A round of whole days closes at the hour at which it opened, in `zone`; a shorter one lasts its minutes,
    also across a change of the clock.
    """
    plans, opens_at = [], starts_at
    for spec in ruleset.rounds:
        closes_at = _end(opens_at, spec.minutes, zone)
        tries = spec.tries or spec.tries_per_target or 1
        plans.append(
            RoundPlan(spec.key, opens_at, closes_at, tries, spec.feedback, spec.tries_per_day)
        )
        opens_at = closes_at
    return plans


def _end(opens_at: datetime, minutes: int, zone: ZoneInfo) -> datetime:
    days, rest = divmod(minutes, MINUTES_PER_DAY)
    if rest:
        return opens_at.astimezone(UTC) + timedelta(minutes=minutes)
    return (opens_at.astimezone(zone) + timedelta(days=days)).astimezone(UTC)


def round_problems(plans: Sequence[tuple[Text, RoundPlan]]) -> list[Text]:
    """The problems of the dates of rounds, given with their titles and in order."""
    problems: list[Text] = []
    for title, plan in plans:
        if plan.closes_at <= plan.opens_at:
            problems.append(
                _("“%(round)s” ends before it starts. Give it a closing time after its opening.")
                % {"round": title}
            )
    for (title, plan), (next_title, following) in pairwise(plans):
        if following.opens_at < plan.closes_at:
            problems.append(
                _(
                    "“%(next)s” opens while “%(round)s” is still open. Open it later, or close “%(round)s” earlier."
                )
                % {"round": title, "next": next_title}
            )
    return problems


def _titled(
    rounds: Sequence[Round], plans: Mapping[str, RoundPlan]
) -> list[tuple[Text, RoundPlan]]:
    return [(round.local_title, plans.get(round.key, plan_of(round))) for round in rounds]


def plan_of(round: Round) -> RoundPlan:
    """The current settings of a round."""
    return RoundPlan(
        round.key,
        round.opens_at,
        round.closes_at,
        round.tries,
        round.feedback,
        round.tries_per_day,
    )


def rounds_of(contest: Contest) -> list[Round]:
    """The rounds in order, reloaded and locked: publishing takes this lock too.

    So a round cannot be reopened while its tables are being published.
    """
    held = Round.objects.select_for_update(no_key=True, of=("self",)).filter(contest=contest)
    return list(held.select_related("contest"))


@transaction.atomic
def update_rounds(
    *, actor: User, contest: Contest, version: int | None = None, plans: Sequence[RoundPlan]
) -> None:
    """Set dates, attempts and feedback of the named rounds, all of them or none."""
    lock(contest, version)
    rounds = rounds_of(contest)
    by_key = {plan.key: plan for plan in plans}
    check_rounds(rounds, by_key, timezone.now())
    changes = apply_plans(rounds, by_key)
    if changes:
        audit_log.record("contest.rounds_changed", actor=actor, contest_id=contest.pk, **changes)


def check_rounds(rounds: Sequence[Round], plans: Mapping[str, RoundPlan], now: datetime) -> None:
    """Refuse invalid dates, with all problems."""
    problems = round_problems(_titled(rounds, plans))
    for round in rounds:
        plan = plans.get(round.key, plan_of(round))
        if plan.opens_at != round.opens_at and policies.has_begun(round):
            problems.append(
                _(
                    "“%(round)s” has begun: its opening can no longer be changed. Its closing may be moved."
                )
                % {"round": round.local_title}
            )
        if round.has_closed(now) and plan.closes_at > now and (why := why_final(round)):
            problems.append(why)
    if problems:
        raise ContestRefused(*problems)


FINAL: dict[str, Text] = {
    "erased": _("The data of the contest are deleted, so “%(round)s” cannot be opened again."),
    "released": _(
        "“%(round)s” is closed and its tables are published: teams that submit now would know them. "
        "Extend the round that is open, or add one in a new contest."
    ),
    "marked": _(
        "“%(round)s” is closed and the errors of all estimates are shown: they are exact, and teams that ask or "
        "submit now would know them. Continue in a new contest with another table."
    ),
    "revealed": _(
        "“%(round)s” is closed and its results were published, so it cannot be opened again. "
        "Allow individual teams to submit late instead."
    ),
}


def why_final(round: Round) -> Text | None:
    """The reason why a closed round cannot be reopened; None if it can."""
    code = policies.why_final(round)
    return FINAL[code] % {"round": round.local_title} if code else None


def apply_plans(rounds: Sequence[Round], plans: Mapping[str, RoundPlan]) -> dict[str, Any]:
    """Write the changed settings; return them by round with old and new values."""
    changes = {round.key: _apply(round, plans.get(round.key)) for round in rounds}
    return {key: changed for key, changed in changes.items() if changed}


def _apply(round: Round, plan: RoundPlan | None) -> dict[str, list[Any]]:
    if plan is None:
        return {}
    changed: dict[str, list[Any]] = {}
    for name in ("opens_at", "closes_at", "tries", "tries_per_day", "feedback"):
        before, after = getattr(round, name), getattr(plan, name)
        if before != after:
            setattr(round, name, after)
            changed[name] = [_plain(before), _plain(after)]
    if changed:
        round.save(update_fields=list(changed))
    return changed


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def shifted(round: Round, by: timedelta) -> RoundPlan:
    return with_times(round, opens_at=round.opens_at + by, closes_at=round.closes_at + by)


def with_times(round: Round, **times: datetime) -> RoundPlan:
    return RoundPlan(**(asdict(plan_of(round)) | times))
