# SPDX-License-Identifier: Apache-2.0
"""Rules for browsers of tables that are aligned with a team's own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.contests.teams.tables import n_own_records
from pwscup.formats.checking import Checks
from scoring.tables.published_rules import aligned_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release


class Aligned:
    """One table, or several that belong together."""

    def checks(self, round: Round, team: Team | None, _targets: Sequence[Release]) -> Checks:
        n_records = n_own_records(team) if team else None
        if n_records is None:
            return Checks()
        rules, schema = round.contest.ruleset, shown_schema(dataset_of(round.contest))
        parts = rules.data.columns_of_parts(schema)
        columns: Mapping[str, tuple[str, ...] | None] = parts or {"anonymized": None}
        has_blanks = rules.validity.blank_records
        return Checks(
            {
                key: aligned_rules(schema, n_records, blank_records=has_blanks, names=names)
                for key, names in columns.items()
            }
        )


TABLES = Aligned()
