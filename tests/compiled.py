# SPDX-License-Identifier: Apache-2.0
"""Test modules compiled before the workers start: each would otherwise rewrite the asserts of all of them."""

from __future__ import annotations

import multiprocessing
import os
import sys
from pathlib import Path

import pytest
from _pytest.assertion import rewrite  # pytest has no public way to compile without running

TESTS = Path(__file__).parent
_KNOWN: list[pytest.Config] = []  # of a process that compiles


def compile_tests(config: pytest.Config) -> None:
    """Compile the test modules that changed, on every core; nothing where Python may keep no compiled modules."""
    stale = [] if sys.dont_write_bytecode else [*filter(_is_stale, TESTS.rglob("test_*.py"))]
    if stale:
        processes = multiprocessing.get_context("fork").Pool(
            os.cpu_count(), _KNOWN.append, [config]
        )
        with processes as pool:
            pool.map(_compile, stale, chunksize=8)


def _place_of(module: Path) -> Path:
    return rewrite.get_cache_dir(module) / (module.stem + rewrite.PYC_TAIL)


def _is_stale(module: Path) -> bool:
    return rewrite._read_pyc(module, _place_of(module)) is None


def _compile(module: Path) -> None:
    (config,) = _KNOWN
    place = _place_of(module)
    place.parent.mkdir(exist_ok=True)
    source_hash, code = rewrite._rewrite_test(module, config)
    rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, source_hash, place)
