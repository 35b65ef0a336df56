"""A team's own table: its records and decoys, drawn from the organizer's table, and its candidates."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pwscup.contests import truth
from scoring.formats.lecture import candidate_table, draw

if TYPE_CHECKING:
    from pwscup.accounts.models import Team
    from pwscup.contests.models import Dataset, Round
    from scoring.tables.equivalence import IntArray


@dataclass(frozen=True, slots=True)
class Drawn:
    """A team's table, to be sealed; the part of it that the team gets; and what was drawn, sealed as well."""

    whole: bytes
    public: bytes
    key: bytes
    n_records: int
    n_candidates: int
    part: int | None = None
    n_tables: int | None = None


def drawn_for(team: Team, dataset: Dataset) -> Drawn:
    """Draw from the organizer's table what the contest's secret gives this team, the same every time."""
    spec = team.contest.ruleset.data
    if spec.sample is None or spec.decoys is None:
        raise ValueError(f"the teams of contest {team.contest_id} share one table")
    rng = np.random.default_rng(truth.derived_seed(team.contest, f"draw/{team.slug}"))
    own, decoys = draw(dataset.n_records, spec.sample, spec.decoys, rng=rng)
    return tables_of(team, dataset, own, decoys, candidate_table(own, decoys, rng=rng))


def bot_seed(team: Team, round: Round) -> int:
    """What a bot draws from in a round: nobody can replay its table before the contest's secret is published."""
    return truth.derived_seed(team.contest, f"bot/{round.key}/{team.slug}")


def tables_of(
    team: Team, dataset: Dataset, own: IntArray, decoys: IntArray, candidates: IntArray
) -> Drawn:
    """The files that follow from the drawn rows of the organizer's table."""
    data = truth.read_sealed(
        dataset.sealed, reason=f"drawing the table of {team.slug}", contest_id=dataset.contest_id
    )
    header, *records = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    taken = [header, *(records[row] for row in own)]
    public = set(dataset.schema.public().names)
    shown = [position for position, name in enumerate(header) if name in public]
    return Drawn(
        whole=_written(taken),
        public=_written([record[position] for position in shown] for record in taken),
        key=truth.draw_key(own, decoys, candidates),
        n_records=len(own),
        n_candidates=len(candidates),
    )


def _written(lines: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
