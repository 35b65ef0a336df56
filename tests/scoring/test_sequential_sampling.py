# SPDX-License-Identifier: Apache-2.0
"""Sampled possible worlds: where walks start, the bounds that groups tell, and tables too large to count."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.datasets.hospital import HOSPITAL_SCHEMA, hospital
from scoring.formats.sequential.chances import chances
from scoring.formats.sequential.components import Components
from scoring.formats.sequential.files import read_microdata
from scoring.formats.sequential.publishing import Options, publish
from scoring.formats.sequential.risk import Definition, identification_risks
from scoring.formats.sequential.starts import finds_world, start
from scoring.formats.sequential.worlds import Places
from scoring.tables.reading import write_table
from tests.every import some
from tests.scoring.sequential_oracles import true_values, worlds
from tests.scoring.test_sequential_risk import WORLDS, cases, published, risks


def places_of(tables, releases, definition):
    return Places.of(
        tables,
        releases,
        knows_counterfeits=definition is Definition.COUNTERFEIT_KNOWN,
        knows_invariance=definition is Definition.M_INVARIANCE,
    )


def hospital_series(n_records, n_releases, m):
    """The tables of a synthetic hospital, and their m-invariant releases."""
    tables = [
        write_table(table, HOSPITAL_SCHEMA) for table in hospital(n_records, n_releases, seed=1)
    ]
    found = publish(read_microdata(tables, HOSPITAL_SCHEMA), Options(m=m))
    return found.microdata, found.releases


def check_state(places, state):
    """Nobody shares a row, all rows are the slots' own, and lives are of one kind or of none."""
    row_of, slot_in = state
    placed = np.flatnonzero(row_of >= 0)
    assert (slot_in[row_of[placed]] == placed).all()
    assert (slot_in >= 0).sum() == len(placed)
    for slot in placed:
        assert row_of[slot] in places.row[places.starts[slot] : places.starts[slot + 1]]
    kind = np.where(row_of >= 0, places.rows.kind[row_of], -1)
    assert (kind == kind[places.first[places.entity]]).all()


def is_true(places, row_of):
    value = places.rows.value[places.rows.kind[row_of]]
    return (row_of >= 0) & (value == places.true_value[places.entity])


# starts


@pytest.mark.parametrize(("n_records", "n_releases", "m"), [(300, 4, 2), (1_000, 3, 3)])
def test_every_start_with_signatures_known_gives_everybody_the_true_value(n_records, n_releases, m):
    places = places_of(*hospital_series(n_records, n_releases, m), Definition.M_INVARIANCE)
    rng, everybody = np.random.default_rng(1), Components.of(places).entities
    starts = [start(places, everybody, rng) for _ in range(2)]
    for state in starts:
        check_state(places, state)
        assert is_true(places, state[0]).all()
    assert (starts[0][0] != starts[1][0]).any()


@pytest.mark.parametrize("definition", WORLDS)
def test_a_start_has_the_truth_for_everybody_wherever_a_world_has(definition):
    n_true = n_false = 0
    for tables, releases in cases(80, seed=11):
        places = places_of(tables, releases, definition)
        state = start(places, np.arange(places.n_entities), np.random.default_rng(1))
        check_state(places, state)
        n_people = len(tables.ids)
        is_persons = places.entity < n_people
        if has_true_world(tables, releases, definition):
            n_true += 1
            assert is_true(places, state[0])[is_persons].all()
        else:
            n_false += 1
            assert not is_true(places, state[0])[is_persons].all()
    assert min(n_true, n_false) > 10


def has_true_world(tables, releases, definition):
    """Whether some world gives everybody the true value."""
    truth = true_values(tables)
    return any(
        all(
            releases[time].sensitive[row] == truth[person]
            for person, path in enumerate(world[: len(tables.ids)])
            for time, row in path.values()
        )
        for world in worlds(tables, releases, **WORLDS[definition])
    )


def test_a_start_that_lacks_people_is_completed():
    n_completed = 0
    for tables, releases in cases(100, seed=12):
        places = places_of(tables, releases, Definition.WORLDS)
        found = Components.of(places)
        rng = np.random.default_rng(1)
        state = start(places, found.entities, rng)
        was_whole = (state[0] >= 0).all()
        is_found = all(
            finds_world(places, found.entities[a:b], state, rng)
            for a, b in zip(found.starts[:-1], found.starts[1:], strict=True)
        )
        exists = next(worlds(tables, releases), None) is not None
        assert is_found == exists
        if is_found:
            check_state(places, state)
            assert (state[0] >= 0).all()
            n_completed += not was_whole
    assert n_completed > 0


# bounds


@pytest.mark.parametrize("definition", WORLDS)
@pytest.mark.parametrize("n_cases", some(1, [50, 150]))
def test_every_risk_is_between_its_bounds(definition, n_cases):
    n_narrow = 0
    for tables, releases in cases(n_cases, seed=13):
        exact = risks(tables, releases, definition).values
        least, most = (
            bound[: len(exact)] for bound in chances(places_of(tables, releases, definition))
        )
        possible = ~np.isnan(exact)
        assert (least[possible] <= exact[possible] + 1e-9).all()
        assert (exact[possible] <= most[possible] + 1e-9).all()
        n_narrow += ((most - least)[possible] < 1).sum()
    assert n_narrow > 5


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("n_cases", some(1, [30, 100]))
def test_with_m_invariance_known_one_in_m_is_a_bound(m, n_cases):
    for tables, releases in published(n_cases, m=m, n_people=12, seed=m):
        _least, most = chances(places_of(tables, releases, Definition.M_INVARIANCE))
        assert (most <= 1 / m).all()


# samples


@pytest.mark.parametrize("n_cases", some(1, [25, 60]))
def test_sampled_means_are_the_exact_risks(n_cases):
    """All the people of many small cases together: what is left is far less than one sample's error."""
    differences = []
    for tables, releases in cases(n_cases, seed=14, most_people=7):
        exact = risks(tables, releases, Definition.WORLDS).values
        sampled = risks(tables, releases, Definition.WORLDS, most_entities=0).values
        differences.append((sampled - exact)[~np.isnan(exact)])
    found = np.concatenate(differences)
    assert len(found) > 1.5 * n_cases
    assert abs(found.mean()) < 0.005
    assert np.sqrt((found**2).mean()) < 0.02


@pytest.mark.parametrize("m", [2, 3])
def test_no_sampled_risk_exceeds_one_in_m_with_m_invariance_known(m):
    tables, releases = hospital_series(150, 3, m)
    found = identification_risks(
        tables, releases, Definition.M_INVARIANCE, rng=np.random.default_rng(1), n_samples=20
    )
    assert found.is_sampled.any()
    assert not np.isnan(found.values).any()
    assert (found.high <= 1 / m + 1e-12).all()
    assert (found.low <= found.values).all()
    assert (found.values <= found.high).all()
