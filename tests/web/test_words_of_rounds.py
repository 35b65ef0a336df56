# SPDX-License-Identifier: Apache-2.0
"""Texts that fit the kind of round: slides, questions, judges, and boards without what a contest lacks."""

from __future__ import annotations

from types import SimpleNamespace

from django.utils import timezone

from pwscup.accounts.models import User
from pwscup.contests.guidance import next_step
from pwscup.leaderboards.boards import legends, texts
from pwscup.submissions.services import REFUSALS
from scoring.rulesets import load_ruleset


def test_a_part_that_weighs_nothing_is_not_listed():
    weights = {"utility": 30, "protection": 30, "attack": 20, "presentation": 0}
    said = texts.settings({"formula": "weighted-sum", "settings": weights})
    assert "weight of attack: 20" in said
    assert "presentation" not in said


def test_the_matrix_speaks_of_built_in_attacks_only_where_there_are_any():
    rules = load_ruleset("pets-lecture")
    for attack in (None, "S1"):
        section = {"rows": [{"attack": attack, "cells": []}], "defenders": []}
        words = " ".join(map(str, legends.legend_of("matrix", section, rules).paragraphs))
        assert ("Built-in attacks" in words) == (attack is not None)


def test_what_is_late_is_not_called_a_file():
    assert "file" not in str(REFUSALS["round.closed"])


def test_a_judge_is_not_asked_to_create_a_team(monkeypatch):
    monkeypatch.setattr("pwscup.contests.guidance.is_over", lambda *_: False)
    now = timezone.now()
    judged = SimpleNamespace(has_closed=lambda _now: True, local_title="Talks")
    contest = SimpleNamespace(slug="cup", rounds=None, paused_at=None)
    page = {"contest": contest, "contest_rounds": [], "now": now, "is_organizer": False}
    page |= {"my_team": None}
    monkeypatch.setattr("pwscup.contests.guidance.judged_round", lambda *_: judged)
    step = next_step(page, User())
    assert (str(step.title), str(step.words)) == (
        "You judge the presentations",
        "The time for grades is over.",
    )
