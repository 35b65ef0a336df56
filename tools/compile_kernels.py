# SPDX-License-Identifier: Apache-2.0
"""Compile all kernels, on every core, before many test processes would each do so for themselves."""

from __future__ import annotations

import multiprocessing
import pkgutil

import scoring.kernels
from scoring.kernels.deferred import load


def main() -> None:
    names = [
        f"scoring.kernels.{module.name}"
        for module in pkgutil.iter_modules(scoring.kernels.__path__)
    ]
    with multiprocessing.get_context("spawn").Pool() as pool:
        pool.map(load, names, chunksize=1)


if __name__ == "__main__":
    main()
