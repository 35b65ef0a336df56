# SPDX-License-Identifier: Apache-2.0
"""Rules for browsers of a table that all teams have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pwscup.contests.selectors import dataset_of, shown_schema
from pwscup.formats.checking import Checks
from scoring.tables.published_rules import submission_rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Round
    from pwscup.submissions.models import Release


class Submissions:
    """A table and its row numbers."""

    def checks(self, round: Round, _team: Team | None, _targets: Sequence[Release]) -> Checks:
        dataset = dataset_of(round.contest)
        return Checks(submission_rules(shown_schema(dataset), dataset.n_records))


TABLES = Submissions()
