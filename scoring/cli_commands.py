"""The commands: read files, call the library, print or write what it says."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace

import numpy as np

from scoring.aligned import write_aligned
from scoring.anonymizers import anonymize
from scoring.anonymizers.back_mapping import BACK_MAPPING
from scoring.candidate_guesses import read_candidate_guess
from scoring.cli_input import (
    files_read,
    read_declared,
    read_original,
    read_ruleset,
    read_schema,
)
from scoring.cli_options import anonymizer_options
from scoring.cli_output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.cli_seeds import secret_seed
from scoring.errors import Problem, ProblemsFound
from scoring.evaluate import Mark, Options, Prepared, mark, score
from scoring.lecture import mark_kept, positions_of
from scoring.ranking import DECIMALS
from scoring.reading import (
    read_guess,
    read_rows,
    write_rows,
    write_table,
)
from scoring.registry import MEASURES
from scoring.rulesets import Ruleset
from scoring.schema import Schema
from scoring.score_options import TABLE_MEASURES
from scoring.text import decode, read_header, records

ANY_ROW = 10**18 - 1
"""The number of original records where the original is not at hand: any row number will do."""


def generate(arguments: Namespace, output: Output) -> None:
    from scoring.datasets.households import HOUSEHOLDS_SCHEMA, MAX_RECORDS, households

    if not 1 <= arguments.records <= MAX_RECORDS:
        raise UsageError(f"--records: expected 1 to {MAX_RECORDS}, got {arguments.records}")
    check_writable(arguments.out, arguments.schema_out)
    output.step(f"drawing {arguments.records} records")
    table = households(
        arguments.records,
        seed=arguments.seed,
        progress=lambda done, total: output.step(f"drawing column {done} of {total}"),
    )
    output.step("writing")
    written = {arguments.out: write_table(table, HOUSEHOLDS_SCHEMA)}
    if arguments.schema_out:
        written[arguments.schema_out] = HOUSEHOLDS_SCHEMA.to_toml().encode()
    write_files(written)
    values = {"n_records": len(table), "out": arguments.out, "schema_out": arguments.schema_out}
    output.result(values, f"{len(table)} records → {', '.join(written)}")


def anonymize_table(arguments: Namespace, output: Output) -> None:
    steps = anonymizer_options(arguments.methods, arguments.set)
    if arguments.aligned and arguments.rows is not None:
        raise UsageError("--rows: an aligned table needs no row numbers")
    if not arguments.aligned and arguments.rows is None:
        raise UsageError("--rows is needed, unless the table is --aligned")
    check_writable(arguments.out, arguments.rows, reads=files_read(arguments, but=["rows"]))
    if arguments.aligned:  # a lecture contest takes values of the original only
        steps.append((BACK_MAPPING.id, {}))
    schema = read_schema(arguments)
    original = read_original(arguments, schema, output)
    seed = secret_seed(arguments, output)
    try:
        done = anonymize(
            original,
            schema,
            steps,
            rng=np.random.default_rng(seed),
            progress=lambda i, n, method: output.step(f"{method}, step {i + 1} of {n}"),
        )
    except ProblemsFound as error:  # an option does not fit the table
        raise UsageError("options", error.problems) from error
    output.step("writing")
    if arguments.aligned:
        positions = positions_of(done.source, len(original))
        files = {arguments.out: write_aligned(done.table, positions, schema)}
    else:
        files = {
            arguments.out: write_table(done.table, schema),
            arguments.rows: write_rows(done.source),
        }
    write_files(files)
    values = {
        "methods": [{"method": method, "options": options} for method, options in steps],
        "n_original": len(original),
        "n_anonymized": len(done.table),
        "out": arguments.out,
        "rows": arguments.rows,
    }
    output.result(values, f"{len(done.table)} of {len(original)} records → {', '.join(files)}")


def validate(arguments: Namespace, output: Output) -> None:
    ruleset = None if arguments.ruleset is None else read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    original = read_original(arguments, schema, output)
    table, _ = read_declared(arguments, original, schema, output, ruleset)
    values = {
        "n_original": len(original),
        "n_anonymized": len(table),
        "problems": [],
        "n_problems": 0,
    }
    output.result(values, f"valid: {len(table)} records of {len(original)}, no problems")


def score_submission(arguments: Namespace, output: Output) -> None:
    ruleset = read_ruleset(arguments.ruleset)
    schema = read_schema(arguments, ruleset)
    options, measures = _counted_by(arguments.table_columns, ruleset, schema)
    original = read_original(arguments, schema, output)
    table, source = read_declared(arguments, original, schema, output, ruleset)
    output.step("preparing the original")
    prepared = Prepared.of(original, schema)
    values = score(
        prepared,
        table,
        source,
        schema,
        options=options,
        measures=measures,
        progress=lambda id_: output.step(f"measuring {id_}, {MEASURES[id_].title.lower()}"),
    )
    text = _score_table(values)
    measure = ruleset.ranking.utility_measure
    if measure is not None and (loss := values[measure]) is not None:
        values["utility"] = utility = round(100 * (1 - loss), DECIMALS)
        text += f"\n\nutility {utility:.2f} = 100 · (1 − {measure})"
    output.result(values, text)


def _counted_by(
    names: str | None, ruleset: Ruleset, schema: Schema
) -> tuple[Options, tuple[str, ...]]:
    """The options and measures of a score: the ruleset's, but for columns that the command chooses."""
    if names is None:
        if problems := ruleset.options.problems(schema):
            raise ProblemsFound(problems)
        return ruleset.options, ruleset.measures
    columns = tuple(name.strip() for name in names.split(","))
    known = schema.public().names
    if not set(columns) <= set(known) or len(set(columns)) < len(columns):
        expected = f"different columns out of {', '.join(known)}"
        raise UsageError(f"--table-columns: expected {expected}, got {names}")
    options = replace(ruleset.options, table_columns=columns)
    return options, tuple(dict.fromkeys((*ruleset.measures, *TABLE_MEASURES)))


