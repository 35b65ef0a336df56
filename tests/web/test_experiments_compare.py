# SPDX-License-Identifier: Apache-2.0
"""Compare experiments: tables joined, differences named."""

from __future__ import annotations

import pytest
from django.urls import reverse

from pwscup.experiments import comparison, selectors
from pwscup.experiments.jobs import compute
from pwscup.experiments.models import Experiment
from tests.web.experiments import SMALL, make_experiment

pytestmark = pytest.mark.django_db
State = Experiment.State


@pytest.fixture(scope="module")
def results() -> dict[str, dict]:
    """What the library finds for two setups, without a figure."""
    from pwscup.experiments.setup import plans
    from scoring.privacy.experiments import report, run
    from tests.web.experiments import counts

    setups = {"A": SMALL, "B": SMALL | {"epsilons": [1.0], "queries": [9, 5], "rule": "taylor"}}
    return {
        letter: {
            "setup": setup,
            "values": report.summary(run.run(counts(), plans.setup_of(setup))),
        }
        for letter, setup in setups.items()
    }


@pytest.fixture
def pair(cast, results) -> list[Experiment]:
    return [
        make_experiment(cast.alice, state=State.DONE, name=letter * 3, **fields)
        for letter, fields in results.items()
    ]


def compared(client, experiments):
    keys = [str(each.public_id) for each in experiments]
    return client.get(reverse("experiments-compare"), {"with": keys})


def test_figures_of_the_same_method_and_epsilon_stand_side_by_side(cast, as_user, pair):
    page = compared(as_user(cast.alice), pair)
    _title, groups = page.context["tables"][0]
    shown = {
        (epsilon, method): [cell.value for cell in cells]
        for epsilon, rows in groups
        for method, cells in rows
    }
    assert list(shown) == [
        *(("1", method) for method in ("BT", "BR", "IT1", "IT5", "IT9")),
        *(("4", method) for method in ("BT", "BR", "IT1", "IT9")),
    ]
    values = [
        {(each["epsilon"], each["method"]): each["l2"] for each in one.values["utility"]}
        for one in pair
    ]
    assert shown["1", "BT"] == [f"{own[1.0, 'BT']:,.1f}" for own in values]
    assert shown["1", "IT5"] == ["–", f"{values[1][1.0, 'IT5']:,.1f}"]
    assert shown["4", "BT"] == [f"{values[0][4.0, 'BT']:,.1f}", "–"]
    crossings = [(epsilon, measure) for epsilon, measure, _cells in page.context["crossings"]]
    assert len(crossings) == 4
    for letter in ("AAA", "BBB"):
        assert letter in page.text


def test_differences_are_named_and_what_is_shared_is_told_once(cast, as_user, pair):
    context = compared(as_user(cast.alice), pair).context
    differing = {each.name: each.values for each in context["differing"]}
    assert differing == {
        "ε": ["1, 4", "1"],
        "Numbers of queries": ["1, 9", "9, 5"],
        "ρ": ["exact", "first Taylor term"],
    }
    assert {each.name for each in context["same"]} == {
        *("Data", "Attributes", "Records", "Batch methods", "Trials", "Seed", "Aggregate"),
        *("Reconstruction", "Version of the library"),
    }
    assert context["same_data"]


def test_other_data_are_named(cast, as_user, pair):
    other = pair[1]
    other.counts = other.counts | {"table": [77, 145]}
    other.save()
    assert "The data differ" in compared(as_user(cast.alice), pair).text


def test_curves_that_both_have_are_shown_together(cast, as_user, pair):
    for each in pair:
        each.files.create(name="figures/figure8-l2-epsilon-1.svg", packed=b"")
    pair[0].files.create(name="figures/figure8-l2-epsilon-4.svg", packed=b"")
    [(epsilon, _title, own)] = compared(as_user(cast.alice), pair).context["pictures"]
    assert epsilon == "1"
    assert [(letter, each) for letter, each, _picture, _label in own] == list(
        zip("AB", pair, strict=True)
    )


def test_every_setting_of_the_library_is_compared(pair):
    """A setting that changes the figures must not go unnamed."""
    changes = {
        "epsilons": [2.0],
        "queries": [3],
        "trials": 3,
        "seed": 2,
        "aggregate": "of_medians",
        "rule": "taylor",
        "weights": [1, 3],
        "batch": ["BT"],
        "start": "observed",
        "tolerance": 0.5,
        "max_iterations": 7,
    }
    assert set(changes) == set(SMALL)
    first, second = pair
    for name, value in changes.items():
        first.setup, second.setup = SMALL, SMALL | {name: value}
        found = [each for each in comparison.settings([first, second]) if each.differs]
        assert len(found) == 1, name


@pytest.mark.parametrize("n", [0, 1, selectors.MOST_COMPARED + 1])
def test_too_few_or_too_many_lead_back_with_a_word(cast, as_user, n):
    found = [make_experiment(cast.alice, state=State.DONE) for _ in range(n)]
    client = as_user(cast.alice)
    answer = compared(client, found)
    assert (answer.status_code, answer["Location"]) == (302, reverse("experiments"))
    assert "Choose two to 4 experiments" in client.get(answer["Location"]).text


def test_one_without_a_result_cannot_be_compared(cast, as_user, pair):
    running = make_experiment(cast.alice, state=State.RUNNING, name="Later")
    client = as_user(cast.alice)
    assert compared(client, [*pair, running]).status_code == 302
    assert "no result to compare: Later" in client.get(reverse("experiments")).text


def test_the_oldest_stands_first(cast, as_user, pair):
    shown = compared(as_user(cast.alice), pair[::-1]).context["experiments"]
    assert shown == list(zip("AB", pair, strict=True))


def test_those_of_others_are_not_found(cast, as_user, pair):
    foreign = make_experiment(cast.carol, state=State.DONE)
    assert compared(as_user(cast.alice), [*pair, foreign]).status_code == 404
    assert compared(as_user(cast.carol), pair).status_code == 404
    broken = as_user(cast.alice).get(reverse("experiments-compare"), {"with": ["x", "y"]})
    assert broken.status_code == 404


@pytest.mark.long
def test_the_worker_finds_what_the_library_finds(cast, pair):
    again = make_experiment(cast.alice, state=State.RUNNING, setup=pair[1].setup)
    result, _files = compute(again, lambda _text: None)
    assert result["values"] == pair[1].values
