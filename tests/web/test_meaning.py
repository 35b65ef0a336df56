# SPDX-License-Identifier: Apache-2.0
"""The head of a result says something absolute; medals, stars and ranks only where they mean something."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from pwscup.audits.models import Audit
from pwscup.contests.models import Contest
from pwscup.leaderboards.boards.medals import has_medals
from pwscup.participants.meaning import DANGER, GOOD, UNKNOWN, WARNING
from tests.web import board_facts
from tests.web.test_boards_rulings import Kind, rule

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent", "announced")]


@pytest.fixture
def played(cast) -> SimpleNamespace:
    """Red, Blue and Green have submitted; the anonymization round is open, with exact feedback."""
    return board_facts.game(cast.contest, phase="anonymization")


def page(client, submission):
    return client.get(reverse("submission", args=[submission.public_id]))


def audited(submission, *rates):
    attacks = [{"attack": attack, "rate": rate} for attack, rate in rates]
    Audit.objects.create(submission=submission, state=Audit.State.DONE, values={"attacks": attacks})


def test_the_head_has_the_worst_rate_of_the_rules_and_a_next_step(cast, played, as_user):
    shown = page(as_user(cast.alice), played.submissions["Red"])
    meaning = shown.context["meaning"]
    values = shown.context["visible"].values
    worst = max(values[id_] for id_ in ("E1", "E2", "E3", "E4", "EUC1", "EUC2"))
    hits = round(worst * values["n_anonymized"])
    assert f"{hits} of {values['n_anonymized']} records are found" in meaning.sentence
    assert meaning.level == (DANGER if worst >= 0.5 else WARNING)
    assert meaning.official is None  # nothing stronger is known
    assert meaning.step_url == reverse("audit", args=[played.submissions["Red"].public_id])
    assert f"meaning-{meaning.level}" in shown.text


def test_a_stronger_attack_of_the_audit_stands_next_to_the_official_one(cast, played, as_user):
    submission = played.submissions["Green"]
    audited(submission, ("learned-linkage", 0.999), ("E1", 0.1))
    shown = page(as_user(cast.oscar), submission)
    meaning = shown.context["meaning"]
    assert meaning.level == DANGER
    assert meaning.official is not None
    assert meaning.official.rate < 0.999
    assert "The worst rate by the rules is" in shown.text
    assert meaning.step_url == reverse("submission-data", args=[submission.public_id])


def test_a_table_in_which_nothing_is_found(cast, played, as_user):
    values = board_facts.values_of(board_facts.RED) | dict.fromkeys(
        ("E1", "E2", "E3", "E4", "EUC1", "EUC2"), 0.0
    )
    found = board_facts.scored(played.teams["Red"], played.anonymization, values)
    meaning = page(as_user(cast.alice), found).context["meaning"]
    assert (meaning.sentence, meaning.level) == ("No known attack finds a record.", GOOD)


def test_hidden_rates_enter_nothing(cast, played, as_user):
    """Canary: rates that only organizers see, by the rules and by an audit."""
    attacks = ["E1", "E2", "E3", "E4", "EUC1", "EUC2"]
    Contest.objects.filter(pk=played.contest.pk).update(hidden_measures=attacks)
    audited(played.submissions["Red"], ("E1", 0.987654))
    shown = page(as_user(cast.alice), played.submissions["Red"])
    assert shown.context["meaning"].level == UNKNOWN
    assert "98.7" not in shown.text


def test_the_head_in_japanese(cast, played, as_user):
    with translation.override("ja"):
        shown = as_user(cast.alice).get(
            reverse("submission", args=[played.submissions["Red"].public_id]),
            headers={"Accept-Language": "ja"},
        )
    assert "件が攻撃「" in shown.context["meaning"].sentence


# Medals


def test_medals_need_three_teams_that_differ():
    assert has_medals([1, 2, 3])
    assert has_medals([1, 1, 3])
    assert not has_medals([1, 2])
    assert not has_medals([1, 1, 1, 1])
    assert not has_medals([])


def test_a_measure_at_its_worst_end_has_neither_medal_nor_star(cast, played, as_user):
    alice = as_user(cast.alice)
    tied = board_facts.values_of(board_facts.RED) | {"S1": 1}
    for name in ("Red", "Blue", "Green"):
        newest = board_facts.scored(played.teams[name], played.anonymization, tied)
        if name == "Red":
            own = newest
    ranks = alice.get(reverse("submission-ranks", args=[own.public_id])).context["rows"]
    assert not any(row["is_medal"] for row in ranks)  # all teams are equal
    rows = {
        row.measure.id: row
        for family in page(alice, own).context["families"]
        for row in family.rows
    }
    assert not rows["S1"].is_best  # 1: some record is unique
    better = board_facts.values_of(board_facts.RED) | {"S1": 4}
    last = board_facts.scored(played.teams["Red"], played.anonymization, better)
    again = alice.get(reverse("submission-ranks", args=[last.public_id])).context["rows"]
    assert {row["measure"].id for row in again if row["is_medal"]} == {"S1"}


def test_two_teams_get_no_medals_on_the_board(cast, played, as_user):
    address = reverse("board", args=[played.contest.slug])
    assert "no-medals" not in as_user(cast.oscar).get(address).text
    rule(played, "Green", Kind.WITHDRAWN, played.submissions["Green"])
    assert "no-medals" in as_user(cast.oscar).get(address).text


# The list of the team's submissions


def test_the_list_of_submissions_has_rank_and_total(cast, played, as_user):
    alice = as_user(cast.alice)
    own = played.submissions["Red"]
    listed = alice.get(reverse("round", args=[played.contest.slug, "anonymization"]))
    address = reverse("round-places", args=[played.contest.slug, "anonymization"])
    assert f'id="place-{own.pk}"' in listed.text
    assert address in listed.text
    places = alice.get(address)
    history = alice.get(reverse("submission-history", args=[own.public_id]))
    (attempt,) = history.context["attempts"]
    assert (
        f'<span id="place-{own.pk}" hx-swap-oob="true">{attempt.places.rank}</span>' in places.text
    )
    assert f"{attempt.places.total:.2f}" in places.text
    assert as_user(cast.eve).get(address).status_code == 404


def test_the_list_shows_no_rank_while_results_are_hidden(cast, played, as_user):
    played.contest.rounds.update(feedback="after_close")
    address = reverse("round-places", args=[played.contest.slug, "anonymization"])
    assert "place-" not in as_user(cast.alice).get(address).text
    assert timezone.now() < played.anonymization.closes_at
