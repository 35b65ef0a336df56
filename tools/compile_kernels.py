"""Compile all kernels, on every core, before many test processes would each do so for themselves."""

from __future__ import annotations

import multiprocessing
import pkgutil
from importlib import import_module

import scoring.kernels


def main() -> None:
    names = [
        f"scoring.kernels.{module.name}"
        for module in pkgutil.iter_modules(scoring.kernels.__path__)
    ]
    with multiprocessing.get_context("spawn").Pool() as pool:
        pool.map(compile_kernel, names, chunksize=1)


def compile_kernel(name: str) -> None:
    """Import its module, which compiles it, and return nothing: a module cannot be sent back."""
    import_module(name)


if __name__ == "__main__":
    main()
