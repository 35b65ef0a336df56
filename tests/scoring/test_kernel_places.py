# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels in a tree that nobody can write, as that of an image: found there, and nowhere else looked for."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from scoring.kernels.places import CompiledIn

MODULE = "from scoring.kernels.compiled import compiled\n\n\n@compiled('i8(i8)')\ndef twice(n):\n    return 2 * n\n"
PLACE = {
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator,scoring.kernels.places.CompiledIn",
    "NUMBA_CPU_NAME": "generic",
}
READ_ONLY = """
import tempfile
def refuse(*_, **__): raise PermissionError("read-only")
tempfile.TemporaryFile = refuse
import os
os.makedirs = refuse
"""
LOAD = "import doubling; print(doubling.twice(21), dict(doubling.twice.stats.cache_hits))"


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    given = {"PYTHONPATH": f"{folder}{os.pathsep}{root}", "HOME": "/nowhere", **PLACE}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("NUMBA_")} | given
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "doubling.py").write_text(MODULE)
    return tmp_path


def test_kernels_that_were_compiled_into_the_tree_are_loaded_from_it(folder):
    assert run(folder, LOAD).stdout.startswith("42")
    kept = sorted((folder / "__pycache__").glob("doubling.twice-*.nb*"))
    assert len(kept) == 2
    written = [path.stat().st_mtime_ns for path in kept]
    again = run(folder, READ_ONLY + LOAD)
    assert again.stdout.startswith("42"), again.stderr
    assert "1}" in again.stdout  # a hit for its one signature
    assert [path.stat().st_mtime_ns for path in kept] == written


def test_without_them_such_a_tree_is_no_place(folder):
    done = run(folder, READ_ONLY + LOAD)
    assert done.returncode != 0
    assert "no locator available" in done.stderr


def test_a_folder_that_can_be_written_is_one_as_always(tmp_path, monkeypatch):
    module = tmp_path / "other.py"
    module.touch()
    assert CompiledIn.from_function(run, str(module)) is not None

    def refuse(**_: object) -> None:
        raise PermissionError("read-only")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert CompiledIn.from_function(run, str(module)) is None
