# SPDX-License-Identifier: Apache-2.0
"""The blockers of a ceremony: why a final order is not known yet, and from when it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext_lazy as _

from pwscup.contests.models.rounds import upload_grace
from pwscup.core.texts.moments import shown_moment
from pwscup.leaderboards import facts
from pwscup.leaderboards.scope import scope_of
from pwscup.submissions import selectors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pwscup.contests.models import Contest, Round
    from pwscup.core.texts.refusals import Text
    from pwscup.leaderboards.scope import Scope


@dataclass(frozen=True, slots=True)
class Blocker:
    """A reason why the final order is not known, and the time from which it no longer holds, at the latest."""

    text: Text
    until: datetime | None = None
    is_soon: bool = False
    """It may end earlier, within seconds: a page looks again."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A stage, or the season, whose ceremony cannot start yet."""

    title: str
    blockers: tuple[Blocker, ...]

    @property
    def until(self) -> datetime | None:
        """The time from which the ceremony can start, as far as it is known."""
        times = [blocker.until for blocker in self.blockers]
        return max(known) if (known := [at for at in times if at is not None]) else None


def waiting_stages(
    contest: Contest, now: datetime, stages: Mapping[str | None, str]
) -> list[Waiting]:
    """Those of these stages whose final order is not known yet; the key None is the season."""
    found = []
    for stage, title in stages.items():
        scope = scope_of(contest, now, stage=stage, is_season=stage is None, is_final=True)
        if stopped := tuple(blockers(scope)):
            found.append(Waiting(title if len(stages) > 1 else "", stopped))
    return found


def blockers(scope: Scope) -> list[Blocker]:
    """The reasons why the order of this scope is not final yet; empty if there are none."""
    found = [blocker for round in scope.rounds for blocker in _of_round(round, scope)]
    if not found and any(facts.n_awaited(scope).values()):
        found.append(
            Blocker(
                _("Submissions are still being scored: wait for the last one, and try again."),
                is_soon=True,
            )
        )
    return found


def _of_round(round: Round, scope: Scope) -> Iterator[Blocker]:
    name, contest = {"round": round.local_title}, scope.contest
    if contest.paused_at is not None and not round.has_closed(scope.now):
        yield Blocker(_("“%(round)s” is not over yet, and the contest is paused.") % name)
    elif not round.has_closed(scope.now):
        until = round.results_at + upload_grace()
        said = name | {"at": shown_moment(round.closes_at, contest.tz)}
        yield Blocker(_("“%(round)s” is not over yet: it closes at %(at)s.") % said, until)
    elif round.results_at > contest.clock(scope.now):
        until = round.results_at + upload_grace()
        said = name | {"at": shown_moment(round.results_at, contest.tz)}
        yield Blocker(
            _(
                "The results of “%(round)s” are shown at %(at)s, when the last round about the same table closes."
            )
            % said,
            until,
        )
    elif not round.is_settled(scope.now):
        until = round.results_at + round.settles_after
        said = name | {"at": f"{until.astimezone(contest.tz):%H:%M:%S %Z}"}
        yield Blocker(
            _(
                "“%(round)s” has just closed, and uploads that began in time may still arrive: the ceremony can start "
                "at %(at)s at the latest."
            )
            % said,
            until,
            is_soon=True,
        )
    elif (late := selectors.late_until([round], scope.now)) is not None:
        until = late + upload_grace()
        said = name | {"at": shown_moment(late, contest.tz)}
        yield Blocker(
            _(
                "A team may still submit late in “%(round)s”, until %(at)s: the final order is not known yet."
            )
            % said,
            until,
            is_soon=late <= scope.now,
        )
