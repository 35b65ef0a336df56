# SPDX-License-Identifier: Apache-2.0
"""The command `dp`: conversions of ε, batch and interactive disclosure compared at equal ε, and both run locally."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from scoring.cli import dp_account, dp_disclosure
from scoring.cli.arguments import Parser, add_parts, add_seed
from scoring.cli.output import Output, UsageError, aligned, check_writable, read_file, write_files
from scoring.errors import Problem, shorten
from scoring.extras import check_pictures

if TYPE_CHECKING:
    from scoring.privacy.experiments.counts import Counts
    from scoring.privacy.experiments.run import Setup

AGGREGATES, RULES, STARTS = (
    ("rms", "of_medians"),
    ("exact", "taylor", "divided"),
    ("uniform", "observed"),
)
MAX_VALUES, MAX_RECORDS, MAX_QUERIES = 10**9, 10**12, 10**9
MAX_TRIALS, MAX_ITERATIONS, MAX_LISTED = 10_000, 1_000_000, 100
T = TypeVar("T", int, float)
_ABOVE_0, _FROM_0 = "finite numbers above 0", "finite numbers of at least 0"


def add_arguments(command: Parser) -> None:
    """The parts of the command, each with its options."""
    own = (
        ("response", "table p and ε of randomized response, and draw them", _response_arguments),
        ("convert", "convert ε to ρ, to k and to the scale of noise", _convert_arguments),
        (
            "experiment",
            "compare batch with interactive disclosure at equal ε",
            _experiment_arguments,
        ),
    )
    add_parts(command, (*own, *dp_account.SUBCOMMANDS, *dp_disclosure.SUBCOMMANDS))


def _convert_arguments(part: Parser) -> None:
    part.add_argument(
        "--domain", required=True, metavar="V,V…", help="the number of values of each attribute"
    )
    part.add_argument("--records", required=True, metavar="N", help="the number of records")
    given = part.add_mutually_exclusive_group(required=True)
    given.add_argument("--epsilon", metavar="E,E…", help="ε of all attributes together")
    given.add_argument("--rho", metavar="R,R…", help="or ρ, the same for each attribute")
    given.add_argument("--k", metavar="K,K…", help="or k of Pk-anonymity")


def _response_arguments(part: Parser) -> None:
    part.add_argument(
        "--values", default="2,5,10", metavar="K,K…", help="numbers of values (2,5,10)"
    )
    part.add_argument(
        "--epsilon",
        default="0,0.1,0.5,0.75,1,1.5,5",
        metavar="E,E…",
        help="every ε, from 0 (0,0.1,0.5,0.75,1,1.5,5)",
    )
    part.add_argument(
        "--picture", metavar="P.svg", help="the figure of p against ε to write, up to the largest ε"
    )


def _experiment_arguments(part: Parser) -> None:
    part.add_argument(
        "--counts", metavar="C.csv", help="the table of counts (the paper's: MovieLens 1M users)"
    )
    part.add_argument("--epsilon", default="0.1,1,4", metavar="E,E…", help="every ε (0.1,1,4)")
    part.add_argument(
        "--queries",
        default="1,10,14,55,62,89,91,109,436",
        metavar="X,X…",
        help="numbers of queries that share ε (1,10,14,55,62,89,91,109,436)",
    )
    part.add_argument("--trials", default="30", metavar="N", help="trials of each method (30)")
    add_seed(part, required=False)
    part.add_argument(
        "--aggregate", choices=AGGREGATES, default="rms", help="how trials make one figure (rms)"
    )
    part.add_argument("--rho", choices=RULES, default="exact", help="how ρ follows from ε (exact)")
    part.add_argument(
        "--weights",
        metavar="W,W…",
        help="with --rho divided: how ε is divided among the attributes, each of which has its own ρ (equally)",
    )
    part.add_argument(
        "--start", choices=STARTS, default="uniform", help="where reconstruction starts (uniform)"
    )
    part.add_argument(
        "--iterations", default="1000", metavar="N", help="of reconstruction, at most (1000)"
    )
    part.add_argument(
        "--tolerance", default="1e-9", metavar="T", help="change at which it stops (1e-9)"
    )
    part.add_argument(
        "--out", required=True, metavar="DIR", help="the folder to write: new, or empty"
    )


def run(arguments: Namespace, output: Output) -> None:
    """Run the part that was asked for."""
    own = {"response": _response, "convert": _convert, "experiment": _experiment}
    (own | dp_account.RUN | dp_disclosure.RUN)[arguments.part](arguments, output)


def _response(arguments: Namespace, output: Output) -> None:
    from scoring.privacy.response_table import response_figure, response_table

    read = _Reader("dp response")
    sizes = read.integers("--values", arguments.values, 2, MAX_VALUES)
    epsilons = read.numbers("--epsilon", arguments.epsilon, _is_at_least_0, _FROM_0)
    if arguments.picture is not None and epsilons and max(epsilons) == 0:
        read.wrong("--epsilon", "a number above 0 for the figure", arguments.epsilon)
    read.raise_if_any()
    sizes, epsilons = list(dict.fromkeys(sizes)), list(dict.fromkeys(epsilons))
    check_writable(arguments.picture, reads={})
    lines = response_table(sizes, epsilons)
    if arguments.picture is not None:
        write_files({arguments.picture: response_figure(sizes, max(epsilons)).encode()})
    values = {
        "responses": [
            {"values": line.size, "epsilon": line.epsilon, "true": line.true, "other": line.other}
            for line in lines
        ],
        "picture": arguments.picture,
    }
    head = ("ε", *(f"p, K = {size}" for size in sizes), *(f"q, K = {size}" for size in sizes))
    rows = [
        (
            f"{epsilon:g}",
            *(f"{line.true:.4f}" for line in lines if line.epsilon == epsilon),
            *(f"{line.other:.4f}" for line in lines if line.epsilon == epsilon),
        )
        for epsilon in epsilons
    ]
    text = aligned([head, *rows], right=range(len(head)))
    if arguments.picture is not None:
        text += f"\n\nfigure → {arguments.picture}"
    output.result(values, text)


def _convert(arguments: Namespace, output: Output) -> None:
    from scoring.privacy import post_randomization as pram
    from scoring.privacy.mechanisms import scale
    from scoring.privacy.sensitivity import histogram

    read = _Reader("dp convert")
    sizes = read.integers("--domain", arguments.domain, 2, MAX_VALUES)
    [n] = read.integers("--records", arguments.records, 2, MAX_RECORDS, many=False) or [2]
    epsilons: list[float] = []
    if arguments.epsilon is not None:
        epsilons = read.numbers("--epsilon", arguments.epsilon, _is_at_least_0, _FROM_0)
    elif arguments.rho is not None:
        expected = "numbers from 0, below 1"
        rhos = read.numbers("--rho", arguments.rho, lambda rho: 0 <= rho < 1, expected)
        epsilons = [pram.epsilon_of(rho, sizes) for rho in rhos] if sizes else []
    else:
        expected = f"numbers above 1 and below the {n} records"
        ks = read.numbers("--k", arguments.k, lambda k: 1 < k < n, expected)
        epsilons = [pram.epsilon_of_k(k, n) for k in ks]
    read.raise_if_any()
    # Only the first term of the series has an end: there it is no ρ any more.
    conversions = [
        {
            "epsilon": epsilon,
            "rho": pram.rho_of(epsilon, sizes),
            "rho_taylor": epsilon / sum(sizes) if epsilon < sum(sizes) else None,
            "k": pram.k_of(epsilon, n),
            "lambda": scale(histogram("replace"), epsilon)
            if epsilon
            else None,  # no noise hides all
        }
        for epsilon in epsilons
    ]
    values = {"domain": sizes, "records": n, "conversions": conversions}
    head = ("ε", "ρ", "ρ, first term", "k", "λ")
    rows = [tuple(_shown(value) for value in row.values()) for row in conversions]
    output.result(values, aligned([head, *rows], right=range(5)))


def _experiment(arguments: Namespace, output: Output) -> None:
    from scoring.privacy.experiments.counts import published_counts, read_counts

    setup = _setup(arguments)
    check_pictures()
    own = arguments.counts
    counts = published_counts() if own is None else read_counts(read_file(own), file="counts")
    _check_against(setup, counts)
    _run(arguments.out, counts, setup, output)


def _run(out: str, counts: Counts, setup: Setup, output: Output) -> None:
    from scoring.privacy.experiments import report
    from scoring.privacy.experiments.run import run
    from scoring.privacy.experiments.summary import crossings, scores
    from scoring.studies.folder import FolderError, fill, new_folder

    try:
        with new_folder(out) as folder:
            found = run(counts, setup, step=output.step)
            files = report.files(found, step=output.step)
            fill(folder, files)
    except FolderError as error:
        raise UsageError(str(error)) from error
    values = report.summary(found) | {"out": out, "files": sorted(files)}
    utility = report.utility_rows(found, scores(found))
    parts = [f"{counts.n_records:,} records, {counts.table.size} cells; {setup.label}"]
    parts.append(aligned(utility, right=range(1, len(utility[0]))))
    parts.append("from how many queries on a batch is as good, by")
    parts.append(aligned(report.crossing_rows(crossings(found))))
    parts.append(f"{len(files)} files → {out}, begin with README.md")
    output.result(values, "\n\n".join(parts))


def _setup(arguments: Namespace) -> Setup:
    from scoring.privacy.experiments.run import Setup

    read = _Reader("dp experiment")
    epsilons = read.numbers("--epsilon", arguments.epsilon, _is_positive, _ABOVE_0)
    queries = read.integers("--queries", arguments.queries, 1, MAX_QUERIES)
    trials = read.integers("--trials", arguments.trials, 1, MAX_TRIALS, many=False)
    iterations = read.integers("--iterations", arguments.iterations, 0, MAX_ITERATIONS, many=False)
    expected = "a finite number of at least 0"
    tolerance = read.numbers(
        "--tolerance", arguments.tolerance, lambda t: 0 <= t < math.inf, expected, many=False
    )
    weights: list[float] = []
    if arguments.weights is not None and arguments.rho != "divided":
        read.wrong("--weights", "nothing without --rho divided", arguments.weights)
    elif arguments.weights is not None:
        weights = read.numbers("--weights", arguments.weights, _is_positive, _ABOVE_0)
    read.raise_if_any()
    return Setup(
        epsilons=tuple(dict.fromkeys(epsilons)),
        queries=tuple(dict.fromkeys(queries)),
        trials=trials[0],
        seed=arguments.seed,
        aggregate=arguments.aggregate,
        rule=arguments.rho,
        weights=tuple(weights),
        start=arguments.start,
        tolerance=tolerance[0],
        max_iterations=iterations[0],
    )


def _check_against(setup: Setup, counts: Counts) -> None:
    """Checks that depend on the table: trials that fit in memory, and the range of the first term."""
    from scoring.privacy.experiments.run import most_trials

    read = _Reader("dp experiment")
    total = sum(counts.sizes)
    if setup.rule == "taylor":  # ρ is ε divided by the number of all attributes' values
        expected = f"numbers below {total}, the values of all attributes, with --rho taylor"
        for epsilon in (e for e in setup.epsilons if e >= total):
            read.wrong("--epsilon", expected, f"{epsilon:g}")
    if setup.weights and len(setup.weights) != len(counts.sizes):
        names = ", ".join(counts.attributes)
        expected = f"one weight for each of {len(counts.sizes)} attributes: {names}"
        read.wrong("--weights", expected, str(len(setup.weights)))
    if setup.trials > (most := most_trials(counts, setup)):
        expected = f"at most {most} for so many cells, methods and ε"
        read.wrong("--trials", expected, str(setup.trials))
    read.raise_if_any()


class _Reader:
    """Options that are lists of numbers; all errors are reported together."""

    def __init__(self, command: str) -> None:
        self.command = command
        self.problems: list[Problem] = []

    def wrong(self, option: str, expected: str, got: str) -> None:
        params = {"option": option, "method": self.command, "expected": expected}
        self.problems.append(Problem("option.wrong_value", params | {"got": shorten(got)}))

    def numbers(
        self,
        option: str,
        text: str,
        accepts: Callable[[float], bool],
        expected: str,
        *,
        many: bool = True,
    ) -> list[float]:
        """The numbers between commas; none where one of them cannot be used."""
        return self._listed(option, text, _number, accepts, expected, many)

    def integers(
        self, option: str, text: str, low: int, high: int, *, many: bool = True
    ) -> list[int]:
        """The integers between commas; none where one of them cannot be used."""
        noun = "integers" if many else "an integer"
        expected = f"{noun} from {low} to {high}"
        return self._listed(option, text, _integer, lambda n: low <= n <= high, expected, many)

    def _listed(
        self,
        option: str,
        text: str,
        parse: Callable[[str], T | None],
        accepts: Callable[[T], bool],
        expected: str,
        many: bool,
    ) -> list[T]:
        found: list[T] = []
        pieces = text.split(",") if many else [text]
        for piece in pieces[:MAX_LISTED]:
            value = parse(piece.strip())
            if value is None or not accepts(value):
                self.wrong(option, expected, piece)
            else:
                found.append(value)
        if len(pieces) > MAX_LISTED:
            self.wrong(option, f"at most {MAX_LISTED} of them", str(len(pieces)))
        return found if len(found) == len(pieces) else []

    def raise_if_any(self) -> None:
        if self.problems:
            raise UsageError("options", self.problems)


def _number(text: str) -> float | None:
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _integer(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None


def _is_at_least_0(number: float) -> bool:
    return 0 <= number < math.inf


def _is_positive(number: float) -> bool:
    return 0 < number < math.inf


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:,.5g}" if value < 1 else f"{value:,.2f}"
