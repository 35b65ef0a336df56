# SPDX-License-Identifier: Apache-2.0
"""Parts of the command `dp`: release a table, query it, estimate, and score estimates, as the server of a contest."""

from __future__ import annotations

import csv
from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from scoring.cli.arguments import Parser, add_experiment_seed, add_schema
from scoring.cli.output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.errors import ProblemsFound

if TYPE_CHECKING:
    from decimal import Decimal

    from scoring.formats.disclosure.attributes import Attribute, Codes
    from scoring.formats.disclosure.queries import Query
    from scoring.privacy.domains import Integers
    from scoring.privacy.sampling import Randomness
    from scoring.tables.schema import Schema

METHODS = ("reconstructed", "counted")
MAX_ITERATIONS = 1_000_000
MAX_PRIOR = 1_000_000


def _release_arguments(part: Parser) -> None:
    _add_table(part)
    _add_columns(part, "the columns to release")
    _add_price(part)
    part.add_argument("--out", required=True, metavar="Z.csv", help="the release to write")


def _ask_arguments(part: Parser) -> None:
    _add_table(part)
    part.add_argument(
        "--columns", metavar="C,C…", help="what to count by (nothing: a single count)"
    )
    part.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="COL=VAL,VAL…",
        help="count only records with one of these values; may be repeated",
    )
    _add_price(part)


def _estimate_arguments(part: Parser) -> None:
    add_schema(part)
    _add_columns(part, "the columns of the estimate")
    given = part.add_mutually_exclusive_group(required=True)
    given.add_argument("--release", metavar="Z.csv", help="the release to estimate from")
    given.add_argument("--answer", metavar="A.csv", help="or an answer over these columns")
    part.add_argument("--epsilon", metavar="E", help="that of the release, to reconstruct with")
    part.add_argument(
        "--method",
        choices=METHODS,
        default=METHODS[0],
        help=f"how to estimate from a release ({METHODS[0]})",
    )
    part.add_argument(
        "--prior",
        type=float,
        default=1,
        metavar="R",
        help="records that reconstruction adds to every cell (1); 0 for maximum likelihood",
    )
    part.add_argument(
        "--iterations",
        type=int,
        default=1000,
        metavar="N",
        help="of reconstruction, at most (1000)",
    )
    part.add_argument("--out", required=True, metavar="E.csv", help="the estimate to write")


def _mark_arguments(part: Parser) -> None:
    _add_table(part)
    _add_columns(part, "the columns of the estimate")
    part.add_argument("--estimate", required=True, metavar="E.csv", help="the estimate to score")


def _add_table(part: Parser) -> None:
    part.add_argument("--table", required=True, metavar="T.csv", help="the table of records")
    add_schema(part)


def _add_columns(part: Parser, text: str) -> None:
    part.add_argument("--columns", required=True, metavar="C,C…", help=text)


def _add_price(part: Parser) -> None:
    part.add_argument("--epsilon", required=True, metavar="E", help="the ε to spend")
    add_experiment_seed(part)


SUBCOMMANDS: tuple[tuple[str, str, Callable[[Parser], None]], ...] = (
    ("release", "release a table once, by Pk-anonymization", _release_arguments),
    ("ask", "ask a table for counts, with noise", _ask_arguments),
    ("estimate", "estimate a table of counts from a release or an answer", _estimate_arguments),
    ("mark", "score an estimate by L2 and rank correlation", _mark_arguments),
)


def _release(arguments: Namespace, output: Output) -> None:
    from scoring.cli.input import files_read, read_schema
    from scoring.formats.disclosure.releases import release_csv, rho_at

    epsilon = _epsilon(arguments.epsilon)
    check_writable(arguments.out, reads=files_read(arguments))
    attributes = _attributes(arguments.columns, schema := read_schema(arguments))
    codes = _codes(arguments, schema, attributes, output)
    output.step("releasing")
    write_files(
        {arguments.out: release_csv(codes, attributes, epsilon, _randomness(arguments, output))}
    )
    rho = rho_at(epsilon, attributes)
    values = {
        "n_records": len(codes),
        "epsilon": f"{epsilon:f}",
        "rho": rho,
        "out": arguments.out,
    }
    output.result(values, f"{len(codes)} records, ε {epsilon:f}, ρ {rho:.6g} → {arguments.out}")


def _ask(arguments: Namespace, output: Output) -> None:
    from scoring.cli.input import read_schema
    from scoring.formats.disclosure.queries import (
        answer_csv,
        cells_of,
        noisy_answer,
        sensitivity_of,
    )

    epsilon = _epsilon(arguments.epsilon)
    schema = read_schema(arguments)
    query, attributes = _query(arguments, schema)
    codes = _codes(arguments, schema, attributes, output)
    output.step("answering")
    counts = noisy_answer(query, codes, attributes, epsilon, _randomness(arguments, output))
    cells = zip(cells_of(query, attributes), counts.ravel().tolist(), strict=True)
    values = {
        "query": {"columns": query.columns, "where": dict(query.where)},
        "epsilon": f"{epsilon:f}",
        "sensitivity": sensitivity_of(query),
        "cells": [{"values": cell, "count": count} for cell, count in cells],
    }
    output.result(values, answer_csv(query, attributes, counts).decode().removesuffix("\n"))


