# SPDX-License-Identifier: Apache-2.0
"""The examples in the docstrings of scoring, and that every measure and attack has one."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import scoring
from scoring.measures.catalog.analyses import ANALYSES
from scoring.registry import ATTACKS, MEASURES
from tests.every import every

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(scoring.__path__, "scoring.")
    if not module.name.endswith("__main__")
)
EXAMPLE = ">>> "


@every(name=MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    source = Path(module.__file__).read_text(encoding="utf-8")
    if EXAMPLE in source:  # doctest takes long to find that there is none
        assert doctest.testmod(module).failed == 0


OWN = [analysis.measure(id_, {}) for id_, analysis in ANALYSES.items()]


@every(entry=[*MEASURES.values(), *OWN, *ATTACKS.values()])
def test_descriptions_are_complete(entry):
    for heading in ("Returns\n---", "Notes\n---", "Examples\n---", EXAMPLE):
        assert heading in entry.description
    assert entry.title
