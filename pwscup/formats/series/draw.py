# SPDX-License-Identifier: Apache-2.0
"""Each team gets the records of its own individuals, at all times, as long as there are some left."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from pwscup.contests.models import Dataset
from pwscup.contests.selectors import dataset_of
from pwscup.contests.teams import tables
from pwscup.formats.series.people import Split
from pwscup.submissions import draws

if TYPE_CHECKING:
    from pwscup.accounts.models import Team

logger = logging.getLogger(__name__)


def drawn(team: Team, splits: dict[int, Any], *_numbers: object) -> Dataset | None:
    """The next part of the individuals; if another team got it first, the one after it."""
    while True:
        source = dataset_of(team.contest)
        parts = tables.parts_left(source)
        if not parts:
            return tables.table_of(team)
        split = splits.get(team.contest_id)
        if split is None or not split.is_of(source):
            split = splits[team.contest_id] = Split.of(team.contest, source)
        part = next(filter(split.is_usable, parts), None)
        if part is None:
            _give_up(source, parts[-1])
            continue
        kept = draws.attach(team, source, split.part(part))
        if kept is not None or dataset_of(team.contest).part == source.part:
            return kept


def _give_up(source: Dataset, last: int) -> None:
    """Record that no part is left, unless another team got one in the meantime."""
    Dataset.objects.filter(pk=source.pk, sealed=source.sealed_id, part=source.part).update(
        part=last
    )
    logger.warning("no people are left in contest %s who are in every table", source.contest_id)
