"""Each team's own people of a series: the organizer's tables, split by a secret permutation of everybody."""

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
from scoring.formats.sequential.bundles import numbered, pack, unpacked
from scoring.formats.sequential.files import identifier_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pwscup.contests.models import Contest, Dataset
    from scoring.tables.equivalence import IntArray

LETTER = "T"
PURPOSE = "people"


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it was written, and who its records are.

    Record i is data[starts[i]:starts[i + 1]], and the header stands before the first; `people` are positions
    among everybody, sorted by id.
    """

    data: bytes
    starts: IntArray
    people: IntArray

    def only(self, is_taken: NDArray[np.bool_]) -> bytes:
        """The same table with the records of some people alone."""
        rows = np.flatnonzero(is_taken[self.people])
        lines = zip(self.starts[rows].tolist(), self.starts[rows + 1].tolist(), strict=True)
        header = self.data[: int(self.starts[0])]
        return b"".join([header, *(self.data[start:end] for start, end in lines)])


@dataclass(frozen=True)
class Split:
    """The tables of a contest and a permutation of their people, whose parts the teams get.

    Made once, it gives any number of teams their tables; making it takes a look at every record.
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
        """Everybody's positions as the contest's secret orders them."""
        seed = drawing.seed_of(self.contest, PURPOSE)
        return np.random.default_rng(seed).permutation(self.n_people)

    def is_of(self, source: Dataset) -> bool:
        """Whether these are still the organizer's tables."""
        return self.source.sealed_id == source.sealed_id

    def people(self, part: int) -> NDArray[np.bool_]:
        """Who of everybody is in a part, counted from 1.

        Raises
        ------
        LookupError
            Where fewer people are left than a team needs.
        """
        n_own = n_needed(self.contest.ruleset)
        own = self.order[(part - 1) * n_own : part * n_own]
        if len(own) < n_own:
            raise LookupError(f"no people are left for part {part}")
        is_taken = np.zeros(self.n_people, dtype=np.bool_)
        is_taken[own] = True
        return is_taken

    def is_usable(self, part: int) -> bool:
        """Whether somebody of a part is in each of the tables: an empty one cannot be published."""
        if part * n_needed(self.contest.ruleset) > self.n_people:
            return False
        is_taken = self.people(part)
        return all(is_taken[table.people].any() for table in self.tables)

    def part(self, number: int) -> drawing.Drawn:
        """The tables of one part, counted from 1."""
        is_taken = self.people(number)
        own = np.flatnonzero(is_taken)
        whole = pack(numbered(LETTER, [table.only(is_taken) for table in self.tables]))
        return drawing.Drawn(
            whole=whole,
            public=whole,
            key=drawing.sealed_rows(people=own),
            n_records=sum(int(is_taken[table.people].sum()) for table in self.tables),
            n_candidates=len(own),
            part=number,
            n_tables=len(self.tables),
        )


def _records(data: bytes, name: str) -> tuple[NDArray[np.object_], IntArray]:
    """The id of every record, and where in the bytes it begins; at last, where the last one ends."""
    lines = csv.reader(io.StringIO(data.decode(), newline=""))
    position = next(lines).index(name)
    after = [lines.line_num]
    ids = []
    for record in lines:
        ids.append(record[position])
        after.append(lines.line_num)
    breaks = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == ord("\n")) + 1
    return np.array(ids, dtype=object), breaks[np.array(after) - 1]
