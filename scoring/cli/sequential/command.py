# SPDX-License-Identifier: Apache-2.0
"""The command `sequential`: publish a changing table repeatedly, then check, measure and attack its releases."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from scoring.addresses import function_at
from scoring.cli.arguments import Parser, add_parts, add_seed
from scoring.cli.output import Output

METHODS = ("m-invariance", "last", "improved")
DEFINITIONS = ("counting", "worlds", "worlds-counterfeit-known", "worlds-last", "m-invariance")
SCORED = tuple(name for name in DEFINITIONS if name != "worlds-last")  # nobody checks what it says
N_SAMPLES, MAX_SAMPLES = 1_000, 1_000_000
SIDES, WHERE, RULES = ("below", "above", "none"), ("everywhere", "overlaps"), ("risk", "overlap")
EXAMPLES = ("patients", "small")
REQUIREMENTS = ("m-unique", "m-invariance")
LIMITS = {
    "--max-deleted": "records left out",
    "--max-displaced": "published records outside the region of their row",
    "--max-counterfeits": "counterfeits for each record",
}
RULESET = "sequential-release"
ATTACKS = ("baseline", "intersection")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the command: its arguments, and the address of its function."""

    text: str
    arguments: Callable[[Parser], None]
    run: str


def add_arguments(command: Parser) -> None:
    """The parts of the command, each with its options."""
    add_parts(command, ((name, part.text, part.arguments) for name, part in SUBCOMMANDS.items()))


def run(arguments: Namespace, output: Output) -> int | None:
    """Run the part that was asked for."""
    run: Callable[[Namespace, Output], int | None] = function_at(SUBCOMMANDS[arguments.part].run)
    return run(arguments, output)


def add_tables(part: Parser) -> None:
    """The tables of all times, and their columns."""
    part.add_argument("--schema", required=True, metavar="S.toml", help="the tables' columns")
    part.add_argument(
        "--tables",
        required=True,
        nargs="+",
        metavar="T.csv",
        help="the table of each time, or one zip archive of T1.csv, T2.csv …",
    )


def add_releases(part: Parser) -> None:
    """The releases of all times."""
    part.add_argument(
        "--releases", required=True, nargs="+", metavar="R.csv", help="the release of each table"
    )


def _publish_arguments(part: Parser) -> None:
    _add_m(part)
    add_tables(part)
    part.add_argument(
        "--method", choices=METHODS, default=METHODS[0], help="how to publish (m-invariance)"
    )
    part.add_argument(
        "--before",
        nargs="+",
        default=[],
        metavar="R.csv",
        help="the releases of the first tables, which are published already: continue from them",
    )
    part.add_argument("--out", metavar="DIR", help="the folder to write: new, or empty")
    part.add_argument(
        "--zip", metavar="S.zip", help="the archive to write, as a contest asks for it"
    )
    part.add_argument(
        "--without-counterfeits",
        action="store_true",
        help="do not publish how many counterfeits each group has: leave C1.csv … out of the archive",
    )
    part.add_argument(
        "--people-out",
        metavar="P.zip",
        help="an archive of who is in the tables, without sensitive values: what attackers get",
    )
    part.add_argument(
        "--tables-out",
        metavar="DIR",
        help="a folder for the tables without deleted records; not to be published",
    )
    part.add_argument(
        "--widths",
        metavar="W,W…",
        help="minimum width of regions with counterfeits, for each attribute (a fiftieth of its range)",
    )
    part.add_argument(
        "--side",
        choices=SIDES,
        default=SIDES[0],
        help="side on which such a region is wider than its records (below)",
    )
    part.add_argument(
        "--where",
        choices=WHERE,
        default=WHERE[0],
        help="for last: where the previous group is published (everywhere)",
    )
    part.add_argument(
        "--rule", choices=RULES, default=RULES[0], help="for improved: what is repaired (risk)"
    )


def _check_arguments(part: Parser) -> None:
    _add_m(part)
    add_tables(part)
    add_releases(part)
    part.add_argument(
        "--notice",
        action="append",
        default=[],
        metavar="J=N.csv",
        help="the notice of tampering of release J; repeatable",
    )
    part.add_argument(
        "--ruleset", metavar="R", help="a ruleset of the library or a TOML file: its limits (none)"
    )
    for option in ("--max-displaced", "--max-counterfeits"):
        text = f"largest share of {LIMITS[option]}, from 0 to 1, instead of the rules'"
        part.add_argument(option, type=float, metavar="S", help=text)


def _risk_arguments(part: Parser) -> None:
    add_tables(part)
    add_releases(part)
    part.add_argument(
        "--counterfeits", nargs="+", metavar="C.csv", help="the counterfeits of each release"
    )
    part.add_argument(
        "--definition",
        choices=DEFINITIONS,
        default=DEFINITIONS[0],
        help="how the attacker computes, and what it knows (counting)",
    )
    part.add_argument(
        "--over-time",
        action="store_true",
        help="also the risk after each release, and the releases that pin each record down",
    )
    part.add_argument(
        "--samples",
        type=int,
        default=N_SAMPLES,
        metavar="N",
        help=f"possible worlds to sample if there are too many to count ({N_SAMPLES})",
    )
    add_seed(part, required=False)
    part.add_argument("--pictures", metavar="DIR", help="a folder for pictures: new, or empty")


