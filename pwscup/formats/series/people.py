# SPDX-License-Identifier: Apache-2.0
"""Each team's own individuals of a series: the organizer's tables, split by a secret permutation."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from pwscup.contests.teams.tables import n_needed
from pwscup.submissions.evaluation import drawing
from scoring.formats.sequential.bundles import numbered, pack, pack_for_people, unpacked
from scoring.formats.sequential.files import identifier_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pwscup.contests.models import Contest, Dataset
    from scoring.tables.equivalence import IntArray

LETTER = "T"
PURPOSE = "people"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as text, and the individuals of its records.

    Record i is data[starts[i]:starts[i + 1]], and the header is before the first; `people` are positions
    among all individuals, sorted by id.
    """

    data: bytes
    starts: IntArray
    people: IntArray

    def only(self, is_taken: NDArray[np.bool_]) -> bytes:
        """The same table with the records of some individuals only."""
        rows = np.flatnonzero(is_taken[self.people])
        lines = zip(self.starts[rows].tolist(), self.starts[rows + 1].tolist(), strict=True)
        header = self.data[: int(self.starts[0])]
        return b"".join([header, *(self.data[start:end] for start, end in lines)])


@dataclass(frozen=True)
class Split:
    """The tables of a contest and a permutation of their individuals, whose parts the teams get.

    It is computed once for any number of teams; computing it reads every record.
    """

    contest: Contest
    source: Dataset
    tables: tuple[Table, ...]
    n_people: int

    @classmethod
    def of(cls, contest: Contest, source: Dataset) -> Split:
        """The split of an organizer's tables, the same every time."""
        data = drawing.Opened(source).data("drawing the tables of teams")
        files = unpacked(data, LETTER, file="original")
        name = identifier_of(source.schema)
        ids, starts = zip(*(_records(file, name) for file in files), strict=True)
        codes, people = pd.factorize(np.concatenate(ids), sort=True)
        ends = np.cumsum([len(found) for found in ids])[:-1]
        tables = map(Table, files, starts, np.split(codes.astype(np.int64), ends))
        return cls(contest, source, tuple(tables), len(people))

    @cached_property
    def order(self) -> IntArray:
        """The positions of all individuals in the order given by the contest's secret."""
        seed = drawing.seed_of(self.contest, PURPOSE)
        return np.random.default_rng(seed).permutation(self.n_people)

    def is_of(self, source: Dataset) -> bool:
        """The organizer's tables have not been replaced."""
        return self.source.sealed_id == source.sealed_id

    def people(self, part: int) -> NDArray[np.bool_]:
        """The individuals in a part, counted from 1.

        Raises
        ------
        LookupError
            If fewer individuals are left than a team needs.
        """
        n_own = n_needed(self.contest.ruleset)
        own = self.order[(part - 1) * n_own : part * n_own]
        if len(own) < n_own:
            raise LookupError(f"no people are left for part {part}")
        is_taken = np.zeros(self.n_people, dtype=np.bool_)
        is_taken[own] = True
        return is_taken

    def is_usable(self, part: int) -> bool:
        """Each of the tables contains an individual of the part: an empty one cannot be published."""
        if part * n_needed(self.contest.ruleset) > self.n_people:
            return False
        is_taken = self.people(part)
        return all(is_taken[table.people].any() for table in self.tables)

    def part(self, number: int) -> drawing.Drawn:
        """The tables of one part, counted from 1."""
        is_taken = self.people(number)
        own = np.flatnonzero(is_taken)
        files = numbered(LETTER, [table.only(is_taken) for table in self.tables])
        return drawing.Drawn(
            whole=pack(files),
            public=pack_for_people(files),
            key=drawing.sealed_rows(people=own),
            n_records=sum(int(is_taken[table.people].sum()) for table in self.tables),
            n_candidates=len(own),
            part=number,
            n_tables=len(self.tables),
        )


def _records(data: bytes, name: str) -> tuple[NDArray[np.object_], IntArray]:
    """The id of every record, and its start in the bytes; followed by the end of the last one."""
    lines = csv.reader(io.StringIO(data.decode(), newline=""))
    position = next(lines).index(name)
    after = [lines.line_num]
    ids = []
    for record in lines:
        ids.append(record[position])
        after.append(lines.line_num)
    breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    return np.array(ids, dtype=object), breaks[np.array(after) - 1]
