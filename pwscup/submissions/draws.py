# SPDX-License-Identifier: Apache-2.0
"""Drawing each team's own table from the organizer's, once, when the contest has opened.

One draw serves all stages of the contest: a team's table is the same in a preliminary and a final.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from pwscup.accounts.models import Membership, Team
from pwscup.contests import faults
from pwscup.contests.models import Contest, Dataset, Round
from pwscup.contests.selectors import dataset_of, original_of
from pwscup.contests.teams import tables
from pwscup.core import audit_log
from pwscup.core.files import storage
from pwscup.formats import kinds_where
from scoring.rulesets.base import ONCE

if TYPE_CHECKING:
    from pwscup.core.models import StoredFile
    from pwscup.submissions.evaluation.drawing import Drawn

logger = logging.getLogger(__name__)


def is_due(contest: Contest, now: datetime) -> bool:
    """The first anonymization round has opened, and the table has enough records for a team."""
    if not (contest.format.own_tables and contest.is_published):
        return False
    if contest.erased_at is not None:
        return False
    rounds = [round for round in contest.rounds.all() if round.format.is_attacked]
    dataset = original_of(contest)
    if dataset is None or tables.n_available(dataset) < tables.n_needed(contest.ruleset):
        return False
    return any(round.has_opened(now) for round in rounds)


def ensure_drawn(
    team: Team,
    now: datetime | None = None,
    known: dict[int, Any] | None = None,
    *,
    number: int | None = None,
) -> Dataset | None:
    """The team's table, or that of several with this number, drawn now if it is due; None before that, or if no
    individuals are left.

    Safe to call at any time and concurrently: tables are drawn once, all of a team together. `known` caches data of a
    contest for a series of draws. Where teams choose an original, only those of the platform get one by themselves.
    """
    if not team.contest.format.own_tables:
        return None
    found, data = tables.table_of(team, number), team.contest.ruleset.data
    if found is not None or not is_due(team.contest, now or timezone.now()):
        return found
    if data.choose == ONCE and (not team.is_house or tables.table_of(team) is not None):
        return None
    numbers = (number or 1,) if data.choose == ONCE else data.numbers
    if team.contest.format.draw.drawn(team, {} if known is None else known, numbers) is None:
        return None
    return tables.table_of(team, number)


def may_choose(team: Team, now: datetime) -> bool:
    """The team has yet to choose one of its originals, which can be drawn."""
    chooses = team.contest.ruleset.data.choose == ONCE
    return chooses and not tables.numbers_of(team) and is_due(team.contest, now)


def is_left_out(team: Team, now: datetime) -> bool:
    """The individuals of a series were exhausted before this team got any."""
    if not (team.contest.format.shares_out_people and is_due(team.contest, now)):
        return False
    if ensure_drawn(team, now) is not None:
        return False
    return not tables.parts_left(dataset_of(team.contest))


def draw_due(now: datetime | None = None) -> int:
    """Draw the table of every team that needs one; return their number.

    Teams that everybody has left get none.
    """
    now = now or timezone.now()
    opened = Round.objects.filter(
        kind__in=kinds_where("needs_own_table"), opens_at__lte=now, contest__is_published=True
    )
    teams = Team.objects.filter(contest__in=opened.values("contest")).select_related("contest")
    teams = teams.filter(Exists(Membership.objects.filter(team=OuterRef("pk"))) | Q(is_house=True))
    due: dict[int, bool] = {}
    known: dict[int, Any] = {}
    n_drawn = 0
    for team in teams.exclude(datasets__key__startswith=tables.ORIGINAL).order_by(
        "contest_id", "pk"
    ):
        if team.contest_id not in due:
            due[team.contest_id] = False
            known.clear()  # for one contest at a time
            with faults.alone(team.contest, faults.DRAW):
                due[team.contest_id] = is_due(team.contest, now)
        if due[team.contest_id]:
            # If one team's draw fails, the others get their tables anyway.
            with faults.alone(team.contest, faults.DRAW, team.slug):
                n_drawn += ensure_drawn(team, now, known) is not None
    return n_drawn


def attach(
    team: Team,
    source: Dataset,
    *drawn: Drawn,
    numbers: tuple[int | None, ...] = (None,),
) -> Dataset | None:
    """Store the draws of a team, one for each of these originals, unless another process has; return the first one.

    None if the organizer has replaced `source` or the rules, or the team has got another short name, in the meantime.
    """
    made = [(n, one, _written(team, one, n)) for n, one in zip(numbers, drawn, strict=True)]
    kept: Dataset | None = None
    try:
        with transaction.atomic():
            # Replacing the organizer's table and changing the rules also take this lock.
            held = Contest.objects.select_for_update(no_key=True).get(pk=team.contest_id)
            same = Dataset.objects.filter(pk=source.pk, sealed=source.sealed_id, part=source.part)
            # The draw follows from the short name, which may have changed.
            same_team = Team.objects.filter(pk=team.pk, slug=team.slug)
            is_current = same.exists() and same_team.exists()
            same_rules = held.ruleset.data == team.contest.ruleset.data
            if is_current and same_rules and tables.table_of(team) is None:
                kept, *_others = [_enter(team, source, one, files, n) for n, one, files in made]
    finally:
        if kept is None:
            for file in (file for _n, _one, files in made for file in files.values()):
                storage.discard(file)
    if kept is not None:
        logger.info("table of team %s drawn", team.pk)
    return kept or tables.table_of(team)


def _written(team: Team, drawn: Drawn, number: int | None) -> dict[str, StoredFile]:
    sealed = storage.Area.SEALED
    name = tables.team_file(team, tables.numbered(tables.ORIGINAL, number))
    return {
        "whole": storage.write(drawn.whole, area=sealed, name=name),
        "public": storage.publish(drawn.public, name=name),
        "key": storage.write(
            drawn.key, area=sealed, name=f"{tables.numbered(tables.DRAW, number)}.json"
        ),
    }


def _enter(
    team: Team, source: Dataset, drawn: Drawn, files: dict[str, StoredFile], number: int | None
) -> Dataset:
    for file in files.values():
        file.save()
    common = {"contest": team.contest, "team": team, "schema_text": source.schema_text}
    Dataset.objects.create(
        key=tables.key_of(tables.DRAW, number),
        sealed=files["key"],
        n_records=drawn.n_candidates,
        part=drawn.part,
        **common,
    )
    if drawn.part is not None:
        Dataset.objects.filter(pk=source.pk).update(part=drawn.part)
    audit_log.record(
        "table.drawn",
        contest_id=team.contest_id,
        subject=f"team {team.slug}",
        sha256=files["public"].sha256,
        draw_sha256=files["key"].sha256,
        n_records=drawn.n_records,
        **({} if number is None else {"original": number}),
    )
    return Dataset.objects.create(
        key=tables.key_of(tables.ORIGINAL, number),
        sealed=files["whole"],
        public=files["public"],
        n_records=drawn.n_records,
        n_tables=drawn.n_tables,
        n_people=drawn.n_candidates if drawn.part is not None else None,
        **common,
    )