def _generate_arguments(part: Parser) -> None:
    part.add_argument("--records", type=int, default=1000, metavar="N", help="in each table (1000)")
    part.add_argument("--releases", type=int, default=4, metavar="N", help="how many tables (4)")
    add_seed(part, required=True)
    part.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def _example_arguments(part: Parser) -> None:
    part.add_argument(
        "--tables",
        choices=EXAMPLES,
        default=EXAMPLES[0],
        help="tables 1 and 2 with table 3, their first release, or small: tables 10 and 11 (patients)",
    )
    part.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def _score_arguments(part: Parser) -> None:
    _add_ruleset(part)
    add_tables(part)
    _add_series(part, "the archive of R1.csv, R2.csv … to submit")
    _add_other_m(part)
    part.add_argument(
        "--definition", choices=SCORED, help="how the attacker computes, instead of the rules'"
    )
    part.add_argument(
        "--require", choices=REQUIREMENTS, help="the condition to check, instead of the rules'"
    )
    for option, what in LIMITS.items():
        text = f"largest share of {what}, from 0 to 1, instead of the rules'"
        part.add_argument(option, type=float, metavar="S", help=text)
    add_seed(part, required=False)


def _audit_arguments(part: Parser) -> None:
    _score_arguments(part)
    part.add_argument(
        "--attributes",
        metavar="A,B",
        help="the two quasi-identifiers on the axes of the pictures (the first two)",
    )
    part.add_argument("--out", metavar="A.html", help="the report to write as well")


def _guess_arguments(part: Parser) -> None:
    part.add_argument("--schema", required=True, metavar="S.toml", help="the tables' columns")
    part.add_argument(
        "--people",
        required=True,
        metavar="P.zip",
        help="the archive of B1.csv, B2.csv …: who is in the tables",
    )
    _add_series(part, "the published archive of R1.csv, R2.csv …")
    part.add_argument(
        "--method",
        choices=ATTACKS,
        default=ATTACKS[0],
        help="the method (baseline)",
    )
    part.add_argument("--out", required=True, metavar="G.csv", help="the guess to write")


def _mark_arguments(part: Parser) -> None:
    add_tables(part)
    _add_series(part, "the archive of R1.csv, R2.csv … that was attacked")
    part.add_argument("--guess", required=True, metavar="G.csv", help="the guess to score")
    _add_ruleset(part)
    _add_other_m(part)


def _add_ruleset(part: Parser) -> None:
    part.add_argument(
        "--ruleset",
        default=RULESET,
        metavar="R",
        help="a ruleset of the library, or a TOML file (sequential-release)",
    )


def _add_other_m(part: Parser) -> None:
    part.add_argument(
        "--m", type=int, metavar="M", help="different values in each group, instead of the rules'"
    )


def _add_series(part: Parser, text: str) -> None:
    part.add_argument("--series", required=True, metavar="S.zip", help=text)


def _add_m(part: Parser) -> None:
    part.add_argument(
        "--m", required=True, type=int, metavar="M", help="different values in each group, at least"
    )


SUBCOMMANDS: dict[str, Part] = {
    "generate": Part(
        "draw the half-year windows of a synthetic hospital",
        _generate_arguments,
        "scoring.cli.sequential.publish:generate",
    ),
    "example": Part(
        "write the tables of the paper on safer m-invariant generalization",
        _example_arguments,
        "scoring.cli.sequential.publish:example",
    ),
    "publish": Part(
        "publish the tables of several times, one release for each",
        _publish_arguments,
        "scoring.cli.sequential.publish:publish",
    ),
    "check": Part(
        "check that releases are generalizations, m-unique and m-invariant",
        _check_arguments,
        "scoring.cli.sequential.check:check",
    ),
    "risk": Part(
        "compute how certain an attacker may be of each record's sensitive value",
        _risk_arguments,
        "scoring.cli.sequential.risk:risk",
    ),
    "score": Part(
        "check and measure a series of releases by the rules of a contest",
        _score_arguments,
        "scoring.cli.sequential.contest:score",
    ),
    "audit": Part(
        "find the risks of a series under every definition, attack it, and write a report",
        _audit_arguments,
        "scoring.cli.sequential.audit:audit",
    ),
    "guess": Part(
        "guess the sensitive value of each person from the releases",
        _guess_arguments,
        "scoring.cli.sequential.contest:guess",
    ),
    "mark": Part(
        "score guessed sensitive values, compared with the baseline guess",
        _mark_arguments,
        "scoring.cli.sequential.contest:mark",
    ),
}
"""Name to part, in the order in which they are shown."""
