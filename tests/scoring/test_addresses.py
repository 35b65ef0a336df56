# SPDX-License-Identifier: Apache-2.0
"""Docstrings are read from the source, as the functions that are imported have them."""

from __future__ import annotations

import inspect

import pytest

from scoring.addresses import docstring_at
from scoring.registry import MEASURES
from tests.every import every


@every(measure=MEASURES.values())
def test_a_definition_is_the_docstring_of_its_function(measure):
    assert measure.description == inspect.getdoc(measure.function)


def test_no_module_has_no_docstrings():
    with pytest.raises(ModuleNotFoundError):
        docstring_at("scoring.no_such_module:function")
    with pytest.raises(KeyError):
        docstring_at("scoring.addresses:no_such_function")
