# SPDX-License-Identifier: Apache-2.0
"""Every registry finds its entries by their identifiers, and helps who names one that is not there."""

from __future__ import annotations

import pickle

import pytest

from scoring.anonymizers import ANONYMIZERS
from scoring.attacks.catalog import ATTACKS, INQUIRIES
from scoring.catalogs import Registry, UnknownNameError
from scoring.demonstrations.catalog import DEMONSTRATIONS
from scoring.formulas import FORMULAS, OFFICIAL
from scoring.formulas.official import OF_ESTIMATES
from scoring.registry import ALL_MEASURES, MEASURES, SERIES_MEASURES

REGISTRIES = (
    ALL_MEASURES,
    ANONYMIZERS,
    ATTACKS,
    DEMONSTRATIONS,
    FORMULAS,
    INQUIRIES,
    MEASURES,
    OFFICIAL,
    OF_ESTIMATES,
    SERIES_MEASURES,
)


@pytest.mark.parametrize(
    "registry", REGISTRIES, ids=lambda registry: f"{registry.kind} {len(registry)}"
)
def test_entries_are_found_by_their_identifiers(registry):
    assert [registry[entry.id] for entry in registry.values()] == list(registry.values())
    [name, *_] = registry
    with pytest.raises(UnknownNameError) as caught:
        registry[f"{name}x"]
    assert f"did you mean {name}" in str(caught.value)
    assert str(caught.value).endswith(", ".join(registry))


def test_a_name_like_no_other_is_shown_the_known_ones_only():
    with pytest.raises(UnknownNameError) as caught:
        FORMULAS["?"]
    assert str(caught.value) == f"no formula '?' — known: {', '.join(FORMULAS)}"
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_name_in_other_letters_is_near():
    with pytest.raises(UnknownNameError, match=r"^no attack 'euc2'; did you mean EUC2"):
        ATTACKS["euc2"]


def test_the_entries_of_two_are_in_the_order_of_both():
    both = OFFICIAL | OF_ESTIMATES
    assert isinstance(both, Registry)
    assert list(both) == [*OFFICIAL, *OF_ESTIMATES]


def test_names_that_are_not_registered_are_problems():
    assert ATTACKS.unknown(ATTACKS) == []
    [problem] = ATTACKS.unknown(["E1", "E9"])
    assert problem.code == "attack.unknown"
    assert problem.params == {"got": "E9", "expected": ", ".join(ATTACKS)}
