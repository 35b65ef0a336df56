# SPDX-License-Identifier: Apache-2.0
"""Each team gets records drawn from the organizer's table and those that all have, with further ones as decoys."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

import numpy as np

from pwscup.contests.selectors import dataset_of
from pwscup.submissions import draws
from pwscup.submissions.evaluation import drawing
from scoring.formats.cohort.draw import Population, draw_cohort, draw_shared
from scoring.formats.lecture import candidate_table, draw
from scoring.rulesets.kinds import WHOLE
from scoring.tables.text import decode, records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pwscup.accounts.models import Team
    from pwscup.contests.models import Contest, Dataset
    from scoring.tables.equivalence import IntArray


def drawn(team: Team, known: dict[int, Any], numbers: tuple[int | None, ...]) -> Dataset | None:
    """The team's table, or the first of several."""
    source = dataset_of(team.contest)
    made = (drawn_for(team, source, known, number=number) for number in numbers)
    return draws.attach(team, source, *made, numbers=numbers)


def drawn_for(
    team: Team,
    dataset: Dataset,
    known: dict[int, Any] | None = None,
    *,
    number: int | None = None,
) -> drawing.Drawn:
    """The draw for this team from the organizer's table by the contest's secret, deterministic; of several originals
    that with this number."""
    spec = team.contest.ruleset.data
    if spec.sample is None or spec.decoys is None:
        raise ValueError(f"the teams of contest {team.contest_id} share one table")
    purpose = f"draw/{team.slug}" if number is None else f"draw/{team.slug}/{number}"
    rng = np.random.default_rng(drawing.seed_of(team.contest, purpose))
    shared = np.zeros(0, dtype=np.int64)
    if spec.shared or spec.strata:
        population, shared = _common(team.contest, dataset, {} if known is None else known)
        found = draw_cohort(population, shared, spec.sample, spec.decoys, rng=rng)
        own, decoys = found.own, found.decoys
    else:
        own, decoys = draw(dataset.n_records, spec.sample, spec.decoys, rng=rng)
    if spec.candidates == WHOLE:
        candidates = np.arange(dataset.n_records, dtype=np.int64)
    else:
        candidates = candidate_table(own, decoys, rng=rng)
    return tables_of(team, dataset, own, decoys, candidates, shared)


def _common(
    contest: Contest, dataset: Dataset, known: dict[int, Any]
) -> tuple[Population, IntArray]:
    """The common part of the draws of all teams: the strata, and the shared records."""
    if contest.pk not in known:
        spec = contest.ruleset.data
        table = drawing.Opened(dataset).records("drawing the shared records")
        rare = None if spec.rare is None else (spec.rare.column, spec.rare.value)
        population = Population.of(table, strata=spec.strata, rare=rare)
        rng = np.random.default_rng(drawing.seed_of(contest, "draw"))
        n_rare = 0 if spec.rare is None else spec.rare.records
        known[contest.pk] = population, draw_shared(population, spec.shared, n_rare, rng=rng)
    found: tuple[Population, IntArray] = known[contest.pk]
    return found


def tables_of(
    team: Team,
    dataset: Dataset,
    own: IntArray,
    decoys: IntArray,
    candidates: IntArray,
    shared: IntArray | None = None,
) -> drawing.Drawn:
    """The files for the drawn rows of the organizer's table; `shared` are those that all teams have."""
    data = drawing.Opened(dataset).data(f"drawing the table of {team.slug}")
    header, *lines = records(decode(data, file="original"), file="original")
    taken = [header, *(lines[row] for row in own)]
    public = set(dataset.schema.public().names)
    shown = [position for position, name in enumerate(header) if name in public]
    common = {} if shared is None or not len(shared) else {"shared": shared}
    return drawing.Drawn(
        whole=_written(taken),
        public=_written([record[position] for position in shown] for record in taken),
        key=drawing.sealed_rows(own=own, decoys=decoys, candidates=candidates, **common),
        n_records=len(own),
        n_candidates=len(candidates),
    )


def _written(lines: Iterable[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()
