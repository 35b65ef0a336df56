# SPDX-License-Identifier: Apache-2.0
"""Compile all kernels, on every core, before many test processes would each do so for themselves."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import scoring.kernels
from scoring.kernels.deferred import load


def _size(path: Path) -> int:
    return path.stat().st_size


def main() -> None:
    largest_first = sorted(Path(*scoring.kernels.__path__).glob("*.py"), key=_size, reverse=True)
    names = [f"scoring.kernels.{path.stem}" for path in largest_first if path.stem != "__init__"]
    with multiprocessing.get_context("spawn").Pool() as pool:
        pool.map(load, names, chunksize=1)


if __name__ == "__main__":
    main()
