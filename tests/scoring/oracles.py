# SPDX-License-Identifier: Apache-2.0
"""Every measure, attack and option once more, in slow and obvious Python without numpy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

import pandas as pd

from scoring.evaluate import Options
from scoring.tables.schema import Schema


@dataclass(frozen=True)
class Record:
    qi: tuple[object, ...]
    cell: tuple[object, ...]
    sa: tuple[float, ...]
    e2: float | None
    e4: float | None


def as_records(table: pd.DataFrame, schema: Schema) -> list[Record]:
    rows = table.to_dict("records")
    return [
        Record(
            qi=tuple(row[name] for name in schema.quasi_identifiers),
            cell=tuple(row[name] for name in schema.cross),
            sa=tuple(float(row[name]) for name in schema.sensitive_numeric),
            e2=None if schema.e2_column is None else float(row[schema.e2_column]),
            e4=None if schema.e4_column is None else float(row[schema.e4_column]),
        )
        for row in rows
    ]


def exact_mean(values: Iterable[float]) -> Fraction:
    values = list(values)
    return sum(map(Fraction, values), Fraction(0)) / len(values)


def mean(values: Iterable[float | Fraction]) -> float:
    return float(exact_mean(values))


def columns(table: Sequence[Record]) -> list[list[float]]:
    return [list(column) for column in zip(*(record.sa for record in table), strict=True)]


def u1(x, y, source, options):
    return mean(
        abs(exact_mean(a) - exact_mean(b)) for a, b in zip(columns(x), columns(y), strict=True)
    )


def cells(x, y, options):
    present = {r.cell for r in y}
    return present | {r.cell for r in x} if options.cells == "union" else present


def u2(x, y, source, options):
    n_columns = len(x[0].sa)

    def cell_mean(table, cell, j):
        values = [r.sa[j] for r in table if r.cell == cell]
        return exact_mean(values) if values else Fraction(0)

    return mean(
        abs(cell_mean(x, cell, j) - cell_mean(y, cell, j))
        for cell in cells(x, y, options)
        for j in range(n_columns)
    )


def u3(x, y, source, options):
    in_x, in_y = Counter(r.cell for r in x), Counter(r.cell for r in y)
    return mean(abs(in_x[cell] - in_y[cell]) for cell in cells(x, y, options))


def pearson(a, b):
    if min(a) == max(a) or min(b) == max(b):
        return 0.0
    a, b = [[Fraction(value) for value in column] for column in (a, b)]
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    products = sum((v - mean_a) * (w - mean_b) for v, w in zip(a, b, strict=True))
    squares = sum((v - mean_a) ** 2 for v in a) * sum((w - mean_b) ** 2 for w in b)
    return math.copysign(math.sqrt(products**2 / squares), products)


def u4(x, y, source, options):
    columns_x, columns_y = columns(x), columns(y)
    pairs = list(combinations(range(len(columns_x)), 2))
    if not pairs:
        return None
    return mean(
        abs(pearson(columns_x[i], columns_x[j]) - pearson(columns_y[i], columns_y[j]))
        for i, j in pairs
    )


def u5(x, y, source, options):
    spans = [max(column) - min(column) for column in columns(x)]

    def lost(value, original, span):
        if span == 0:
            return float(value != original)
        return abs(value - original) / span

    return mean(
        lost(value, original, span)
        for record, row in zip(y, source, strict=True)
        for value, original, span in zip(record.sa, x[row].sa, spans, strict=True)
    )


def u6(x, y, source, options):
    return len(x) - len(y)


def s1(x, y, source, options):
    return min(Counter(r.qi for r in y).values())


def s2(x, y, source, options):
    return len(y) / len({r.qi for r in y})


def nearest(rows: Sequence[int], distance) -> list[int]:
    if not rows:
        return []
    best = min(distance(row) for row in rows)
    return [row for row in rows if distance(row) == best]


def squared_distance(a: Sequence[float], b: Sequence[float]) -> float:
    total = 0.0
    for v, w in zip(a, b, strict=True):
        total += (v - w) * (v - w)
    return total


def candidates(attack: str, x, y, r: int, options) -> list[int]:
    """The originals that an attacker holds equally likely for record r, ascending."""
    record = y[r]
    everyone = list(range(len(x)))
    matching = [row for row in everyone if x[row].qi == record.qi]
    if attack == "E1":
        return matching
    if attack == "E2":
        return nearest(matching or everyone, lambda row: abs(record.e2 - x[row].e2))
    if attack == "E4":
        return nearest(everyone, lambda row: abs(record.e4 - x[row].e4))
    fallback = {"miss": [], "own_row": [r] if r < len(x) else [], "all": everyone}
    no_match = "all" if attack == "EUC2" else options.no_match
    if not matching and no_match == "own_row":
        return fallback["own_row"]
    rows = matching or fallback[no_match]
    return nearest(rows, lambda row: squared_distance(record.sa, x[row].sa))


def linkage(attack: str):
    def rate(x, y, source, options):
        hits = Fraction(0)
        for r in range(len(y)):
            found = candidates(attack, x, y, r, options)
            if options.ties == "first":
                hits += found[:1] == [source[r]]
            elif source[r] in found:
                is_tie = len(found) > 1
                hits += 0 if is_tie and options.ties == "strict" else Fraction(1, len(found))
        return share(hits, x, y, options)

    return rate


def share(hits, x, y, options):
    return float(hits / (len(x) if options.denominator == "original" else len(y)))


def total(record):
    result = 0.0
    for value in record.sa:
        result += value
    return result


def ranks(values: Sequence[float], value: float) -> set[int]:
    """The ranks that a value can have, its equals being in any order."""
    below = sum(v < value for v in values)
    return set(range(below, below + sum(v == value for v in values)))


def e3(x, y, source, options):
    sums_x, sums_y = [total(r) for r in x], [total(r) for r in y]
    hits = Fraction(0)
    if options.ties == "first":
        order_x = sorted(range(len(x)), key=lambda row: (sums_x[row], row))
        order_y = sorted(range(len(y)), key=lambda r: (sums_y[r], r))
        hits = Fraction(sum(source[r] == order_x[i] for i, r in enumerate(order_y)))
        return share(hits, x, y, options)
    for r, row in enumerate(source):
        block_y, block_x = ranks(sums_y, sums_y[r]), ranks(sums_x, sums_x[row])
        pairs = len(block_y) * len(block_x)
        if options.ties == "expected" or pairs == 1:
            hits += Fraction(len(block_y & block_x), pairs)
    return share(hits, x, y, options)


ORACLES = {
    "U1": u1,
    "U2": u2,
    "U3": u3,
    "U4": u4,
    "U5": u5,
    "U6": u6,
    "S1": s1,
    "S2": s2,
    "E1": linkage("E1"),
    "E2": linkage("E2"),
    "E3": e3,
    "E4": linkage("E4"),
    "EUC1": linkage("EUC1"),
    "EUC2": linkage("EUC2"),
}


def score(
    original: pd.DataFrame,
    anonymized: pd.DataFrame,
    source: Sequence[int],
    schema: Schema,
    options: Options,
) -> dict[str, float | int | None]:
    x, y = as_records(original, schema), as_records(anonymized, schema)
    without_sensitive = {"U1", "U2", "U4", "U5", "E2", "E3", "E4", "EUC1", "EUC2"}
    missing = set() if schema.sensitive_numeric else without_sensitive
    missing |= set() if schema.cross else {"U2", "U3"}
    missing |= set() if schema.e2_column else {"E2"}
    missing |= set() if schema.e4_column else {"E4"}
    return {
        id_: None if id_ in missing else oracle(x, y, [int(row) for row in source], options)
        for id_, oracle in ORACLES.items()
    }


def definite_guess(
    attack: str, original: pd.DataFrame, anonymized: pd.DataFrame, schema: Schema
) -> list[int]:
    """What an attack file holds, ties to the lowest row and -1 where there is no candidate."""
    x, y = as_records(original, schema), as_records(anonymized, schema)
    if attack in ("E3", "E4-rank"):
        key = total if attack == "E3" else (lambda record: record.e4)
        order_x = sorted(range(len(x)), key=lambda row: (key(x[row]), row))
        order_y = sorted(range(len(y)), key=lambda r: (key(y[r]), r))
        rank = {r: i for i, r in enumerate(order_y)}
        return [order_x[rank[r]] for r in range(len(y))]
    options = Options(no_match="miss")
    return [(candidates(attack, x, y, r, options) or [-1])[0] for r in range(len(y))]
