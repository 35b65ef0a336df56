# SPDX-License-Identifier: Apache-2.0
"""The command `cheat`: a table or a guess of the cast of cheaters, to try the rules of a contest."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.arguments import Parser, add_original, add_schema
from scoring.cli.output import Output, UsageError, check_writable, read_file, write_files


def add_arguments(command: Parser) -> None:
    command.add_argument("name", metavar="CHEATER", help="one of those below")
    add_schema(command)
    add_original(command)
    command.add_argument("--others", metavar="O.csv", help="records that are not the team's own")
    command.add_argument("--anonymized", metavar="Y.csv", help="the table to attack")
    command.add_argument("--out", required=True, metavar="FILE", help="the table or guess to write")
    command.add_argument("--rows", metavar="R.csv", help="the row file of a table, if wanted")


def cheaters() -> str:
    """Every cheater with a line of text, for the end of the help."""
    from scoring.cheaters import CHEATERS

    lines = [f"  {c.id:<20}{c.sentence['en']}" for c in CHEATERS.values()]
    return "\n".join(["cheaters:", *lines, ""])


def run(arguments: Namespace, output: Output) -> None:
    """Write the table of a cheater, or its guess about an anonymized table."""
    from scoring.cheaters import CHEATERS, Hand, Target
    from scoring.cli.input import files_read, read_anonymized, read_original, read_schema
    from scoring.tables.number_lists import write_guess, write_rows
    from scoring.tables.reading import read_table
    from scoring.tables.writing import write_table

    if problems := CHEATERS.unknown([arguments.name]):
        raise UsageError("unknown cheater", problems)
    cheater = CHEATERS[arguments.name]
    check_writable(arguments.out, arguments.rows, reads=files_read(arguments, but=["rows"]))
    schema = read_schema(arguments).public()
    original = read_original(arguments, schema, output).to_frame()
    if arguments.anonymized is not None:
        seen = read_anonymized(arguments, schema, output).to_frame()
        guess = cheater.rows and cheater.rows(Target(original, seen, schema))
        if guess is None:
            raise UsageError(f"{cheater.id} does not guess the rows of a table")
        write_files({arguments.out: write_guess(guess)})
        output.result({"n_records": len(guess), "out": arguments.out}, f"a guess → {arguments.out}")
        return
    others = arguments.others and read_table(
        read_file(arguments.others), schema, file="others", original=True
    )
    made = cheater.table and cheater.table(
        Hand(original, schema, others, arguments.rows is not None)
    )
    if made is None:
        needs = "needs --others" if cheater.table else "publishes no table"
        raise UsageError(f"{cheater.id} {needs}")
    files = {arguments.out: write_table(made.table, schema)}
    if arguments.rows is not None:
        files[arguments.rows] = write_rows(made.source)
    write_files(files)
    values = {"n_records": len(made.table), "out": arguments.out, "rows": arguments.rows}
    output.result(values, f"{len(made.table)} records → {', '.join(files)}")
