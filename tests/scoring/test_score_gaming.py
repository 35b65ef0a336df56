# SPDX-License-Identifier: Apache-2.0
"""How the format of 2015 is gamed by its own definitions, and what the two answers among the rules change."""

from __future__ import annotations

import numpy as np
import pytest

from scoring.anonymizers import anonymize
from scoring.cli.main import main, parser
from scoring.datasets.households import HOUSEHOLDS_SCHEMA, households
from scoring.errors import ProblemsFound
from scoring.evaluate import score
from scoring.formulas import Scores, ranked
from scoring.formulas.ranking import AVERAGES, anonymization_board, attack_board, averaged
from scoring.measures.nearest_link import nearest_link
from scoring.registry import PWSCUP_2015
from scoring.rulesets import load_ruleset, parse_ruleset
from scoring.scores.comparison import Comparison
from tests.scoring import tables

GAMING = "gaming"
TEAMS = {  # as the house teams of the demo cup anonymize
    "noise": [("sa-noise", {})],
    "unify": [("record-deletion", {}), ("qi-unification", {})],
    "average": [("qi-unification", {}), ("class-average", {})],
    "swap": [("class-swap", {})],
    "mondrian": [("mondrian", {}), ("class-average", {})],
    GAMING: [("qi-unification", {}), ("yamaoka", {"spread": 50})],
}


@pytest.fixture(scope="module")
def measured():
    """Every team's measures; the gaming team keeps every amount and declares rows of its neighbours."""
    x = households(300, seed=2)
    rng = np.random.default_rng(1)
    values = {}
    for team, chain in TEAMS.items():
        made = anonymize(x, HOUSEHOLDS_SCHEMA, chain, rng=rng)
        if team == GAMING:
            amounts = list(HOUSEHOLDS_SCHEMA.sensitive)
            assert made.table[amounts].equals(x[amounts])
        measures = (*PWSCUP_2015, "nearest-link", "marginals")
        values[team] = score(x, made.table, made.source, HOUSEHOLDS_SCHEMA, measures=measures)
    return values


def test_who_swaps_the_claims_wins_by_the_paper_s_rules_and_loses_by_a_measure_without_claims(
    measured,
):
    papers = load_ruleset("pwscup2015").ranking
    board = anonymization_board(measured, papers)
    assert board[GAMING].rank == 1
    assert measured[GAMING]["EUC2"] < 0.05
    answered = anonymization_board(measured, load_ruleset("pwscup2015-robust").ranking)
    assert measured[GAMING]["nearest-link"] == 1
    assert answered[GAMING].safety_rank > board[GAMING].safety_rank
    assert answered[GAMING].rank > 1


def test_the_certainty_of_the_nearest_original_is_that_of_plain_code():
    for seed in range(0, 40, 4):
        case = tables.case(seed)
        x, y, names = case.original, case.anonymized, case.schema.sensitive_numeric
        got = nearest_link(Comparison.of(x, y, case.source, case.schema))
        if not names:
            assert got is None
            continue
        spread = {name: float(np.std(x[name].to_numpy(float))) for name in names}
        kept = [name for name in names if spread[name] > 0]
        total = 0.0
        for record in y.to_dict("records"):
            far = sorted(
                sum(((record[n] - other[n]) / spread[n]) ** 2 for n in kept) ** 0.5
                for other in x.to_dict("records")
            )
            first, second = (far[0], far[1]) if len(far) > 1 else (0.0, 1.0)
            total += 1 - first / second if second > 0 else 0
        assert got == pytest.approx(total / len(y), abs=1e-6), seed


def test_declared_rows_play_no_part_in_it():
    case = tables.case(8)
    pair = case.original, case.anonymized
    sources = case.source, case.source[::-1].copy()
    values = {nearest_link(Comparison.of(*pair, source, case.schema)) for source in sources}
    assert len(values) == 1


# Sacrificial teams

HONEST = [f"h{i}" for i in range(8)]
PREPARED = ["p1", "p2", "p3"]
CHEAT, BEST = "cheat", "best"


def rates():
    """The cheat finds 5 % of the others and all of its own teams, the best attacker 25 % of everybody."""
    defenders = [*HONEST, *PREPARED]
    return {
        CHEAT: {d: 1.0 if d in PREPARED else 0.05 for d in defenders},
        BEST: dict.fromkeys(defenders, 0.25),
        **{team: {} for team in defenders},
    }


@pytest.mark.parametrize(("average", "first"), [("mean", CHEAT), ("median", BEST)])
def test_three_teams_of_one_s_own_decide_the_mean_and_not_the_median(average, first):
    board = attack_board(rates(), [*HONEST, *PREPARED], average)
    assert board[first].rank == 1
    scores = Scores(
        (*HONEST, *PREPARED, CHEAT, BEST),
        {a: {d: 100 * r for d, r in of.items()} for a, of in rates().items()},
        defenders=frozenset([*HONEST, *PREPARED]),
        attackers=average,
    )
    lines = ranked("weighted-sum", scores, {"attack": 1.0, "utility": 0.0, "protection": 0.0})
    assert lines[first].rank == 1


def test_the_trimmed_mean_stands_a_quarter_of_prepared_targets():
    values = [5.0] * 9 + [100.0] * 3
    assert averaged(values, "trimmed") == averaged(values, "median") == 5
    assert averaged(values, "mean") == pytest.approx(28.75)
    assert {averaged([7.0], how) for how in AVERAGES} == {7}
    assert averaged([1.0, 2.0, 4.0, 100.0], "median") == 3
    assert averaged([1.0, 2.0, 4.0, 100.0], "trimmed") == 3


def test_an_unknown_average_is_refused():
    with pytest.raises(ValueError, match="attackers: expected one of mean, median, trimmed"):
        Scores(("a",), {}, attackers="mode")


def test_rank_at_home_takes_the_same_averages(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    defenders = [*HONEST, *PREPARED]
    lines = [",".join(["attacker", *defenders])]
    for attacker in (CHEAT, BEST):
        lines.append(",".join([attacker, *(str(100 * rates()[attacker][d]) for d in defenders)]))
    (tmp_path / "M.csv").write_text("\n".join(lines) + "\n")
    line = "rank --formula weighted-sum --set attack=1 --set utility=0 --set protection=0 --matrix M.csv"
    first = {}
    for average in AVERAGES:
        assert main([*line.split(), "--attackers", average]) == 0
        first[average] = capsys.readouterr().out.splitlines()[3].split()[1]
    assert first["mean"] == CHEAT
    assert first["median"] == BEST
    help_text = parser()._subparsers._group_actions[0].choices["rank"].format_help()
    assert all(name in help_text for name in AVERAGES)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('formula = "weighted-sum"', 'formula = "top-k-attack"'), "takes no average of attacks"),
        (('attackers = "mean"', 'attackers = "mode"'), "one of: mean, median, trimmed"),
    ],
)
def test_a_ruleset_names_a_known_average_where_there_is_one(change, expected):
    text = load_ruleset("template").text.replace(*change)
    with pytest.raises(ProblemsFound) as refused:
        parse_ruleset(text)
    problem = next(p for p in refused.value.problems if "attackers" in str(p.params))
    assert expected in problem.message


def test_a_ruleset_says_how_attackers_are_ranked():
    text = load_ruleset("template").text.replace('attackers = "mean"', 'attackers = "trimmed"')
    assert parse_ruleset(text).ranking.attackers == "trimmed"
    assert load_ruleset("pwscup2015").ranking.attackers == "mean"
