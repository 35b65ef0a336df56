# SPDX-License-Identifier: Apache-2.0
"""A contest of sequential release, played by the real services: every number on its boards again in plain Python."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.contests.models import Contest
from pwscup.leaderboards import services
from pwscup.submissions.results import finals
from tests.web import series_facts
from tests.web.series_facts import download

pytestmark = pytest.mark.django_db
UTILITY, RISK = series_facts.MEASURES[:6], series_facts.MEASURES[6:]
TEAMS = (*series_facts.METHODS, *series_facts.OTHERS)


def places(values, *, higher=False):
    """1 + how many are strictly better; without a value as many as there are teams."""

    def better(one, other):
        return one is not None and (one > other if higher else one < other)

    return {
        team: len(values) if v is None else 1 + sum(better(w, v) for w in values.values())
        for team, v in values.items()
    }


def mean(numbers):
    numbers = list(numbers)
    return sum(map(Fraction, numbers), Fraction(0)) / len(numbers)


def evaluated(submission):
    """The values that hold once the rounds are over."""
    return finals.values_of(submission.evaluations.get(), is_final=True)


def rows_of(section):
    return {row["name"]: row for row in section["rows"]}


def result(played) -> SimpleNamespace:
    """What was scored, and the places that follow from it."""
    measured = {name: evaluated(played.submissions[name]) for name in series_facts.METHODS}
    rates = {pair: evaluated(guess)["rate"] for pair, guess in played.guesses.items()}
    ranks = {
        id_: places({name: measured.get(name, {}).get(id_) for name in TEAMS})
        for id_ in series_facts.MEASURES
    }
    worst = {
        name: max(rate for (_by, target), rate in rates.items() if target == name)
        for name in measured
    }
    worst_ranks = places({name: worst.get(name) for name in TEAMS})
    utility = {name: mean(ranks[id_][name] for id_ in UTILITY) for name in TEAMS}
    safety = {
        name: mean([*(ranks[id_][name] for id_ in RISK), worst_ranks[name]]) for name in TEAMS
    }
    totals = {name: (utility[name] + safety[name]) / 2 for name in TEAMS}
    attack = {
        name: mean(rates.get((name, target), 0) for target in measured if target != name)
        for name in TEAMS
    }
    return SimpleNamespace(
        measured=measured,
        rates=rates,
        ranks=ranks,
        worst=worst,
        worst_ranks=worst_ranks,
        utility=utility,
        safety=safety,
        totals=totals,
        places=places(totals),
        attack=attack,
        attack_places=places({n: round(float(m), 9) for n, m in attack.items()}, higher=True),
    )


def close_to(number):
    return pytest.approx(float(number), abs=1e-9)


def check_series(section, result):
    shown = rows_of(section)
    assert set(shown) == set(TEAMS)
    for name, values in result.measured.items():
        row = shown[name]
        assert row["rank"] == result.places[name]
        assert row["total"] == close_to(result.totals[name])
        assert row["utility_rank"] == close_to(result.utility[name])
        assert row["safety_rank"] == close_to(result.safety[name])
        assert row["worst_rate"] == result.worst[name]
        assert row["worst_rank"] == result.worst_ranks[name]
        assert result.rates[row["worst_by"], name] == result.worst[name]
        assert [(cell["value"], cell["rank"]) for cell in row["cells"]] == [
            (values[id_], result.ranks[id_][name]) for id_ in series_facts.MEASURES
        ]
    without = {name for name, row in shown.items() if not row["submitted"]}
    assert without == set(series_facts.OTHERS)


def check_attacks(section, result):
    for name, row in rows_of(section).items():
        guessed = [pair for pair in result.rates if pair[0] == name]
        others = result.measured.keys() - {name}
        assert row["mean_rate"] == close_to(result.attack[name])
        assert row["rank"] == result.attack_places[name]
        assert (row["n_guessed"], row["n_targets"]) == (len(guessed), len(others))


def check_overall(section, result):
    totals = {
        name: (result.places[name] if name in result.measured else len(TEAMS)) / 2
        + result.attack_places[name] / 2
        for name in TEAMS
    }
    ranks = places(totals)
    for name, row in rows_of(section).items():
        took_part = name not in ("Black", "White")
        assert row["total"] == totals[name]
        assert row["rank"] == (ranks[name] if took_part else None)


def check_matrix(section, result):
    targets = [column["name"] for column in section["defenders"]]
    met = {
        (row["name"], target): cell["rate"]
        for row in section["rows"]
        for target, cell in zip(targets, row["cells"], strict=True)
    }
    assert set(targets) == set(result.measured)
    assert {pair: rate for pair, rate in met.items() if rate is not None} == result.rates


def check_rates(played, result):
    """A guess is worth what it is right about more than the baseline, of all people."""
    for (attacker, target), guess in played.guesses.items():
        truth = series_facts.people_of(played.teams[target])
        said = played.said[attacker, target]
        hits = sum(said.get(id_) == value for id_, value in truth.items())
        values = evaluated(guess)
        assert (values["n_records"], values["hits"]) == (series_facts.PEOPLE, hits)
        assert values["rate"] == round(max(0, hits - values["baseline_hits"]) / len(truth), 9)
    worst_guess = evaluated(played.guesses["Green", "Red"])
    assert worst_guess["hits"] < worst_guess["baseline_hits"]
    assert result.rates["Red", "Blue"] > result.rates["Green", "Red"] == 0


def check_downloads(client, contest, result):
    for line in download(client, contest, "anonymization"):
        for id_ in series_facts.MEASURES if line["total"] else ():
            assert float(line[id_]) == result.measured[line["team"]][id_]
    for line in download(client, contest, "matrix"):
        cells = {t: float(line[t]) for t in result.measured if line[t]}
        assert cells == {t: r for (by, t), r in result.rates.items() if by == line["attacker"]}


@pytest.mark.long
def test_every_number_follows_from_what_was_scored(client):
    played = series_facts.game()
    assert played.submissions["Black"].state == "rejected"
    contest = Contest.objects.get(pk=played.contest.pk)
    found, expected = services.boards_of(contest, timezone.now()).data, result(played)
    check_series(found["anonymization"], expected)
    check_attacks(found["attack"], expected)
    check_overall(found["overall"], expected)
    check_matrix(found["matrix"], expected)
    check_rates(played, expected)
    check_downloads(client, contest, expected)
