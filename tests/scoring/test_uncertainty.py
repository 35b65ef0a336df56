# SPDX-License-Identifier: Apache-2.0
"""Intervals of totals and ranks: laws, an oracle that resamples records, and coverage over contests of known truth."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from scoring.cli.main import main
from scoring.formulas import FORMULAS, Scores, measure_ranks, ranked_boards
from scoring.formulas.measure_ranks import TableFacts
from scoring.formulas.places import TOTALS, board_places, measure_places
from scoring.formulas.uncertainty import Draws, Found, found_of, wilson
from scoring.questions.bitmaps import packed, unpacked
from scoring.reporting import intervals
from scoring.rulesets.base import BoardSpec, RankingSpec
from tests.every import every
from tests.scoring.contests import contest_of, judged
from tests.scoring.test_formulas import SETTINGS

SUM = BoardSpec("sum", {}, "sum")
EVERY = [
    BoardSpec(id_, {}, id_, SETTINGS.get(id_, {}), direction=formula.direction)
    for id_, formula in FORMULAS.items()
]


# One rate, and several of a table


def test_a_single_rate_has_wilsons_interval():
    for hits, n in [(0, 20), (3, 100), (50, 100), (20, 20)]:
        expected = intervals.wilson(hits, n)
        ends = wilson(np.array(hits / n), np.array(float(n)), np.array([-1.959964, 1.959964]))
        assert ends == pytest.approx([expected.low, expected.high], abs=1e-6)


def test_counts_are_those_of_the_bitmaps():
    bits = np.random.default_rng(0).random((3, 50)) < 0.4
    found = found_of({name: packed(row) for name, row in zip("abc", bits, strict=True)})
    assert found.n == 50
    assert found.together.tolist() == (bits.astype(int) @ bits.T.astype(int)).tolist()
    assert found_of({}).n == 0


def test_a_bitmap_of_another_length_is_left_out():
    rows = {
        "a": packed(np.ones(4, bool)),
        "b": packed(np.ones(5, bool)),
        "c": packed(np.ones(4, bool)),
    }
    assert found_of(rows).attackers == ("a", "c")


def test_draws_agree_with_a_bootstrap_over_records():
    """The slow oracle resamples the records themselves, the same for all attackers of a table."""
    contest = contest_of(3, n_teams=4, n=800)
    bits = {a: unpacked(of) for a, of in contest.bitmaps["t0"].items()}
    rng, n = np.random.default_rng(1), 800
    picked = rng.integers(0, n, (2_000, n))
    sampled = np.array([of[picked].mean(axis=1) for of in bits.values()])
    draws = Draws(list("t"), [], {}, {})
    rates = {(a, "t0"): of.mean() for a, of in bits.items()}
    draws = Draws(contest.observed.teams, [], rates, {"t0": found_of(contest.bitmaps["t0"])})
    rows = [draws.attackers[a] for a in bits]
    each = draws.each(draws.teams["t0"])[:, rows].T
    assert each.std(axis=1) == pytest.approx(sampled.std(axis=1), rel=0.1)
    assert np.corrcoef(each) == pytest.approx(np.corrcoef(sampled), abs=0.1)


def test_paired_attackers_are_compared_on_the_same_records():
    """Whoever finds what another one finds, and a few records more, is better for sure; independent ones are not."""
    base = np.random.default_rng(2).random(1_000) < 0.3
    more = base.copy()
    more[np.flatnonzero(~base)[:25]] = True
    rates = {"a": {"t": 100 * base.mean()}, "b": {"t": 100 * more.mean()}}
    scores = Scores(("a", "b", "t"), rates, defenders=frozenset({"t"}))
    spec = BoardSpec("s", {}, "weighted-sum", {"protection": 0, "attack": 1})
    boards = ranked_boards([spec], scores)
    together = {"t": found_of({"a": packed(base), "b": packed(more)})}
    assert board_places([spec], scores, together, boards)["s"]["b"].separable
    assert not board_places([spec], scores, {"t": Found(1_000)}, boards)["s"]["b"].separable


# Every formula


def _placed(spec, seed=0, **options):
    return judged(contest_of(seed, **options), spec)[0]


@pytest.mark.parametrize("spec", EVERY, ids=lambda spec: spec.key)
def test_rank_and_total_lie_within_their_intervals(spec):
    contest = contest_of(1, n_teams=6)
    scores = replace(contest.observed, loss=dict.fromkeys(contest.observed.teams, 1.0))
    boards = ranked_boards([spec], scores)
    places = board_places([spec], scores, contest.found, boards)[spec.key]
    assert places.keys() == boards[spec.key].keys()
    for team, line in boards[spec.key].items():
        place = places[team]
        assert 1 <= place.rank_low <= place.shared <= line.rank <= place.rank_high <= 6
        assert place.total_low - 1e-9 <= line.total <= place.total_high + 1e-9


@pytest.mark.parametrize("name", TOTALS)
def test_formulas_of_arrays_are_the_formulas(name):
    """The totals of draws without any error are the totals of the board."""
    spec = next(spec for spec in EVERY if spec.key == name)
    contest = contest_of(5)
    boards = ranked_boards([spec], contest.observed)[name]
    places = board_places([spec], contest.observed, {}, {name: boards})[name]
    for team, line in boards.items():
        ends = places[team].total_low, places[team].total_high
        assert ends == pytest.approx((line.total, line.total), abs=1e-4)


def test_boards_over_boards_and_the_best_tables():
    specs = [
        SUM,
        BoardSpec("best", {}, "top-k-attack", {"k": 2, "of": "total"}, boards=("sum",)),
        BoardSpec(
            "ranks",
            {},
            "board-ranks",
            boards=("sum", "best"),
            weights=(1.0, 1.0),
            direction="lower",
        ),
        BoardSpec("totals", {}, "board-totals", boards=("sum", "best"), weights=(0.5, 0.5)),
    ]
    contest = contest_of(2)
    boards = ranked_boards(specs, contest.observed)
    exact = board_places(specs, contest.observed, {}, boards)
    wide = board_places(specs, contest.observed, contest.found, boards)
    for key, lines in boards.items():
        for team, line in lines.items():
            assert exact[key][team].total_low == pytest.approx(line.total, abs=1e-4)
            assert wide[key][team].total_low <= line.total <= wide[key][team].total_high
            assert wide[key][team].rank_low <= line.rank <= wide[key][team].rank_high
    assert any(place.total_low < place.total_high for place in wide["ranks"].values())


def test_ranks_of_measures_move_with_the_worst_rate_only():
    contest = contest_of(4)
    teams = contest.observed.teams
    rates = {(a, d): r / 100 for a, of in contest.observed.matrix.items() for d, r in of.items()}
    measured = {team: {"U1": float(i), "S1": 2.0} for i, team in enumerate(teams)}
    facts = TableFacts(teams, measured, rates, frozenset(teams))
    ranking = RankingSpec(utility=("U1",), safety=("S1",))
    boards = measure_ranks(facts, ranking)
    exact = measure_places(facts, ranking, {}, boards)
    found = measure_places(facts, ranking, contest.found, boards)
    for team in teams:
        assert exact["overall"][team].total_low == pytest.approx(boards.overall[team].total)
        assert exact["anonymization"][team].total_high == pytest.approx(
            boards.anonymization[team].total
        )
        for name, line in (
            ("overall", boards.overall),
            ("anonymization", boards.anonymization),
            ("attack", boards.attack),
        ):
            assert found[name][team].rank_low <= line[team].rank <= found[name][team].rank_high
    assert measure_places(replace(facts, rates=None), ranking, {}, boards) == {}


# Laws


def test_the_order_of_teams_and_of_records_changes_nothing():
    contest = contest_of(6, n_teams=5)
    *_, places = judged(contest, SUM)[0]
    order = np.random.default_rng(0).permutation(200)
    moved = {
        team: {a: packed(unpacked(of[a])[order]) for a in reversed(of)}
        for team, of in reversed(contest.bitmaps.items())
    }
    scores = replace(contest.observed, teams=contest.observed.teams[::-1])
    boards = ranked_boards([SUM], scores)
    again = board_places([SUM], scores, {t: found_of(of) for t, of in moved.items()}, boards)["sum"]
    assert dict(again) == dict(places)


@every(3, seed=range(30))
def test_more_records_shrink_intervals(seed):
    contest = contest_of(seed)
    boards = ranked_boards([SUM], contest.observed)
    widths, ranks = [], []
    for n in (50, 500, 5_000):
        found = {team: Found(n) for team in contest.observed.teams}
        places = board_places([SUM], contest.observed, found, boards)["sum"].values()
        widths.append([place.total_high - place.total_low for place in places])
        ranks.append(sum(place.rank_high - place.rank_low for place in places))
    assert np.all(np.diff(widths, axis=0) < 0)
    assert ranks == sorted(ranks, reverse=True)


def test_groups_share_the_rank_of_their_best():
    lines, _, found = _placed(SUM, 8, n=60)
    ordered = sorted(found, key=lambda team: lines[team].rank)
    groups = {found[team].shared for team in ordered}
    assert {lines[team].rank for team in ordered} >= groups
    assert [found[team].shared for team in ordered] == sorted(
        found[team].shared for team in ordered
    )
    assert found[ordered[0]].shared == 1


def test_where_ranks_are_shared_rivals_are_those_of_other_groups():
    contest = contest_of(8, n=60)
    boards = ranked_boards([SUM], contest.observed)
    plain = board_places([SUM], contest.observed, contest.found, boards)["sum"]
    found = board_places([SUM], contest.observed, contest.found, boards, are_shared=True)["sum"]
    groups = {place.shared for place in plain.values()}
    assert 1 < len(groups) < len(plain)
    for team, place in found.items():
        assert place.shared == plain[team].shared
        assert place.rank_low <= place.shared <= place.rank_high
        assert place.rival in groups
        better = [rank for rank in groups if rank < place.shared]
        if better:
            assert place.rival == max(better)


def test_a_team_without_a_total_has_no_interval():
    scores = Scores(
        ("a", "b", "c"), {"a": {"b": 40.0}}, {"a": 50.0, "b": 60.0}, defenders=frozenset("ab")
    )
    boards = ranked_boards([SUM], scores)
    found = {"a": Found(10), "b": Found(10)}
    assert board_places([SUM], scores, found, boards)["sum"].keys() == {"a", "b"}
    assert board_places([SUM], Scores((), {}), {}, ranked_boards([SUM], Scores((), {}))) == {
        "sum": {}
    }


# Coverage


COVERED = [
    SUM,
    BoardSpec("mean", {}, "weighted-sum"),
    BoardSpec("attack", {}, "weighted-sum", {"protection": 0, "attack": 1, "utility": 0}),
]


def _coverage(seeds: range, **options) -> Iterator[tuple[str, float, float, float]]:
    """Of each board the share of covered totals, of covered ranks, and of contests in which equal teams differ."""
    counted = {spec.key: ([], [], []) for spec in COVERED}
    for seed in seeds:
        made = judged(contest_of(seed, equal=True, **options), *COVERED)
        for spec, (lines, truth, places) in zip(COVERED, made, strict=True):
            totals, ranks, parted = counted[spec.key]
            for team, place in places.items():
                true = truth[team]
                totals.append(place.total_low - 1e-9 <= true.total <= place.total_high + 1e-9)
                n_equal = sum(abs(line.total - true.total) < 1e-9 for line in truth.values())
                ranks.append(place.rank_low < true.rank + n_equal and true.rank <= place.rank_high)
            a, b = sorted(("t0", "t1"), key=lambda team: lines[team].rank)
            parted.append(lines[b].rank - lines[a].rank == 1 and bool(places[b].separable))
    for key, found in counted.items():
        yield key, *map(np.mean, found)


def test_intervals_cover_the_truth_of_some_contests():
    for key, totals, ranks, parted in _coverage(range(25), n_teams=5, n=300):
        assert totals >= 0.9, key
        assert ranks >= 0.95, key
        assert parted <= 0.1, key


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("n", [200, 2_000])
def test_intervals_cover_the_truth_of_a_thousand_contests(n):
    """Of totals 93 to 97 in 100; of ranks, which are whole numbers, no fewer; equal teams differ in at most 5."""
    for key, totals, ranks, parted in _coverage(range(1_000), n=n):
        assert 0.93 <= totals <= 0.97, (key, totals)
        assert ranks >= 0.93, (key, ranks)
        assert parted <= 0.05, (key, parted)


# Finding: what a board with few answers can order


def _cup(n: int, seed: int) -> tuple[Scores[str], dict[str, Found[str]]]:
    """22 teams as in a cup: neighbours are about two points apart, and every rate is that of n answers."""
    rng = np.random.default_rng(seed)
    teams = tuple(f"t{i:02}" for i in range(22))
    skill = rng.uniform(0, 0.12, 22)
    true = {
        a: {d: 0.1 + skill[i] + 0.02 * j for j, d in enumerate(teams) if d != a}
        for i, a in enumerate(teams)
    }
    matrix = {a: {d: 100 * rng.binomial(n, p) / n for d, p in of.items()} for a, of in true.items()}
    return Scores(teams, matrix), {team: Found(n) for team in teams}


def test_a_hundred_answers_order_few_neighbours_and_ten_thousand_nearly_all():
    spec = BoardSpec("p", {}, "weighted-sum", {"attack": 0})
    apart, widths = [], []
    for n in (100, 10_000):
        scores, found = _cup(n, 1)
        boards = ranked_boards([spec], scores)
        places = board_places([spec], scores, found, boards)["p"].values()
        apart.append(sum(bool(place.separable) for place in places))
        widths.append(np.mean([place.rank_high - place.rank_low for place in places]))
    assert apart[0] <= 3
    assert apart[1] >= 8
    assert widths[0] >= 8
    assert widths[1] <= 3


# The command


def _rank(tmp_path, capsys, *options):
    (tmp_path / "M.csv").write_text("attacker,a,b\na,,40\nb,30,\n", encoding="utf-8")
    status = main(
        ["rank", "--formula", "weighted-sum", "--matrix", str(tmp_path / "M.csv"), *options]
    )
    out, err = capsys.readouterr()
    return status, out, err


def test_the_command_shows_intervals(tmp_path, capsys):
    status, out, _ = _rank(tmp_path, capsys, "--intervals", "--answers", "50", "--json")
    teams = json.loads(out)["teams"]
    assert status == 0
    assert [(t["rank_low"], t["rank_high"], t["separable"]) for t in teams] == [(1, 2, False)] * 2
    assert all(t["total_low"] < t["total"] < t["total_high"] for t in teams)
    status, out, _ = _rank(tmp_path, capsys, "--intervals", "--answers", "50")
    assert "1–2" in out
    status, plain, _ = _rank(tmp_path, capsys)
    assert "1–2" not in plain


@pytest.mark.parametrize(
    "options", [["--intervals"], ["--answers", "5"], ["--intervals", "--answers", "0"]]
)
def test_the_command_wants_the_number_of_answers(tmp_path, capsys, options):
    status, _, err = _rank(tmp_path, capsys, *options)
    assert status == 2
    assert "--answers" in err


@pytest.mark.long
def test_a_hundred_teams_take_little_time():
    rng = np.random.default_rng(0)
    teams = tuple(f"t{i:03}" for i in range(100))
    matrix = {a: {d: float(rng.integers(0, 50)) for d in teams if d != a} for a in teams}
    scores = Scores(teams, matrix)
    boards = ranked_boards([SUM, COVERED[1]], scores)
    started = time.process_time()
    board_places([COVERED[1]], scores, {team: Found(10_000) for team in teams}, boards)
    assert time.process_time() - started < 2
