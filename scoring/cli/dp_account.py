# SPDX-License-Identifier: Apache-2.0
"""The command `dp account`: what several answers cost together, by every rule that holds for them."""

from __future__ import annotations

import math
from argparse import Namespace
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from scoring.cli.output import Output, UsageError, aligned
from scoring.errors import Problem, shorten

if TYPE_CHECKING:
    from scoring.cli.arguments import Parser
    from scoring.privacy.loss_distributions import Mechanism

EXACT = ("laplace", "discrete-laplace", "pure")
"""Mechanisms that are named with their ε."""
NORMAL = ("gaussian", "discrete-gaussian")
"""Mechanisms that are named with their standard deviation, in units of the sensitivity."""
MAX_ANSWERS = 10**9


def arguments(part: Parser) -> None:
    part.add_argument(
        "--answers",
        required=True,
        metavar="M:PxN,…",
        help="mechanisms, each with its parameter and the number of its answers: laplace, discrete-laplace "
        "and pure with ε, gaussian and discrete-gaussian with σ in units of the sensitivity",
    )
    part.add_argument(
        "--delta", default="1e-6", metavar="D", help="δ of all answers together (1e-6)"
    )


SUBCOMMANDS: tuple[tuple[str, str, Callable[[Parser], None]], ...] = (
    ("account", "say what several answers cost together", arguments),
)


def run(arguments: Namespace, output: Output) -> None:
    """Compute the ε of all answers together by the sum, by zCDP and by the distribution of the loss."""
    from scoring.privacy import zcdp
    from scoring.privacy.loss_distributions import compose

    parsed = [_answers(text.strip()) for text in arguments.answers.split(",")]
    delta = _number(arguments.delta)
    if delta is None or not 1e-11 <= delta < 1:
        raise _wrong("--delta", "a number from 1e-11, below 1", arguments.delta)
    rhos = [
        n * (zcdp.rho_of_gaussian(value) if name in NORMAL else zcdp.rho_of_epsilon(value))
        for name, value, n in parsed
    ]
    rho = zcdp.composed(rhos)
    output.step("composing the losses")
    together = compose([(_mechanism(name, value), n) for name, value, n in parsed])
    values = {
        "delta": delta,
        "sum": None
        if any(name in NORMAL for name, _, _ in parsed)
        else math.fsum(value * n for _, value, n in parsed),
        "advanced": _advanced(parsed, delta),
        "rho": rho,
        "zcdp": zcdp.epsilon_of_rho(rho, delta),
        "numerical": together.epsilon(delta),
    }
    rows = [("rule", "ε")]
    rows += [
        (label, f"{value:.6g}" if isinstance(value := values[key], float) else "–")
        for key, label in (
            ("sum", "sum of all ε (δ = 0)"),
            ("advanced", "advanced composition"),
            ("zcdp", f"zCDP, ρ = {rho:.6g}"),
            ("numerical", "distribution of the loss"),
        )
    ]
    output.result(values, f"δ = {delta:g}\n\n{aligned(rows, right=[1])}")


def _advanced(parsed: list[tuple[str, float, int]], delta: float) -> float | None:
    """Advanced composition, which is for answers that are all alike and have an ε."""
    from scoring.privacy.accounting import advanced_composition

    [(name, epsilon, n), *others] = parsed
    if others or name in NORMAL:
        return None
    return advanced_composition(epsilon, 0.0, n, delta)[0]


def _mechanism(name: str, value: float) -> Mechanism:
    from scoring.privacy import loss_distributions as losses

    if name == "laplace":
        return partial(losses.laplace, 1 / value)
    known: dict[str, Mechanism] = {
        "pure": losses.pure,
        "discrete-laplace": losses.discrete_laplace,
        "gaussian": losses.gaussian,
        "discrete-gaussian": losses.discrete_gaussian,
    }
    return partial(known[name], value)


def _answers(text: str) -> tuple[str, float, int]:
    """A mechanism, its parameter and how many answers it gives, such as `laplace:0.1x100`."""
    name, _, rest = text.partition(":")
    parameter, times, number = rest.partition("x")
    value = _number(parameter)
    n = int(number) if number.isascii() and number.isdigit() and len(number) < 11 else 0
    count = n if times else 1
    if name not in (*EXACT, *NORMAL) or value is None or not 1 <= count <= MAX_ANSWERS:
        names = ", ".join((*EXACT, *NORMAL))
        expected = f"a mechanism out of {names}, its parameter and a number, as laplace:0.1x100"
        raise _wrong("--answers", expected, text)
    if not 1e-6 <= value <= 1e6:
        raise _wrong("--answers", "parameters from 1e-6 to 1e6", text)
    return name, value, count


def _number(text: str) -> float | None:
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None


def _wrong(option: str, expected: str, got: str) -> UsageError:
    params = {"option": option, "method": "dp account", "expected": expected}
    return UsageError("options", [Problem("option.wrong_value", params | {"got": shorten(got)})])


RUN: dict[str, Callable[[Namespace, Output], None]] = {"account": run}