def mark_guess(arguments: Namespace, output: Output) -> None:
    marked = _mark_candidates(arguments) if arguments.key else _mark_rows(arguments, output)
    values = {"n_records": marked.n_records, "hits": marked.hits, "rate": marked.rate}
    rate = f"re-identification rate {_number(marked.rate)}"
    output.result(values, f"{marked.hits} of {marked.n_records} records hit, {rate}")


def _mark_rows(arguments: Namespace, output: Output) -> Mark:
    """The mark of guessed rows of the original."""
    if arguments.candidates is not None:
        raise UsageError("--candidates: row numbers name records of the --original")
    n_original = ANY_ROW
    if arguments.original is not None:
        output.step("counting the original's records")
        n_original = _count_records(read_file(arguments.original), "original")
    source = read_rows(read_file(arguments.rows), n_original=n_original, n_records=None)
    guess = read_guess(read_file(arguments.guess), n_original=n_original, n_records=len(source))
    return mark(source, guess)


def _mark_candidates(arguments: Namespace) -> Mark:
    """The mark of guessed lines of a candidate table."""
    if arguments.original is not None:
        raise UsageError("--original: a key names lines of the --candidates")
    n_candidates = ANY_ROW
    if arguments.candidates is not None:
        n_candidates = _count_records(read_file(arguments.candidates), "candidates")
    data = read_file(arguments.key)
    n_lines = max(1, len(data.splitlines()))
    key = read_candidate_guess(data, n_candidates=n_candidates, n_lines=n_lines, file="key")
    if (key < 0).all():
        raise ProblemsFound([Problem("aligned.all_deleted", {}, "key")])
    guess = read_candidate_guess(
        read_file(arguments.guess), n_candidates=n_candidates, n_lines=n_lines
    )
    return mark_kept(key, guess)


def _count_records(data: bytes, file: str) -> int:
    rows = records(decode(data, file=file), file=file)
    read_header(rows, file=file)
    return sum(1 for _ in rows)


def _score_table(values: dict[str, float | int | None]) -> str:
    head = ("", "measure", "value", "better", "what it is")
    measured = [
        (id_, MEASURES[id_].name, _number(value), MEASURES[id_].direction, MEASURES[id_].title)
        for id_, value in values.items()
        if id_ in MEASURES
    ]
    counts = f"{values['n_anonymized']} anonymized records of {values['n_original']}"
    return f"{counts}\n\n{aligned([head, *measured], right=[2])}"


def _number(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:,.6f}"