def _estimate(arguments: Namespace, output: Output) -> None:
    from scoring.cli.input import files_read, read_schema
    from scoring.formats.disclosure.estimates import read_answer, write_estimate
    from scoring.formats.disclosure.estimators import from_answer

    if arguments.answer is not None and arguments.epsilon is not None:
        raise UsageError("--epsilon: an answer is taken as it is")
    if not 1 <= arguments.iterations <= MAX_ITERATIONS:
        expected = f"expected 1 to {MAX_ITERATIONS}"
        raise UsageError(f"--iterations: {expected}, got {arguments.iterations}")
    if not 0 <= arguments.prior <= MAX_PRIOR:
        raise UsageError(f"--prior: expected 0 to {MAX_PRIOR}, got {arguments.prior}")
    check_writable(arguments.out, reads=files_read(arguments))
    schema = read_schema(arguments)
    target = _attributes(arguments.columns, schema, is_target=True)
    if arguments.answer is not None:
        counts = from_answer(read_answer(read_file(arguments.answer), target))
    else:
        counts = _from_release(arguments, schema, target, output)
    write_files({arguments.out: write_estimate(counts, target)})
    method = "answer" if arguments.answer is not None else arguments.method
    total = int(counts.sum())
    values = {"method": method, "n_cells": counts.size, "total": total, "out": arguments.out}
    output.result(values, f"{counts.size} cells, {total} records in all → {arguments.out}")


def _from_release(
    arguments: Namespace, schema: Schema, target: Sequence[Attribute], output: Output
) -> Integers:
    """The estimate from `--release` by the method that was asked for."""
    from scoring.formats.disclosure.attributes import attributes_of
    from scoring.formats.disclosure.estimators import counted, reconstructed
    from scoring.formats.disclosure.releases import read_release
    from scoring.tables.text import decode, read_header, records

    if arguments.method == "reconstructed" and arguments.epsilon is None:
        raise UsageError("--epsilon is needed to reconstruct; --method counted takes none")
    epsilon = _epsilon(arguments.epsilon) if arguments.method == "reconstructed" else None
    data = read_file(arguments.release)
    header = read_header(records(decode(data, file="release"), file="release"), file="release")
    attributes = attributes_of(schema, header)
    if missing := [a.name for a in target if a not in attributes]:
        raise UsageError(f"--columns: the release has no {', '.join(missing)}")
    codes = read_release(data, attributes)
    output.step("estimating")
    if epsilon is None:
        return counted(codes, attributes, target)
    prior, iterations = arguments.prior, arguments.iterations
    return reconstructed(codes, attributes, target, epsilon, prior=prior, iterations=iterations)


def _mark(arguments: Namespace, output: Output) -> None:
    from scoring.cli.input import read_schema
    from scoring.formats.disclosure.estimates import marks, read_estimate
    from scoring.formats.disclosure.estimators import counted

    schema = read_schema(arguments)
    target = _attributes(arguments.columns, schema, is_target=True)
    codes = _codes(arguments, schema, target, output)
    output.step("marking")
    estimate = read_estimate(read_file(arguments.estimate), target)
    values = marks(estimate, counted(codes, target, target))
    rows = [(name, "–" if value is None else f"{value:.6f}") for name, value in values.items()]
    output.result(values, aligned(rows, right=[1]))


RUN: dict[str, Callable[[Namespace, Output], None]] = {
    "release": _release,
    "ask": _ask,
    "estimate": _estimate,
    "mark": _mark,
}


def _epsilon(text: str) -> Decimal:
    from scoring.privacy.accounting import epsilon_from

    try:
        return epsilon_from(text)
    except ValueError as error:
        raise UsageError(f"--{error}") from error


def _randomness(arguments: Namespace, output: Output) -> Randomness:
    import numpy as np

    from scoring.cli.seeds import warn_of_small
    from scoring.privacy.sampling import secure, seeded

    warn_of_small(arguments, output)
    if arguments.seed is None:
        return secure()
    return seeded(np.random.default_rng(arguments.seed))


def _attributes(text: str, schema: Schema, *, is_target: bool = False) -> tuple[Attribute, ...]:
    """The columns that an option names, of a table that fits in memory where it is a target."""
    from scoring.formats.disclosure.attributes import MAX_CELLS, attributes_of, check_cells

    try:
        attributes = attributes_of(schema, _listed(text))
        if is_target:
            check_cells(attributes, MAX_CELLS)
    except ProblemsFound as error:
        raise UsageError("--columns", error.problems) from error
    return attributes


def _query(arguments: Namespace, schema: Schema) -> tuple[Query, tuple[Attribute, ...]]:
    """The question of `--columns` and `--where`, and all columns that a question may have."""
    from scoring.formats.disclosure.attributes import COUNT, attributes_of
    from scoring.formats.disclosure.queries import parse_query

    names = [c.name for c in schema.columns if len(c.values or ()) > 1 and c.name != COUNT]
    attributes = attributes_of(schema, names)
    columns = [] if arguments.columns is None else _listed(arguments.columns)
    where: dict[str, list[str]] = {}
    for text in arguments.where:
        name, equals, values = text.partition("=")
        if not equals:
            raise UsageError(f"--where: expected COL=VAL,VAL…, got {text}")
        if name in where:
            raise UsageError(f"--where: expected one filter per column, got another of {name}")
        where[name] = _listed(values)
    try:
        return parse_query({"columns": columns, "where": where}, attributes), attributes
    except ProblemsFound as error:
        raise UsageError("--columns, --where", error.problems) from error


def _listed(text: str) -> list[str]:
    """The texts between commas; a text with a comma is quoted as in CSV."""
    return next(csv.reader([text]), [])


def _codes(
    arguments: Namespace, schema: Schema, attributes: Sequence[Attribute], output: Output
) -> Codes:
    """The records of `--table`."""
    from scoring.formats.disclosure.attributes import codes_of
    from scoring.tables.reading import read_records

    output.step("reading the table")
    data = read_file(arguments.table)
    return codes_of(read_records(data, schema, file="table", original=True), attributes)
