# SPDX-License-Identifier: Apache-2.0
"""Results of the public functions: short as text, tables in notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from scoring.audits import report as reports
from scoring.audits.numbers import number, percent
from scoring.errors import Problem
from scoring.extras import MissingPackageError
from scoring.formats.lecture.release import positions_of
from scoring.tables.aligned import write_aligned
from scoring.tables.number_lists import write_rows
from scoring.tables.writing import write_table

if TYPE_CHECKING:
    from scoring.attacks.base import Attack
    from scoring.attacks.membership import Membership
    from scoring.audits.audit import Audit
    from scoring.options import Value
    from scoring.registry import Measure
    from scoring.scores.results import Mark
    from scoring.tables.equivalence import IntArray
    from scoring.tables.schema import Schema

Number = float | int | None
_MOST_NAMED = 3


class Result(ABC):
    """A result with a title of one line and a frame."""

    @property
    @abstractmethod
    def title(self) -> str:
        """The result in one line."""

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The result as a frame."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.title}>"

    def _repr_html_(self) -> str:
        """The result in notebooks."""
        return f"<p>{escape(self.title)}</p>{html_of(self.to_frame())}"


def html_of(table: pd.DataFrame) -> str:
    """A frame as notebooks show it."""
    return str(table._repr_html_())  # type: ignore[operator]  # the stubs do not know it


def _seeded(seed: int | None) -> str:
    return "" if seed is None else f"; seed {seed}"


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as SVG: notebooks show it, `save` writes it."""

    svg: str

    def __repr__(self) -> str:
        return f"<Picture: {len(self.svg):,} characters of SVG; save() writes it>"

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> None:
        """Write the picture as a file of type SVG."""
        Path(path).write_text(self.svg, encoding="utf-8")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AnonymizedTable(Result):
    """An anonymized table, the original row of each of its records, and how it was made.

    Attributes
    ----------
    table : DataFrame, n_anonymized records
        Its index names the records of the original that they were made from.
    rows : int64 array, shape (n_anonymized,)
        The 0-based rows of these records.
    schema : Schema
        Without identifiers.
    steps : sequence of pairs of str and mapping
        Each method with its options.
    seed : int or None
        The table comes from it again: keep it secret where the table is published. None where a generator was given.
    warnings : tuple of str
        What the methods say about the result.
    n_original : int
    aligned : bool
        Whether `save` writes the table of a lecture contest.
    """

    table: pd.DataFrame
    rows: IntArray
    schema: Schema
    steps: Sequence[tuple[str, Mapping[str, Value]]]
    seed: int | None
    warnings: tuple[str, ...]
    n_original: int
    aligned: bool = False

    @property
    def title(self) -> str:
        """Records, methods and seed."""
        methods = ", ".join(method for method, _ in self.steps)
        return f"{len(self.table):,} records of {self.n_original:,}; {methods}{_seeded(self.seed)}"

    def to_frame(self) -> pd.DataFrame:
        """The anonymized table."""
        return self.table

    def file(self) -> bytes:
        """The table as CSV, as a team submits it."""
        plain = self.table.reset_index(drop=True)
        if self.aligned:
            return write_aligned(plain, positions_of(self.rows, self.n_original), self.schema)
        return write_table(plain, self.schema)

    def save(self, out: str | Path, rows: str | Path | None = None) -> None:
        """Write the files that a team submits.

        Parameters
        ----------
        out : path
            The table as CSV; an aligned one in the original's order, deleted records as empty lines.
        rows : path, optional
            The row numbers, which count from 1.
        """
        Path(out).write_bytes(self.file())
        if rows is not None:
            Path(rows).write_bytes(write_rows(self.rows))


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Scores(Result, Mapping[str, Number]):
    """Measures of an anonymized table by their identifiers; a value is None where the table has no column for it.

    Attributes
    ----------
    values_by_id : mapping of str to number or None
    measures : tuple of Measure
    n_original, n_anonymized : int
    seed : int or None
        That of measures which draw at random; None where none does.
    problems : tuple of Problem
        Bounds of the ruleset that the table does not keep.
    counts : str
        The records, where the title does not show `n_anonymized` of `n_original`.
    """

    values_by_id: Mapping[str, Number]
    measures: tuple[Measure, ...]
    n_original: int
    n_anonymized: int
    seed: int | None = None
    problems: tuple[Problem, ...] = ()
    counts: str = ""

    def __getitem__(self, id_: str) -> Number:
        return self.values_by_id[id_]

    def __iter__(self) -> Iterator[str]:
        return iter(self.values_by_id)

    def __len__(self) -> int:
        return len(self.values_by_id)

    @property
    def title(self) -> str:
        """Records, and the first values."""
        known = [f"{id_} {number(v)}" for id_, v in self.items() if v is not None]
        more = "" if len(known) <= _MOST_NAMED else f" … {len(known)} values"
        named = ", ".join(known[:_MOST_NAMED]) or "no value"
        refused = f"; {len(self.problems)} bounds are not kept" if self.problems else ""
        counts = self.counts or f"{self.n_anonymized:,} records of {self.n_original:,}"
        return f"{counts}; {named}{more}{refused}{_seeded(self.seed)}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each measure: its value, which direction is better, and its title."""
        lines = {
            m.id: {"value": self[m.id], "better": m.direction, "meaning": m.title}
            for m in self.measures
        }
        found = pd.DataFrame.from_dict(
            lines, orient="index", columns=["value", "better", "meaning"]
        )
        return found.astype({"value": float}).rename_axis("measure")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Validation(Result):
    """The problems of a submission; true where there are none.

    Attributes
    ----------
    n_original : int
    n_anonymized : int or None
        None where the table could not be read.
    problems : tuple of Problem
        The first 200.
    n_problems : int
        The number of all.
    notes : tuple of Problem
        What is unusual and accepted.
    """

    n_original: int
    n_anonymized: int | None
    problems: tuple[Problem, ...]
    n_problems: int
    notes: tuple[Problem, ...] = ()

    def __bool__(self) -> bool:
        return not self.n_problems

    @property
    def title(self) -> str:
        """Valid, or the number of problems and the first of them."""
        if self:
            return f"valid: {self.n_anonymized:,} records of {self.n_original:,}, no problems"
        noun = "problem" if self.n_problems == 1 else "problems"
        return f"rejected: {self.n_problems:,} {noun}; {self.problems[0]}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each problem: its file, record, column, code and text."""
        columns = ["file", "record", "column", "code", "problem"]
        lines = [(p.file, p.row, p.column, p.code, p.message) for p in self.problems]
        return pd.DataFrame(lines, columns=columns)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Guesses(Result):
    """An attacker's guesses of the original row of each anonymized record, and how many are right.

    Attributes
    ----------
    attack : Attack
    guess : int64 array, shape (n_anonymized,)
        0-based rows of the original; -1 for no guess.
    rows : int64 array, shape (n_anonymized,), or None
        The declared rows; None where nobody knows them.
    seed : int or None
    result : Mark or None
        Hits and rate; None without rows.
    """

    attack: Attack
    guess: IntArray
    rows: IntArray | None
    seed: int | None
    result: Mark | None

    @property
    def hits(self) -> int | None:
        """The number of right guesses; None where nobody knows."""
        return None if self.result is None else self.result.hits

    @property
    def rate(self) -> float | None:
        """The share of all records that were found; None where nobody knows."""
        return None if self.result is None else self.result.rate

    @property
    def title(self) -> str:
        """The attacker and its success."""
        n = len(self.guess)
        if self.result is None:
            found = f"{int((self.guess >= 0).sum()):,} guesses for {n:,} records"
        else:
            found = f"finds {self.result.hits:,} of {n:,} records ({percent(self.result.rate)})"
        return f"{self.attack.id} {found}{_seeded(self.seed)}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each record: the guessed row, and where rows are declared, that one and whether it was found."""
        found = pd.DataFrame({"guess": self.guess})
        if self.rows is not None:
            found["row"] = self.rows
            found["found"] = found["guess"] == found["row"]
        return found


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MembershipResult(Result):
    """The success of an attacker who distinguishes people in a table from others.

    Attributes
    ----------
    found : scoring.attacks.membership.Membership
        Rates and their intervals one by one.
    n_original : int
        The people who are in the table: the first of those with a score.
    """

    found: Membership
    n_original: int

    @property
    def auc(self) -> float:
        """The area under the curve: 0.5 is random guessing, 1 certainty."""
        return self.found.auc

    @property
    def title(self) -> str:
        """The area under the curve and the advantage, with 95 % intervals."""
        shown = {"AUC": self.found.area, "advantage": self.found.advantage}
        return ", ".join(
            f"{name} {i.value:.4f} ({i.low:.4f} to {i.high:.4f})" for name, i in shown.items()
        )

    def to_frame(self) -> pd.DataFrame:
        """A line for each person: the table, the 0-based row in it, and the score, higher for likelier members."""
        n_others = len(self.found.scores) - self.n_original
        tables = ["original"] * self.n_original + ["control"] * n_others
        rows = [*range(self.n_original), *range(n_others)]
        return pd.DataFrame({"table": tables, "row": rows, "score": self.found.scores})


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class AuditResult(Result):
    """Every attacker and every measure on one table.

    Attributes
    ----------
    audit : scoring.audits.audit.Audit
        The findings one by one.
    seed : int or None
    version : str
        Of the library.
    """

    audit: Audit
    seed: int | None
    version: str

    @property
    def rate(self) -> float | None:
        """The rate of the strongest attacker; None where none was run."""
        return None if self.audit.worst is None else self.audit.worst.rate

    @property
    def title(self) -> str:
        """The strongest attacker and its rate; without attackers the measures."""
        worst = self.audit.worst
        if worst is None:
            return f"no attacker was run; {self.scores.title}"
        found = f"{percent(worst.rate)} of {self.audit.n_anonymized:,} records"
        return f"{worst.attack.id} is the strongest attack: it finds {found}{_seeded(self.seed)}"

    def _repr_html_(self) -> str:
        """The verdict and the attackers."""
        verdict = f"<p>{escape(reports.verdict(self.audit))}</p>"
        return f"{verdict}{html_of(self.to_frame())}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each attacker, the strongest first: its rate, what it found, and the interval of that.

        Without attackers a line for each measure, as `scores` has it.
        """
        if not self.audit.findings:
            return self.scores.to_frame()
        lines = [
            (f.attack.id, f.rate, f.found.hits, f.found.low, f.found.high, f.attack.title)
            for f in self.audit.findings
        ]
        columns = ["attack", "rate", "found", "low", "high", "meaning"]
        return pd.DataFrame(lines, columns=columns).set_index("attack")

    @property
    def scores(self) -> Scores:
        """The measures."""
        from scoring.registry import MEASURES

        found, measures = self.audit, tuple(MEASURES[id_] for id_ in self.audit.values)
        return Scores(found.values, measures, found.n_original, found.n_anonymized, self.seed)

    def report(self) -> str:
        """The report as a page of HTML that needs nothing else."""
        facts = {"scoring": self.version}
        if self.seed is not None:
            facts["seed"] = str(self.seed)
        return reports.report(self.audit, facts)

    def save(self, path: str | Path) -> None:
        """Write the report."""
        Path(path).write_text(self.report(), encoding="utf-8")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ComparedTables(Result):
    """Several anonymized tables of one original: their utility and their risk.

    Attributes
    ----------
    frame : DataFrame
        A line for each table, by its name.
    utility, risk : str
        The columns of the plot.
    labels : tuple of str
        The texts of its axes.
    seed : int or None
    """

    frame: pd.DataFrame
    utility: str
    risk: str
    labels: tuple[str, str]
    seed: int | None

    @property
    def title(self) -> str:
        """The number of tables, and the one with the smallest risk."""
        risks = self.frame[self.risk].dropna()
        safest = f"; least {self.risk}: {risks.idxmin()}" if len(risks) else ""
        return f"{len(self.frame)} tables{safest}{_seeded(self.seed)}"

    def to_frame(self) -> pd.DataFrame:
        """A line for each table."""
        return self.frame

    def plot(self) -> Picture:
        """Utility against risk, a point for each table."""
        from scoring.facade.pictures import utility_and_risk

        return Picture(utility_and_risk(self.frame, self.utility, self.risk, self.labels))

    def _repr_html_(self) -> str:
        table = Result._repr_html_(self)
        try:
            return f"{table}{self.plot().svg}"
        except MissingPackageError as error:
            return f"{table}<p>{escape(str(error))}</p>"
