# SPDX-License-Identifier: Apache-2.0
"""A ruleset may name any measure of the library: it is scored, shown and ranked as those of 2015."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.conf import settings
from django.urls import reverse

from pwscup.contests.models import Contest
from pwscup.formats.common import evaluation
from pwscup.submissions.proof.reveals import purposes_of
from scoring.errors import ProblemsFound
from scoring.proof.commitments import derived_seed
from scoring.registry import MEASURES, PWSCUP_2015
from scoring.rulesets import load_ruleset, parse_ruleset
from tests.web import pipeline

FURTHER = tuple(id_ for id_ in MEASURES if id_ not in PWSCUP_2015)
RANKED = ("prosecutor-risk", "distinct-l", "t-closeness")
"""Lower, higher and lower is better."""
EVERYBODY_ALIKE = (
    b"qi1,qi2,qi3,sa1,sa2\n1,1,1,110,90\n1,1,1,220,390\n1,1,1,280,210\n1,1,1,390,520\n"
)


def ruleset_text(measures, **ranking) -> str:
    """The 2015 format with other measures, and others in its ranks."""
    text = load_ruleset("pwscup2015").text
    for key, ids in {"measures": measures, **ranking}.items():
        text = re.sub(rf"{key} = \[.*?\]", f"{key} = {json.dumps(ids)}", text, flags=re.DOTALL)
    return text


@pytest.fixture
def played(cast):
    """Red left the classes as they were; blue has one class of everybody."""
    text = ruleset_text(list(MEASURES), safety=RANKED)
    Contest.objects.update(ruleset_text=text)
    cast.contest = Contest.objects.get()
    round = cast.contest.rounds.get(key="anonymization")
    cast.of_red = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    cast.of_blue = pipeline.scored(
        pipeline.hand_in(cast.carol, cast.blue, round, anonymized=EVERYBODY_ALIKE)
    )
    return cast


def test_a_ruleset_needs_none_of_the_measures_of_2015():
    text = ruleset_text(FURTHER, utility=["at-risk"], safety=RANKED, linkage=["marketer-risk"])
    ruleset = parse_ruleset(text)
    assert ruleset.measures == FURTHER
    assert ruleset.ranking.safety == RANKED


def test_a_measure_that_the_ruleset_does_not_name_cannot_rank():
    with pytest.raises(ProblemsFound, match="safety"):
        parse_ruleset(ruleset_text(PWSCUP_2015, safety=RANKED))


def test_rates_can_be_compared_with_those_of_teams():
    rates = {(m.direction, m.low, m.high) for m in MEASURES.values() if m.is_rate}
    assert rates == {("lower", 0, 1)}


@pytest.mark.parametrize("id_", ["S1", "U6", "t-closeness"])
def test_what_is_no_rate_cannot_be_the_worst_rate(id_):
    with pytest.raises(ProblemsFound, match="linkage"):
        parse_ruleset(ruleset_text(list(MEASURES), linkage=["E1", id_]))


def test_every_measure_is_scored_and_shown(played, as_user):
    response = as_user(played.alice).get(reverse("submission", args=[played.of_red.public_id]))
    rows = {row.measure.id: row for family in response.context["families"] for row in family.rows}
    assert set(rows) == set(MEASURES)
    assert rows["prosecutor-risk"].value == 0.5
    assert rows["distinct-l"].value == 2
    assert rows["distinct-l"].measure.direction == "higher"
    body = response.content.decode()
    for id_ in MEASURES:
        assert f'<span class="measure-id">{id_}</span>' in body
        assert f'id="rank-{id_}"' in body


def test_ranks_follow_the_direction_of_the_catalog(played, as_user):
    address = reverse("submission-ranks", args=[played.of_red.public_id])
    rows = {row["measure"].id: row for row in as_user(played.alice).get(address).context["rows"]}
    # One class of four: 1/4 beats 1/2, four values beat two, distance 0 beats 1/3.
    assert [rows[id_]["rank"] for id_ in RANKED] == [2, 2, 2]
    assert [rows[id_]["best"] for id_ in RANKED] == [0.25, 4, 0]


def test_the_board_ranks_them(played, as_user):
    answer = as_user(played.oscar).get(reverse("board-csv", args=[played.contest.slug]))
    lines = {
        line["team"]: line
        for line in csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    }
    for id_ in RANKED:
        assert (lines["Red"][f"{id_}_rank"], lines["Blue"][f"{id_}_rank"]) == ("2", "1")
    board = as_user(played.oscar).get(reverse("board", args=[played.contest.slug]))
    for id_ in RANKED:
        assert id_ in board.content.decode()


def test_the_rules_have_words_for_them(played, as_user):
    response = as_user(None).get(reverse("rules", args=[played.contest.slug]))
    shown = {
        rule.measure.id: rule.measure
        for f in response.context["rules"].families
        for rule in f.measures
    }
    assert set(shown) == set(MEASURES)
    assert all(measure.summary and measure.best and measure.worst for measure in shown.values())
    assert shown["prosecutor-risk"].better == "lower is better"
    assert "nothing is lost" not in shown["t-closeness"].best


def test_without_built_in_attacks_there_is_no_empty_picture(cast, as_user):
    measures = ["U1", "marketer-risk", *RANKED]
    text = ruleset_text(measures, utility=["U1"], safety=RANKED, linkage=["marketer-risk"])
    Contest.objects.update(ruleset_text=text)
    round = Contest.objects.get().rounds.get(key="anonymization")
    submission = pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    body = as_user(cast.alice).get(reverse("submission", args=[submission.public_id]))
    shown = body.content.decode()
    assert '<span class="measure-id">marketer-risk</span>' in shown
    assert 'data-chart="linkage"' not in shown
    ranks = as_user(cast.alice).get(reverse("submission-ranks", args=[submission.public_id]))
    assert ranks.context["standing"].worst_by == "marketer-risk"
    assert ranks.context["standing"].worst_rate == 0.5


def test_measures_that_draw_take_their_seed_from_the_secret_the_same_for_all_teams(
    cast, monkeypatch
):
    text = ruleset_text([*PWSCUP_2015, "range-queries"], utility=["range-queries"])
    Contest.objects.update(ruleset_text=text)
    cast.contest = Contest.objects.get()
    round = cast.contest.rounds.get(key="anonymization")
    seeds, real = [], evaluation.score
    monkeypatch.setattr(
        evaluation, "score", lambda *a, **k: seeds.append(k["options"].seed) or real(*a, **k)
    )
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    pipeline.scored(pipeline.hand_in(cast.carol, cast.blue, round))
    cast.contest.refresh_from_db()
    secret = bytes.fromhex(storage_text(cast.contest.secret))
    purposes = ["measures/anonymization", "measures/anonymization/final"]
    mix = cast.contest.mixes["start"]
    assert seeds == [derived_seed(secret, purpose, mix) for purpose in purposes] * 2
    assert set(purposes) <= set(purposes_of(cast.contest))


def test_a_ruleset_without_measures_that_draw_needs_no_seed(cast):
    round = cast.contest.rounds.get(key="anonymization")
    pipeline.scored(pipeline.hand_in(cast.alice, cast.red, round))
    assert not [p for p in purposes_of(cast.contest) if p.startswith("measures/")]


def storage_text(file) -> str:
    return (settings.PRIVATE_ROOT / file.path).read_text()
