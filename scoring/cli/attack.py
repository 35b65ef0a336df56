# SPDX-License-Identifier: Apache-2.0
"""The command `attack`: guesses, candidates, or membership."""

from __future__ import annotations

import io
from argparse import Namespace
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from scoring.cli.arguments import Parser, add_control, add_schema, add_seed, add_set
from scoring.cli.output import Output, UsageError, check_writable, read_file, write_files
from scoring.errors import ProblemsFound
from scoring.scores.options import DECIMALS

if TYPE_CHECKING:
    import pandas as pd

    from scoring.attacks.catalog import Inquiry
    from scoring.attacks.membership import Membership
    from scoring.tables.equivalence import IntArray
    from scoring.tables.schema import Schema


def add_arguments(command: Parser) -> None:
    command.add_argument("method", metavar="METHOD", help="one of those below")
    add_schema(command)
    known = command.add_mutually_exclusive_group(required=True)
    known.add_argument("--original", metavar="X.csv", help="the original table")
    known.add_argument(
        "--candidates", metavar="C.csv", help="or the candidate table of a lecture contest"
    )
    attacked = command.add_mutually_exclusive_group(required=True)
    attacked.add_argument("--anonymized", metavar="Y.csv", help="the anonymized table")
    attacked.add_argument(
        "--table", metavar="T.csv", help="or the release to find among the candidates"
    )
    add_seed(command, required=False)
    add_set(command)
    add_control(command, "membership: ")
    command.add_argument("--out", metavar="G.csv", help="the guess file to write")


def methods() -> str:
    """Every attack with its options, for the end of the help."""
    from scoring.cli.methods import attacks

    return attacks()


def run(arguments: Namespace, output: Output) -> None:
    """Attack the table, and write or print the answer."""
    import numpy as np

    from scoring.attacks.catalog import CANDIDATES, MEMBERSHIP
    from scoring.cli.input import read_control, read_schema
    from scoring.cli.options import attack_options, inquiry
    from scoring.scores.controls import ControlError

    method = inquiry(arguments.method)
    _check_files(method, arguments)
    schema = read_schema(arguments)
    options = attack_options(method, schema, arguments.set)
    target = _target(arguments, schema, output)
    tables = [target.known, target.attacked]
    if method is MEMBERSHIP:
        tables.insert(1, read_control(arguments, schema, output).to_frame())
    elif method is not CANDIDATES:
        options["rng"] = np.random.default_rng(arguments.seed)
    output.step(f"attacking {len(tables[-1])} records by {method.id}")
    try:
        answer = method.function(*tables, schema, **options)
    except ProblemsFound as error:  # an option does not fit the tables
        raise UsageError("options", error.problems) from error
    except ControlError as error:
        raise UsageError(f"--{error}") from error
    if method is MEMBERSHIP:
        _tell_membership(answer, tables, arguments.out, output)
    elif method is CANDIDATES:
        _write_candidates(target.by_line(answer), arguments.out, output)
    else:
        _write_guess(target, answer, arguments.out, output)


@dataclass(frozen=True, slots=True)
class _Target:
    """The table that the attacker knows, the attacked one, and the lines of its records."""

    known: pd.DataFrame
    attacked: pd.DataFrame
    lines: IntArray | None = None
    n_lines: int = 0

    @property
    def noun(self) -> str:
        return "records" if self.lines is None else "lines"

    def by_line(self, answer: IntArray) -> IntArray:
        """The answer by line; -1 for empty lines."""
        import numpy as np

        if self.lines is None:
            return answer
        found = np.full((self.n_lines, *answer.shape[1:]), -1, dtype=np.int64)
        found[self.lines] = answer
        return found


def _target(arguments: Namespace, schema: Schema, output: Output) -> _Target:
    from scoring.cli.input import read_anonymized, read_original
    from scoring.tables.aligned import read_release
    from scoring.tables.reading import read_table

    if arguments.candidates is None:
        original = read_original(arguments, schema, output)
        anonymized = read_anonymized(arguments, schema, output)
        return _Target(original.to_frame(), anonymized.to_frame())
    output.step("reading the candidate table")
    data = read_file(arguments.candidates)
    candidates = read_table(data, schema, file="candidates", original=True)
    output.step("reading the release")
    records, lines, n_lines = read_release(read_file(arguments.table), schema=schema, file="table")
    return _Target(candidates, records.to_frame(), lines, n_lines)


