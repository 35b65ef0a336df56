"""Each team gets records drawn from the organizer's table, with further ones as decoys."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws
from pwscup.submissions.evaluation import drawing
from scoring.formats.lecture import candidate_table, draw
from scoring.tables.text import decode, records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Dataset
    from scoring.tables.equivalence import IntArray


def drawn(team: Team, _known: dict[int, Any]) -> Dataset | None:
    """The team's table."""
    source = dataset_of(team.contest)
    return draws.attach(team, source, drawn_for(team, source))


def drawn_for(team: Team, dataset: Dataset) -> drawing.Drawn:
    """The draw for this team from the organizer's table by the contest's secret, deterministic."""
    spec = team.contest.ruleset.data
    if spec.sample is None or spec.decoys is None:
        raise ValueError(f"the teams of contest {team.contest_id} share one table")
    rng = np.random.default_rng(drawing.seed_of(team.contest, f"draw/{team.slug}"))
    own, decoys = draw(dataset.n_records, spec.sample, spec.decoys, rng=rng)
    return tables_of(team, dataset, own, decoys, candidate_table(own, decoys, rng=rng))


def tables_of(
    team: Team, dataset: Dataset, own: IntArray, decoys: IntArray, candidates: IntArray
) -> drawing.Drawn:
    """The files for the drawn rows of the organizer's table."""
    data = drawing.Opened(dataset).data(f"drawing the table of {team.slug}")
    header, *lines = records(decode(data, file="original"), file="original")
    taken = [header, *(lines[row] for row in own)]
    public = set(dataset.schema.public().names)
    shown = [position for position, name in enumerate(header) if name in public]
    return drawing.Drawn(
        whole=_written(taken),
        public=_written([record[position] for position in shown] for record in taken),
        key=drawing.sealed_rows(own=own, decoys=decoys, candidates=candidates),
        n_records=len(own),
        n_candidates=len(candidates),
    )


def _written(lines: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
