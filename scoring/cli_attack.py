"""`attack`: one guess for each anonymized record."""

from __future__ import annotations

from argparse import Namespace

import numpy as np

from scoring.cli_input import read_anonymized, read_original, read_schema
from scoring.cli_options import attack_options
from scoring.cli_output import Output, UsageError, check_writable, write_files
from scoring.errors import ProblemsFound
from scoring.reading import write_guess
from scoring.registry import ATTACKS


def attack(arguments: Namespace, output: Output) -> None:
    check_writable(arguments.out)
    schema = read_schema(arguments)
    options = attack_options(arguments.method, schema, arguments.set)
    original = read_original(arguments, schema, output)
    table = read_anonymized(arguments, schema, output)
    output.step(f"attacking {len(table)} records by {arguments.method}")
    rng = np.random.default_rng(arguments.seed)
    try:
        guess = ATTACKS[arguments.method](original, table, schema, rng=rng, **options)
    except ProblemsFound as error:  # an option does not fit the tables
        raise UsageError("options", error.problems) from error
    write_files({arguments.out: write_guess(guess)})
    n_guessed = int((guess >= 0).sum())
    values = {"n_records": len(guess), "n_guessed": n_guessed, "out": arguments.out}
    output.result(values, f"{n_guessed} guesses for {len(guess)} records → {arguments.out}")
