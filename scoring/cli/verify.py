# SPDX-License-Identifier: Apache-2.0
"""`verify`: check a contest's draws, its audit trail and receipts, with published files only."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from typing import TypeVar

from scoring.cli.arguments import Parser, add_schema
from scoring.cli.output import Output, UsageError, aligned, read_file
from scoring.proof.reveals import (
    Check,
    checks_of_receipt,
    checks_of_release,
    checks_of_reveal,
    checks_of_reveal_in_trail,
    checks_of_trail,
    read_receipt,
    read_reveal,
)
from scoring.proof.trail import read_trail

Read = TypeVar("Read")
FAILED = 1


def add_arguments(command: Parser) -> None:
    """The arguments of the command."""
    command.add_argument(
        "--reveal", metavar="V.json", help="the secret and all seeds, as the contest published them"
    )
    command.add_argument(
        "--commitment", metavar="HEX", help="the commitment that the contest's page showed before"
    )
    command.add_argument("--events", metavar="E.jsonl", help="the audit trail with its seals")
    command.add_argument(
        "--receipt",
        action="append",
        default=[],
        metavar="T.json",
        help="a receipt to compare with the audit trail; may be repeated",
    )
    command.add_argument(
        "--submission", metavar="Y.csv", help="an anonymized table as its team submitted it"
    )
    command.add_argument("--release", metavar="Z.csv", help="the same table as attackers got it")
    command.add_argument(
        "--purpose",
        metavar="WORDS",
        help="which release that is, such as release/attack/red (the one of the same SHA-256)",
    )
    add_schema(command)


def run(arguments: Namespace, output: Output) -> int:
    """Run every check that the given files allow; status 1 where one does not hold."""
    _check_use(arguments)
    checks = _checks(arguments, output)
    failing = [check for check in checks if not check.holds]
    values = {"holds": not failing, "checks": [check.to_dict() for check in checks]}
    output.result(values, _told(checks, failing))
    return FAILED if failing else 0


def _check_use(arguments: Namespace) -> None:
    """Name the option that another one needs."""
    needs = {"commitment": "reveal", "receipt": "events", "submission": "reveal"}
    needs |= {"release": "submission", "purpose": "submission"}
    for option, needed in needs.items():
        if getattr(arguments, option) and not getattr(arguments, needed):
            raise UsageError(f"--{option} needs --{needed}")
    if arguments.submission and not arguments.release:
        raise UsageError("--submission needs --release")
    if not (arguments.reveal or arguments.events):
        raise UsageError("nothing to verify: name --reveal, --events or both")


def _checks(arguments: Namespace, output: Output) -> list[Check]:
    found: list[Check] = []
    reveal = entries = None
    if arguments.events:
        output.step("reading the events")
        entries = _read(arguments.events, read_trail)
        found += checks_of_trail(entries)
    if arguments.reveal:
        output.step("deriving the seeds")
        reveal = _read(arguments.reveal, read_reveal)
        found += checks_of_reveal(reveal, published=arguments.commitment)
        if entries is not None:
            found += checks_of_reveal_in_trail(reveal, entries)
    for path in arguments.receipt:
        found += checks_of_receipt(_read(path, read_receipt), entries or [])
    if reveal is not None and arguments.submission:
        output.step("deriving the released order")
        from scoring.cli.input import read_schema  # the numerical libraries, which only this takes

        schema = read_schema(arguments)
        files = (read_file(arguments.submission), read_file(arguments.release))
        found += checks_of_release(reveal, *files, schema, arguments.purpose)
    return found


def _read(path: str, reader: Callable[[bytes], Read]) -> Read:
    try:
        return reader(read_file(path))
    except ValueError as error:
        raise UsageError(f"{path}: {error}") from error


def _told(checks: list[Check], failing: list[Check]) -> str:
    rows = [("holds" if check.holds else "FAILS", check.name, check.words) for check in checks]
    verdict = f"verified: {len(checks)} checks hold"
    if failing:
        names = ", ".join(check.name for check in failing)
        verdict = f"not verified: {len(failing)} of {len(checks)} checks fail: {names}"
    return f"{aligned(rows)}\n\n{verdict}"
