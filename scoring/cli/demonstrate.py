# SPDX-License-Identifier: Apache-2.0
"""The command `demonstrate`: an attack on a synthetic table, with a small table of its results."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import asdict

from scoring.cli.arguments import Parser, add_seed
from scoring.cli.output import Output, aligned
from scoring.demonstrations.catalog import DEMONSTRATIONS


def add_arguments(command: Parser) -> None:
    command.add_argument(
        "name", choices=tuple(DEMONSTRATIONS), help=f"one of {', '.join(DEMONSTRATIONS)}"
    )
    add_seed(command, required=False)


def run(arguments: Namespace, output: Output) -> None:
    """Run one demonstration and print its result."""
    import numpy as np

    demonstration = DEMONSTRATIONS[arguments.name]
    output.step(demonstration.title)
    found = demonstration(rng=np.random.default_rng(arguments.seed))
    rows = found.rows()
    text = aligned(rows, right=range(1, len(rows[0])))
    values = {"demonstration": demonstration.id, **asdict(found)}
    output.result(values, f"{demonstration.title}\n\n{text}")