def _check_files(method: Inquiry, arguments: Namespace) -> None:
    from scoring.attacks.catalog import MEMBERSHIP
    from scoring.cli.input import files_read

    if (arguments.candidates is None) != (arguments.table is None):
        raise UsageError("--candidates and --table belong together, --original and --anonymized")
    if arguments.candidates is not None and method is MEMBERSHIP:
        raise UsageError(f"--candidates: expected an attack that guesses, got {method.id}")
    if arguments.out is None and method is not MEMBERSHIP:
        raise UsageError(f"--out is needed: {method.id} writes a file")
    if arguments.control is None and method is MEMBERSHIP:
        raise UsageError(f"--control is needed: {method.id} compares with others")
    if arguments.control is not None and method is not MEMBERSHIP:
        raise UsageError(f"--control: only {MEMBERSHIP.id} compares with others, got {method.id}")
    check_writable(arguments.out, reads=files_read(arguments))


def _write_guess(target: _Target, answer: IntArray, out: str, output: Output) -> None:
    from scoring.tables.number_lists import write_candidate_guess, write_guess

    guess = target.by_line(answer)
    write = write_guess if target.lines is None else write_candidate_guess
    write_files({out: write(guess)})
    n_guessed = int((guess >= 0).sum())
    values = {"n_records": len(guess), "n_guessed": n_guessed, "out": out}
    output.result(values, f"{n_guessed} guesses for {len(guess)} {target.noun} → {out}")


def _write_candidates(candidates: IntArray, out: str, output: Output) -> None:
    import numpy as np

    n_records, n = candidates.shape
    text = io.StringIO()
    header = ",".join(f"candidate_{i}" for i in range(1, n + 1))
    np.savetxt(text, candidates + 1, fmt="%d", delimiter=",", header=header, comments="")
    write_files({out: text.getvalue().encode()})
    values = {"n_records": n_records, "n_candidates": n, "out": out}
    output.result(values, f"{n} candidates for each of {n_records} records → {out}")


def _tell_membership(
    found: Membership, tables: list[pd.DataFrame], out: str | None, output: Output
) -> None:
    from scoring.reporting.intervals import CONFIDENCE

    n_original, n_control, n_anonymized = map(len, tables)
    if out is not None:
        write_files({out: _scores(found, n_original, n_control)})
    values = {
        "n_original": n_original,
        "n_control": n_control,
        "n_anonymized": n_anonymized,
        "auc": round(found.auc, DECIMALS),
        "auc_interval": _rounded(asdict(found.area)),
        "true_positives_at": {
            f"{rate:g}": _rounded(asdict(share)) for rate, share in found.at_false_positives.items()
        },
        "members": _rounded(asdict(found.members)),
        "others": _rounded(asdict(found.others)),
        "advantage": _rounded(asdict(found.advantage)),
        "confidence": CONFIDENCE,
        "out": out,
    }
    advantage = found.advantage
    lines = [
        f"AUC {found.auc:.4f}, {CONFIDENCE:.0%} interval {found.area.low:.4f} to {found.area.high:.4f}",
        *(
            f"true positive rate {share.value:.4f} at a false positive rate of {rate:.1%}, "
            f"{CONFIDENCE:.0%} interval {share.low:.4f} to {share.high:.4f}"
            for rate, share in found.at_false_positives.items()
        ),
        f"taken for members: {found.members.hits} of {n_original} who are in the table, "
        f"{found.others.hits} of {n_control} others",
        f"advantage {advantage.value:.4f}, {CONFIDENCE:.0%} interval "
        f"{advantage.low:.4f} to {advantage.high:.4f}",
        *([] if out is None else [f"scores → {out}"]),
    ]
    output.result(values, "\n".join(lines))


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {k: round(v, DECIMALS) if isinstance(v, float) else v for k, v in values.items()}


def _scores(found: Membership, n_original: int, n_control: int) -> bytes:
    persons = [("original", row) for row in range(1, n_original + 1)]
    persons += [("control", row) for row in range(1, n_control + 1)]
    lines = [
        f"{table},{row},{round(score, DECIMALS)}"
        for (table, row), score in zip(persons, found.scores.tolist(), strict=True)
    ]
    return "\n".join(["table,row,score", *lines, ""]).encode()
