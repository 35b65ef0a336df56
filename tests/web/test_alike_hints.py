# SPDX-License-Identifier: Apache-2.0
"""Hints about tables and answers that are alike: opened on request and on record, for organizers only."""

from __future__ import annotations

import numpy as np
import pytest

from pwscup.contests import truth
from pwscup.contests.organize import hints
from pwscup.core.db.recent import Recent
from pwscup.core.models import Event
from pwscup.submissions import draws, evaluation
from pwscup.submissions.evaluation import likeness
from pwscup.submissions.models import Evaluation
from tests import factories
from tests.web import lecture, pipeline
from tests.web.pipeline import hand_in, scored

PAGE = "/organize/cup/teams/"


def found(contest) -> list[tuple[list[str], str]]:
    every = hints.hints_of(type(contest).objects.get(pk=contest.pk), opens_files=True)
    return [([team.name for team in hint.teams], hint.reason) for hint in every]


@pytest.fixture(autouse=True)
def _nothing_compared():
    for kept in list(Recent.ALL):
        kept.clear()


def test_equal_files_are_named_with_their_harmless_reason(cast, round, oscar, as_user):
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round))
    assert found(cast.contest) == []  # the round goes on
    pipeline.close(round)
    assert "equal files" not in oscar.get(PAGE).content.decode()
    assert not Event.objects.filter(data__reason="likeness in anonymization").exists()
    page = oscar.get(f"{PAGE}?compare=1").content.decode()
    assert "equal files. The same method with the same parameters gives equal files" in page
    oscar.get(f"{PAGE}?compare=1")
    assert (
        Event.objects.filter(kind="truth.read", data__reason="likeness in anonymization").count()
        == 1
    )
    assert [teams for teams, _reason in found(cast.contest)] == [["Red", "Blue"]]
    for user in (cast.alice, cast.eve, None):
        assert as_user(user).get(f"{PAGE}?compare=1").status_code in {302, 404}
    type(cast.contest).objects.update(erased_at=round.opens_at)
    assert found(cast.contest) == []


def test_different_files_are_none(cast, round):
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED))
    pipeline.close(round)
    assert found(cast.contest) == []


def test_tables_are_read_by_the_rows_that_they_were_made_from(cast, round):
    submission = hand_in(cast.alice, cast.red, round)
    scored(submission)
    names = ("qi1", "qi2", "qi3", "sa1", "sa2")
    table = likeness._table(submission, names, "test")
    rows = [int(line) - 1 for line in factories.ROWS.split()[1:]]
    lines = factories.NOISY.decode().split()[1:]
    assert {row: ",".join(line) for row, line in table.items()} == {
        row: ",".join(f"{float(cell):.12g}" for cell in line.split(","))
        for row, line in zip(rows, lines, strict=True)
    }


def test_an_original_that_was_passed_on_is_named(cast, oscar):
    """Red publishes lines of Blue's original, which it never had."""
    played = lecture.contest_of(cast)
    draws.draw_due()
    lecture.hand_in(cast.alice, played.red, lecture.own_table(played.blue))
    lecture.hand_in(cast.carol, played.blue, lecture.own_table(played.blue))
    played.contest.rounds.first().submissions.update(state="scored")
    pipeline.close(played.contest.rounds.first())
    (hint,) = [one for one in found(played.contest) if "never in its original" in one[1]]
    assert hint[0] == ["Red", "Blue"]
    assert "An original may have been passed on." in hint[1]


def test_answers_are_compared_where_both_are_wrong(cast, round, monkeypatch):
    """Guesses of rows: the second answer is right and no evidence, whatever two teams say there."""
    attack = cast.contest.rounds.get(key="attack")
    scored(hand_in(cast.alice, cast.red, round))
    scored(hand_in(cast.carol, cast.blue, round, anonymized=factories.AVERAGED))
    targets = pipeline.publish(cast.contest)
    guess = scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], b"1\n2\n3\n4\n"))
    seen = {}
    monkeypatch.setattr(likeness, "alike", lambda files, public: seen.update(files) or {})
    pipeline.close(attack)
    evaluation.compared(attack)
    right = truth.right_units(Evaluation.objects.get(submission=guess).right)
    rows = {place[-1] for place in seen[cast.red.pk]}
    assert rows == set(np.flatnonzero(~right).tolist())
    assert set(seen[cast.red.pk].values()) == {str(row + 1) for row in rows}
