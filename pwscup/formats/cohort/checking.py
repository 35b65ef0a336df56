# SPDX-License-Identifier: Apache-2.0
"""Rules for browsers of synthetic tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.contests.teams.tables import n_own_records
from pwscup.formats.checking import Checks
from scoring.tables.published_rules import table_rules
from scoring.tables.record_bounds import record_bounds
from scoring.tables.synthetic import FILE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release


class Synthetic:
    """A table with the columns of the team's own, its number of records within the limits."""

    def checks(self, round: Round, team: Team | None, _targets: Sequence[Release]) -> Checks:
        n_records = n_own_records(team) if team else None
        if n_records is None:
            return Checks()
        limits = round.contest.ruleset.limits
        least, most = record_bounds(n_records, limits.min_records_factor, limits.max_records_factor)
        schema = shown_schema(dataset_of(round.contest))
        return Checks({FILE: table_rules(schema, least=least, most=most)})


TABLES = Synthetic()
