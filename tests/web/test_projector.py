# SPDX-License-Identifier: Apache-2.0
"""The screen for a projector: places, pages, countdown, and nothing that the board does not show."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from pwscup.contests.models import Contest, Round
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import Submission
from tests import factories
from tests.web import board_facts, lecture, pipeline
from tests.web.pipeline import scored

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("sent")]
SCREEN = "/c/cup/board/projector/"
FRAGMENT = f"{SCREEN}fragment/"
FIRST = "First re-identification: Red, by Blue"


def everything_right(target) -> bytes:
    return "".join(f"{row + 1}\n" for row in lecture.key_of(target)).encode()


@pytest.fixture
def attacked(cast) -> SimpleNamespace:
    """Blue has found Red's records in an open round whose attackers see their rates at once; Red found none."""
    first = cast.contest.rounds.get(key="anonymization")
    for user, team in ((cast.alice, cast.red), (cast.carol, cast.blue)):
        assert scored(pipeline.hand_in(user, team, first)).state == "scored"
    targets = pipeline.publish(cast.contest)
    attack = cast.contest.rounds.get(key="attack")
    Round.objects.filter(pk=attack.pk).update(feedback=Round.Feedback.EXACT)
    none = scored(pipeline.guess(cast.alice, cast.red, targets["Blue"], b"0\n" * 4))
    right = scored(
        pipeline.guess(cast.carol, cast.blue, targets["Red"], everything_right(targets["Red"]))
    )
    return SimpleNamespace(**vars(cast), attack=attack, none=none, right=right)


def test_it_has_the_places_the_countdown_and_a_code_to_scan(cast, as_user):
    first = cast.contest.rounds.get(key="anonymization")
    scored(pipeline.hand_in(cast.alice, cast.red, first))
    text = as_user(None).get(SCREEN).text
    assert '<td>1</td><th scope="row">Red</th>' in text
    assert 'class="countdown"' in text
    assert "QR code of the contest" in text
    assert "http://testserver/c/cup/" in text
    assert 'http-equiv="refresh"' in text  # without JavaScript
    assert SCREEN in as_user(None).get("/c/cup/board/").text
    assert SCREEN in as_user(cast.oscar).get("/organize/cup/board/").text


def test_a_board_without_places_leads_to_the_main_one(attacked, as_user):
    reader = as_user(None)
    pipeline.close(attacked.attack)
    page = reader.get("/c/cup/board/?board=matrix").text
    assert f'href="{SCREEN}"' in page
    assert "This board has no places." in reader.get(f"{SCREEN}?board=matrix").text
    assert f'href="{SCREEN}?board=attack"' in reader.get("/c/cup/board/?board=attack").text


def test_it_is_polled_and_says_when_nothing_changed(cast, as_user):
    alice = as_user(cast.alice)
    answer = alice.get(FRAGMENT)
    assert "No submission has been scored yet." in answer.text
    assert alice.get(FRAGMENT, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    scored(pipeline.hand_in(cast.alice, cast.red, cast.contest.rounds.get(key="anonymization")))
    assert alice.get(FRAGMENT, headers={"If-None-Match": answer["ETag"]}).status_code == 200


def test_more_than_twelve_places_are_shown_page_by_page(cast, as_user):
    first = cast.contest.rounds.get(key="anonymization")
    measures = dict.fromkeys(cast.contest.ruleset.measures, 0.5)
    for n in range(13):
        board_facts.scored(factories.make_team(cast.contest, f"Team {n:02}"), first, measures)
    reader = as_user(None)
    one, two = reader.get(FRAGMENT).text, reader.get(f"{FRAGMENT}?page=2").text
    assert (one.count("<tr>") + one.count("<tr "), "1 / 2" in one) == (13, True)
    assert f'hx-get="{FRAGMENT}?page=2"' in one
    assert f'hx-get="{FRAGMENT}"' in two
    assert "2 / 2" in two
    assert f"url={SCREEN}?page=2" in reader.get(SCREEN).text
    for nonsense in ("0", "3", "-1", "x", "٣", "9" * 50):
        assert reader.get(f"{FRAGMENT}?page={nonsense}").text == one


def test_the_first_re_identification_is_celebrated_when_everybody_may_see_rates(attacked, as_user):
    for user in (None, attacked.alice, attacked.carol, attacked.oscar):
        assert "re-identification:" not in as_user(user).get(FRAGMENT).text
    pipeline.close(attacked.attack)
    text = as_user(None).get(FRAGMENT).text
    assert FIRST in text
    assert "is-new" in text
    now = timezone.now()
    pipeline.move(attacked.attack, now - timedelta(hours=4), now - timedelta(hours=3))
    text = as_user(None).get(FRAGMENT).text
    assert FIRST in text
    assert "is-new" not in text


def test_a_frozen_board_does_not_give_it_away(attacked, as_user):
    Submission.objects.filter(pk=attacked.right.pk).update(
        arrived_at=timezone.now() - timedelta(minutes=10)
    )
    pipeline.close(attacked.attack)
    before = timezone.now() - timedelta(minutes=20)
    Contest.objects.filter(pk=attacked.contest.pk).update(frozen_at=before)
    for user in (None, attacked.carol, attacked.oscar):
        text = as_user(user).get(FRAGMENT).text
        assert "re-identification:" not in text
        assert "Frozen: as of" in text


def test_withdrawn_guesses_and_disqualified_teams_are_nobody_s_first(attacked, as_user):
    pipeline.close(attacked.attack)
    rulings.withdraw(actor=attacked.oscar, submission=attacked.right, reason="Shared")
    assert "re-identification:" not in as_user(None).get(FRAGMENT).text
    rulings.reinstate_submission(actor=attacked.oscar, submission=attacked.right, reason="Checked")
    assert FIRST in as_user(None).get(FRAGMENT).text
    rulings.disqualify(actor=attacked.oscar, team=attacked.blue, reason="Shared")
    assert "re-identification:" not in as_user(None).get(FRAGMENT).text


def test_boards_for_teams_only_have_no_screen_for_others(cast, as_user):
    Contest.objects.filter(pk=cast.contest.pk).update(board_audience=Contest.Audience.TEAMS)
    assert as_user(None).get(SCREEN).status_code == 302
    assert as_user(cast.eve).get(SCREEN).status_code == 404
    assert as_user(cast.eve).get(FRAGMENT).status_code == 404
    assert as_user(cast.alice).get(SCREEN).status_code == 200
