# SPDX-License-Identifier: Apache-2.0
"""The seeds of published tables: drawn by the operating system; a warning for those that can be guessed."""

from __future__ import annotations

from argparse import Namespace

from scoring.cli.output import Output
from scoring.seeds import drawn_seed

SMALLEST = 2**32
"""Seeds below it are found in days by replaying the anonymizers with every one of them."""

_DRAWN = "seed {seed}, of the operating system: keep it, and keep it secret; the same table comes from it"
_SMALL = (
    "warning: seed {seed} is below 2^32: anyone who has the original can find it and undo the table. "
    "Leave out --seed for a secret one, or add --reproducible where others may recompute the table"
)


def secret_seed(arguments: Namespace, output: Output) -> int:
    """The seed of `--seed`, or one of 128 bits that is shown on standard error to be kept."""
    if arguments.seed is None:
        seed = drawn_seed()
        output.note(_DRAWN.format(seed=seed))
        return seed
    warn_of_small(arguments, output)
    return int(arguments.seed)


def warn_of_small(arguments: Namespace, output: Output) -> None:
    """Warn on standard error of a seed that can be found, unless `--reproducible` is given."""
    if arguments.seed is not None and arguments.seed < SMALLEST and not arguments.reproducible:
        output.note(_SMALL.format(seed=arguments.seed))
