# SPDX-License-Identifier: Apache-2.0
"""Pages of what is over: they say what was, not what to do; and what tells contests of one name apart."""

from __future__ import annotations

import pytest
from django.urls import reverse

from pwscup.archives.models import ContestImport
from pwscup.contests.models import Contest
from tests import factories
from tests.web import board_facts, disclosure_facts, pipeline, series_facts

pytestmark = pytest.mark.django_db
HOW_TO_SUBMIT = ("What to submit", "attempts left", "Attempts left", "submit them", "attempts per")


def text_of(client, name: str, *args) -> str:
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200
    return answer.content.decode()


def of_ranks(cast):
    return board_facts.game(cast.contest).contest, cast.alice


def of_a_hidden_table(cast):
    contest = factories.make_dp_contest(organizer=cast.oscar)
    factories.make_team(contest, "Red", cast.alice)
    played = disclosure_facts.game(contest=contest)
    pipeline.close(played.interactive)
    return contest, cast.alice


def of_scores(cast):
    played = board_facts.lecture()
    factories.make_team(played.contest, "Late", cast.alice)
    return played.contest, cast.alice


def of_a_series(cast):
    played = series_facts.made_up()
    factories.make_team(played.contest, "Late", cast.alice)
    return played.contest, cast.alice


@pytest.mark.parametrize("play", [of_ranks, of_a_hidden_table, of_scores, of_a_series])
def test_after_the_end_no_page_says_how_to_submit(cast, as_user, play):
    contest, member = play(cast)
    client = as_user(member)
    pages = {"contest": text_of(client, "contest", contest.slug)}
    for round in contest.rounds.all():
        pages[round.key] = text_of(client, "round", contest.slug, round.key)
        assert "The task of this round" in pages[round.key]
    found = {
        (name, words) for name, page in pages.items() for words in HOW_TO_SUBMIT if words in page
    }
    assert not found


def test_nothing_is_open_on_the_list_of_a_contest_that_is_over(cast, as_user):
    contest, _member = of_ranks(cast)
    page = text_of(as_user(cast.oscar), "organize-contest", contest.slug)
    assert "Everyone can see it, and its rounds are over." in page
    assert 'class="open"><a href="/organize/cup/rounds/"' not in page


def test_attempts_are_those_that_were_used_once_a_round_is_over(cast, as_user):
    played = board_facts.game(cast.contest)
    page = text_of(as_user(cast.alice), "round", "cup", "attack")
    assert "Attempts used" in page
    target = played.releases["Blue"]
    cell = page[page.index(f'id="target-{target.pk}-tries"') :].partition("</td>")[0]
    assert cell.endswith(">1")


def test_while_a_round_is_open_its_page_says_how_to_submit(cast, as_user):
    board_facts.game(cast.contest, phase="attack")
    page = text_of(as_user(cast.alice), "round", "cup", "attack")
    assert "What to submit" in page
    assert "Attempts left" in page
    assert "The task of this round" not in page


def test_contests_of_one_title_show_their_addresses(cast, as_user):
    other = factories.make_contest("other", organizer=cast.oscar)
    Contest.objects.filter(pk=other.pk).update(title=cast.contest.title)
    third = factories.make_contest("third", organizer=cast.oscar)
    Contest.objects.filter(pk=third.pk).update(title="Third")
    factories.make_team(other, "Again", cast.alice)
    factories.make_team(third, "Once more", cast.alice)
    for client, name in (
        (as_user(None), "home"),
        (as_user(cast.oscar), "organize"),
        (as_user(cast.alice), "account"),
    ):
        page = text_of(client, name)
        shown = [slug for slug in ("cup", "other", "third") if f">{slug}</code>" in page]
        assert shown == ["cup", "other"], name


def test_an_import_names_the_contest_that_it_made_and_the_time_for_its_reader(cast, oscar):
    job = ContestImport.objects.create(
        name="cup.zip",
        sha256="0",
        size_bytes=1,
        requested_by=cast.oscar,
        contest=cast.contest,
        state="done",
    )
    page = text_of(oscar, "organize-import")
    assert f'<code class="slug">{cast.contest.slug}</code>' in page
    assert f'datetime="{job.requested_at:%Y-%m-%dT%H:%M}' in page
    assert "data-your-time" in page
