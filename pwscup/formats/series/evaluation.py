# SPDX-License-Identifier: Apache-2.0
"""A series of releases: its measures, and its published files."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pwscup.formats.evaluation import Published
from scoring.formats.sequential import series_files
from scoring.formats.sequential.background import background
from scoring.formats.sequential.bundles import pack_for_people
from scoring.formats.sequential.files import identifier_of
from scoring.formats.sequential.guesses import baseline_guesses, true_values, values_of
from scoring.formats.sequential.loss import column_widths
from scoring.formats.sequential.scores import score_series
from scoring.formats.sequential.series import published

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pwscup.formats.evaluation import Attacked, Case, Drawn, Opened, Values
    from scoring.audits.audit import Progress
    from scoring.audits.series import SeriesAudit
    from scoring.formats.sequential.series import Series
    from scoring.formats.sequential.tables import Microdata
    from scoring.rulesets.base import SequentialSpec

MAX_LISTED = 1_000
REASON = "scoring: the tables are read"


def tables_of(table: Opened) -> Microdata:
    """The tables of a team."""
    return series_files.read_tables(table.data(REASON), table.schema)


def spec_of(case: Case) -> SequentialSpec:
    """The requirements of the rules for the series."""
    spec = case.ruleset.sequential
    if spec is None:
        raise LookupError(f"contest {case.submission.round.contest_id} has no series")
    return spec


class Releases:
    """A release for each of the team's tables, in an archive."""

    def read(self, case: Case) -> tuple[Microdata, Series]:
        """The team's tables, and its series of releases.

        Raises
        ------
        scoring.errors.ProblemsFound
            Where the files break the rules.
        """
        spec = spec_of(case)
        original = case.read(tables_of)
        name = identifier_of(case.table.schema)
        found = series_files.read_series(
            case.file("series"), original, name, m=spec.m, require=spec.require, limits=spec.limits
        )
        return original, found

    def evaluate(self, case: Case, _seed: int) -> Values | Drawn:
        """Every measure of the ruleset."""
        original, series = self.read(case)
        spec = spec_of(case)

        def found(measures: Sequence[str], seed: int) -> Values:
            return score_series(
                original,
                series,
                measures=measures,
                seed=seed,
                m=spec.m,
                definition=spec.definition,
            )

        return case.measured(found)

    def published(self, case: Case, _purpose: str) -> Published:
        """The releases, sorted; the background table; and, to be sealed, all values and the baseline."""
        original, found = self.read(case)
        values = true_values(original)
        baseline = values_of(baseline_guesses(original, found.releases), original)
        return Published(
            table=pack_for_people(published(found)),
            answer={"values": dict(values), "baseline": dict(baseline)},
            n_records=len(original.ids),
            candidates=pack_for_people(background(case.table.data(REASON), case.table.schema)),
        )

    def debriefed(self, case: Case, attacked: Attacked) -> dict[str, Any]:
        """The individuals whose value was guessed, and the mean width of the regions in each column."""
        original, found = self.read(case)
        values = true_values(original)
        baseline = values_of(baseline_guesses(original, found.releases), original)
        times = Counter(attacked.times.get(person, 0) for person in values)
        order = sorted(attacked.times.items(), key=lambda item: (-item[1], item[0]))
        return {
            "n_records": len(values),
            "n_attackers": attacked.n_attackers,
            "times": [times[n] for n in range(attacked.n_attackers + 1)],
            "columns": [asdict(column) for column in column_widths(original, found)],
            "records": [
                {"id": person, "times": n, "by_baseline": baseline.get(person) == values[person]}
                for person, n in order[:MAX_LISTED]
                if person in values
            ],
        }

    def audited(self, case: Case, progress: Progress) -> SeriesAudit:
        """All definitions of risk and all attackers, with the results that the team can reproduce."""
        from scoring.audits.series import audit_series

        original, found = self.read(case)
        spec = spec_of(case)
        return audit_series(
            original, found, m=spec.m, definition=spec.definition, progress=progress
        )


SERIES = Releases()
