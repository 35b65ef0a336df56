# SPDX-License-Identifier: Apache-2.0
"""Every fast path of scoring against plain code, on random tables of every kind that is rare.

    python -m tests.scoring.fuzz --answers 1000000 --seed 0

An answer is one record's decision for one attack (how many originals are as good as the declared one,
or a definite guess) or one measure's value. The plain code here computes every distance there is,
record by record; it is itself held against `oracles`, which has no numpy, in `test_fuzz`.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd

from scoring.attacks import ties
from scoring.evaluate import score
from scoring.registry import ATTACKS
from scoring.scores.comparison import OPTION_CHOICES, Comparison, Options, Prepared
from scoring.tables.records import Records
from scoring.tables.schema import Column, Kind, Role, Schema
from tests.scoring import tables

ALL_OPTIONS = [
    Options(**dict(zip(OPTION_CHOICES, chosen, strict=True)))
    for chosen in product(*OPTION_CHOICES.values())
]
GUESSES = ("E2", "E3", "E4", "EUC1", "EUC2", "E4-rank")
SIZES = ((1, 12), (8, 60), (60, 400), (400, 2_500))
SHARES_OF_SIZES = (0.3, 0.4, 0.25, 0.05)


# Tables


def schema_of(rng: np.random.Generator) -> Schema:
    """Up to 12 quasi-identifiers, some of them numbers, and up to 12 amounts."""
    n_qi, n_sa = int(rng.integers(0, 5)), int(rng.integers(0, 5))
    n_sa = max(n_sa, 1 - n_qi)
    if rng.random() < 0.3:
        n_qi, n_sa = int(rng.integers(5, 13)), int(rng.integers(5, 13))
    n_cross = int(rng.integers(0, n_qi + 1))
    kinds = rng.choice([Kind.CATEGORY, Kind.CATEGORY, Kind.INTEGER, Kind.NUMBER], n_qi)
    columns = [
        Column(f"q{i}", Role.QUASI_IDENTIFIER, Kind(kind), cross=i < n_cross)
        for i, kind in enumerate(kinds)
    ]
    columns += [Column(f"s{i}", Role.SENSITIVE, Kind.NUMBER) for i in range(n_sa)]
    names = [f"s{i}" for i in range(n_sa)] or [None]
    return Schema(tuple(columns), str_or_none(rng.choice(names)), str_or_none(rng.choice(names)))


def str_or_none(name: object) -> str | None:
    return None if name is None else str(name)


def amounts(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    style = rng.choice([*tables.STYLES, "wide", "clusters"])
    if style == "wide":
        return rng.integers(0, 10**7, shape).astype(float)
    if style == "clusters":  # twins one yen apart, far from other twins
        return rng.integers(0, 4, shape) * 1e6 + rng.integers(0, 2, shape)
    return tables.values(rng, str(style), shape).astype(float)


def original_of(schema: Schema, rng: np.random.Generator, n: int) -> pd.DataFrame:
    # Twelve columns of 200 values have more vectors than 64 bits can number.
    n_levels = int(rng.choice([1, 2, 3, 8, 200]))
    sa = amounts(rng, (n, len(schema.sensitive_numeric)))
    if sa.shape[1] > 1 and rng.random() < 0.3:
        sa[:, -1] = sa[:, 0]
    if rng.random() < 0.2:  # whole records twice
        sa = sa[rng.integers(0, max(1, n // 2), n)]
    data: dict[str, object] = {}
    for name in schema.quasi_identifiers:
        values = rng.integers(0, n_levels, n)
        kind = schema.column(name).kind
        if kind is Kind.CATEGORY:
            data[name] = [f"v{value}" for value in values]
        else:
            data[name] = values / 4 - 1 if kind is Kind.NUMBER else values
    data |= dict(zip(schema.sensitive_numeric, sa.T, strict=True))
    return pd.DataFrame(data, index=range(n))


def anonymized_of(
    schema: Schema, original: pd.DataFrame, source: np.ndarray, rng: np.random.Generator
) -> pd.DataFrame:
    y = original.iloc[source].reset_index(drop=True)
    qi, sa = list(schema.quasi_identifiers), list(schema.sensitive_numeric)
    for name in qi:
        if rng.random() < 0.25:  # values that the original lacks, too, and perhaps in all records
            changed = rng.random(len(y)) < rng.choice([0.05, 0.5, 1.0])
            is_category = schema.column(name).kind is Kind.CATEGORY
            others = ["v0", "v1", "none", "else"] if is_category else [-0.0, 1.0, 77.0, 78.5]
            y[name] = np.where(changed, rng.choice(others, len(y)), y[name])
    everything = int(rng.integers(0, 8))
    for name in sa:
        match everything if everything < 6 else int(rng.integers(0, 6)):
            case 0:
                y[name] = y[name] + rng.integers(-1, 2, len(y))
            case 1:
                y[name] = rng.permutation(y[name].to_numpy())
            case 2:
                groups = [y[name_] for name_ in qi] or np.zeros(len(y))
                y[name] = y.groupby(groups)[name].transform("mean").round(4)
            case 3:
                y[name] = y[name] + rng.integers(-3, 4, len(y)) / 10_000
            case 4:
                y[name] = np.rint(y[name] * (1 + 0.2 * rng.normal(size=len(y))))
    if sa and rng.random() < 0.1:  # so far away that all distances round alike
        far = rng.random(len(y)) < 0.3
        y.loc[far, sa[0]] = rng.choice([1e15, -1e20])
    return y


def case_of(seed: int) -> tables.Case:
    rng = np.random.default_rng(seed)
    schema = schema_of(rng)
    low, high = SIZES[int(rng.choice(len(SIZES), p=SHARES_OF_SIZES))]
    n = int(rng.integers(low, high))
    original = original_of(schema, rng, n)
    n_kept = n if rng.random() < 0.5 else int(rng.integers(1, n + 1))
    source = rng.permutation(n)[:n_kept]
    y = anonymized_of(schema, original, source, rng)
    if rng.random() < 0.2:  # rows declared for each other
        source = np.roll(source, 1)
    return tables.Case(schema, original, y, source)


# Plain code


@dataclass(frozen=True)
class Plain:
    """Both tables as plain arrays, and what every attack finds in them."""

    case: tables.Case
    x: np.ndarray
    y: np.ndarray
    rows_of: dict[tuple[object, ...], np.ndarray]
    keys: list[tuple[object, ...]]
    cells_x: list[tuple[object, ...]]
    cells_y: list[tuple[object, ...]]

    @classmethod
    def of(cls, case: tables.Case) -> Plain:
        schema, sa = case.schema, list(case.schema.sensitive_numeric)
        everyone: dict[tuple[object, ...], list[int]] = {}
        for row, key in enumerate(vectors(case.original, schema.quasi_identifiers)):
            everyone.setdefault(key, []).append(row)
        return cls(
            case,
            case.original[sa].to_numpy(dtype=float),
            case.anonymized[sa].to_numpy(dtype=float),
            {key: np.array(rows) for key, rows in everyone.items()},
            vectors(case.anonymized, schema.quasi_identifiers),
            vectors(case.original, schema.cross),
            vectors(case.anonymized, schema.cross),
        )

    def nearest(self, attack: str, r: int, no_match: str) -> list[int]:
        """The originals that an attacker holds equally likely for record r, ascending."""
        rows, everyone = self.rows_of.get(self.keys[r]), np.arange(len(self.x))
        if attack == "E1":
            return [] if rows is None else rows.tolist()
        if attack in ("E2", "E4"):
            name = self.case.schema.e2_column if attack == "E2" else self.case.schema.e4_column
            j = self.case.schema.sensitive_numeric.index(name)
            among = everyone if attack == "E4" or rows is None else rows
            distances = np.abs(self.y[r, j] - self.x[among, j])
            return among[distances == distances.min()].tolist()
        if rows is None:
            no_match = "all" if attack == "EUC2" else no_match
            if no_match != "all":
                return [r] if no_match == "own_row" else []
            rows = everyone
        distances = np.zeros(len(rows))
        for j in range(self.x.shape[1]):
            difference = self.y[r, j] - self.x[rows, j]
            distances += difference * difference
        return rows[distances == distances.min()].tolist()

    def ranks(self, attack: str) -> tuple[np.ndarray, np.ndarray]:
        """What is sorted: sums in column order, or one column."""
        if attack == "E4-rank":
            j = self.case.schema.sensitive_numeric.index(self.case.schema.e4_column)
            return self.x[:, j], self.y[:, j]
        totals = np.zeros(len(self.x)), np.zeros(len(self.y))
        for total, table in zip(totals, (self.x, self.y), strict=True):
            for j in range(table.shape[1]):
                total += table[:, j]
        return totals


def vectors(table: pd.DataFrame, columns: tuple[str, ...]) -> list[tuple[object, ...]]:
    lists = [table[name].tolist() for name in columns]
    return list(zip(*lists, strict=True)) if lists else [()] * len(table)


def chances(plain: Plain, attack: str, options: Options) -> list[Fraction]:
    """How likely each record is linked to its declared source."""
    source = plain.case.source.tolist()
    if attack == "E3":
        return chances_of_ranks(plain, options)
    found = [plain.nearest(attack, r, options.no_match) for r in range(len(source))]
    if options.ties == "first":
        return [Fraction(rows[:1] == [row]) for rows, row in zip(found, source, strict=True)]
    shares = [
        Fraction(1, len(rows)) if row in rows else Fraction(0)
        for rows, row in zip(found, source, strict=True)
    ]
    return [share if options.ties == "expected" or share == 1 else Fraction(0) for share in shares]


def chances_of_ranks(plain: Plain, options: Options) -> list[Fraction]:
    of_x, of_y = plain.ranks("E3")
    if options.ties == "first":
        guess = rank_guess(plain, "E3")
        return [
            Fraction(row == got) for row, got in zip(plain.case.source.tolist(), guess, strict=True)
        ]
    shares = []
    for r, row in enumerate(plain.case.source.tolist()):
        a, b = int((of_y < of_y[r]).sum()), int((of_y <= of_y[r]).sum())
        c, d = int((of_x < of_x[row]).sum()), int((of_x <= of_x[row]).sum())
        share = Fraction(max(min(b, d) - max(a, c), 0), (b - a) * (d - c))
        shares.append(share if options.ties == "expected" or share == 1 else Fraction(0))
    return shares


def rank_guess(plain: Plain, attack: str) -> list[int]:
    of_x, of_y = (values.tolist() for values in plain.ranks(attack))
    order_x = sorted(range(len(of_x)), key=lambda row: (of_x[row], row))
    order_y = sorted(range(len(of_y)), key=lambda r: (of_y[r], r))
    guess = [-1] * len(of_y)
    for r, row in zip(order_y, order_x, strict=False):
        guess[r] = row
    return guess


def definite_guess(plain: Plain, attack: str) -> list[int]:
    """The lowest of the nearest, -1 where there is none."""
    if attack in ("E3", "E4-rank"):
        return rank_guess(plain, attack)
    n = len(plain.y)
    return [(plain.nearest(attack, r, "miss") or [-1])[0] for r in range(n)]


def exact_means(
    table: np.ndarray, keys: list[tuple[object, ...]]
) -> dict[tuple[object, ...], list[Fraction]]:
    members: dict[tuple[object, ...], list[int]] = {}
    for r, key in enumerate(keys):
        members.setdefault(key, []).append(r)
    return {
        key: [
            sum(map(Fraction, table[rows, j].tolist())) / len(rows) for j in range(table.shape[1])
        ]
        for key, rows in members.items()
    }


def utility(plain: Plain, options: Options) -> dict[str, Fraction | float | int | None]:
    """U1 to U6 in exact fractions but for the roots of U4 and the rounded differences of U5."""
    x, y, source = plain.x, plain.y, plain.case.source
    n_columns = x.shape[1]
    values: dict[str, Fraction | float | int | None] = dict.fromkeys(
        ("U1", "U2", "U3", "U4", "U5", "U6")
    )
    values["U6"] = len(x) - len(y)
    cells = set(plain.cells_y) | (set(plain.cells_x) if options.cells == "union" else set())
    if plain.case.schema.cross:
        in_x, in_y = Counter(plain.cells_x), Counter(plain.cells_y)
        values["U3"] = Fraction(sum(abs(in_x[c] - in_y[c]) for c in cells), len(cells))
    if not n_columns:
        return values
    (means_x,), (means_y,) = (exact_means(t, [()] * len(t)).values() for t in (x, y))
    differences = [abs(a - b) for a, b in zip(means_x, means_y, strict=True)]
    values["U1"] = sum(differences) / n_columns
    if plain.case.schema.cross:
        cell_x, cell_y = exact_means(x, plain.cells_x), exact_means(y, plain.cells_y)
        none = [Fraction(0)] * n_columns
        total = sum(
            abs(a - b)
            for c in cells
            for a, b in zip(cell_x.get(c, none), cell_y.get(c, none), strict=True)
        )
        values["U2"] = Fraction(total) / (len(cells) * n_columns)
    if n_columns > 1:
        r_x, r_y = pearson(x, means_x), pearson(y, means_y)
        values["U4"] = math.fsum(abs(a - b) for a, b in zip(r_x, r_y, strict=True)) / len(r_x)
    lost = Fraction(0)
    for j in range(n_columns):
        span = float(x[:, j].max() - x[:, j].min())
        for value, before in zip(y[:, j].tolist(), x[source, j].tolist(), strict=True):
            lost += Fraction(abs(value - before)) / Fraction(span) if span else value != before
    values["U5"] = lost / y.size
    return values


def pearson(table: np.ndarray, means: list[Fraction]) -> list[float]:
    columns = [
        [float(Fraction(value) - mean) for value in column]
        for column, mean in zip(table.T.tolist(), means, strict=True)
    ]
    squares = [math.fsum(value * value for value in column) for column in columns]
    varies = [min(column) < max(column) for column in table.T.tolist()]
    return [
        math.fsum(a * b for a, b in zip(columns[i], columns[j], strict=True))
        / math.sqrt(squares[i] * squares[j])
        if varies[i] and varies[j]
        else 0.0
        for i in range(len(columns))
        for j in range(i + 1, len(columns))
    ]


def measures(plain: Plain, options: Options) -> dict[str, Fraction | float | int | None]:
    """The 14 measures."""
    values = utility(plain, options)
    sizes = Counter(plain.keys).values()
    values |= {"S1": min(sizes), "S2": Fraction(len(plain.keys), len(sizes))}
    n = len(plain.x) if options.denominator == "original" else len(plain.y)
    for attack in ("E1", "E2", "E3", "E4", "EUC1", "EUC2"):
        is_known = attack == "E1" or bool(plain.case.schema.sensitive_numeric)
        values[attack] = sum(chances(plain, attack, options)) / n if is_known else None
    return values


# Fast paths


def fast_chances(comparison: Comparison, attack: str, options: Options) -> np.ndarray:
    """As `chances` has them where ties are expected: 1/t by record."""
    if attack == "E3":
        by_slot = ties.shares_of_ranks(comparison)
    else:
        found = {
            "E1": lambda: ties.same_class(comparison),
            "E2": lambda: ties.nearest_value_in_class(comparison),
            "E4": lambda: ties.nearest_value(comparison),
            "EUC1": lambda: ties.nearest_point(comparison, no_match=options.no_match),
            "EUC2": lambda: ties.nearest_point(comparison, no_match="all"),
        }[attack]()
        by_slot = np.divide(1.0, found, where=found > 0, out=np.zeros(len(found)))
    by_record = np.empty(len(by_slot))
    by_record[comparison.alignment.record] = by_slot
    return by_record


def differences(seed: int) -> Iterator[tuple[int, str]]:
    """How many answers were compared, and what differs; in steps."""
    case, options = case_of(seed), ALL_OPTIONS[seed % len(ALL_OPTIONS)]
    plain = Plain.of(case)
    threads = 2 if seed % 7 == 0 else 1
    anonymized: pd.DataFrame | Records = case.anonymized
    prepared = Prepared.of(case.original, case.schema)
    if seed % 2:
        anonymized = Records.of(case.anonymized, case.schema)
        prepared = Prepared.of(Records.of(case.original, case.schema), case.schema)
    arguments = prepared, anonymized, case.source, case.schema
    got = score(*arguments, options=options, threads=threads)
    for id_, wanted in measures(plain, options).items():
        if not agrees(got[id_], wanted):
            yield 1, f"{id_}: {got[id_]} for {wanted if wanted is None else float(wanted)}"
        else:
            yield 1, ""
    comparison = Comparison.of(*arguments, threads=threads)
    expected = replace(options, ties="expected")
    for attack in ("E1", "E2", "E3", "E4", "EUC1", "EUC2"):
        if attack != "E1" and not case.schema.sensitive_numeric:
            continue
        wanted_ = [float(share) for share in chances(plain, attack, expected)]
        found = fast_chances(comparison, attack, expected).tolist()
        yield from compared(attack, found, wanted_)
    for attack in GUESSES if case.schema.sensitive_numeric else ():
        guess = ATTACKS[attack](case.original, case.anonymized, case.schema, rng=None)
        yield from compared(f"guess of {attack}", guess.tolist(), definite_guess(plain, attack))


def agrees(got: float | int | None, wanted: Fraction | float | int | None) -> bool:
    """Rounded to nine decimals, which beyond 4e6 are finer than a float."""
    if got is None or wanted is None:
        return got is wanted
    return abs(Fraction(got) - Fraction(wanted)) <= Fraction(1e-9) + abs(Fraction(wanted)) * 2**-51


def compared(name: str, got: list[object], wanted: list[object]) -> Iterator[tuple[int, str]]:
    wrong = [r for r, (a, b) in enumerate(zip(got, wanted, strict=True)) if a != b]
    for r in wrong:
        yield 0, f"{name}, record {r}: {got[r]} for {wanted[r]}"
    yield len(got), ""


def run(n_answers: int, first_seed: int = 0) -> tuple[int, int, list[str]]:
    """Answers compared, tables, and every difference, up to a number of answers."""
    n_compared, seed, wrong = 0, first_seed, []
    while n_compared < n_answers:
        for n, difference in differences(seed):
            n_compared += n
            if difference:
                wrong.append(f"seed {seed}: {difference}")
        seed += 1
    return n_compared, seed - first_seed, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare fast scoring with plain code.")
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    arguments = parser.parse_args()
    started = time.perf_counter()
    n_compared, n_tables, wrong = run(arguments.answers, arguments.seed)
    seconds = time.perf_counter() - started
    print("\n".join(wrong[:50]))  # noqa: T201
    print(  # noqa: T201
        f"{n_compared:,} answers on {n_tables:,} tables in {seconds:.0f} s: {len(wrong)} differ"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
