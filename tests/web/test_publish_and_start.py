# SPDX-License-Identifier: Apache-2.0
"""Publication and the opening of the first round in one step: both, or nothing."""

from __future__ import annotations

import pytest
from django.utils import timezone

from pwscup.contests import services
from pwscup.contests.models import Contest
from pwscup.core.models import Event
from tests import factories
from tests.web import api

ADDRESS = "/organize/other/publish/"


@pytest.fixture
def other(cast) -> Contest:
    """A draft with a table, whose first round opens tomorrow."""
    return factories.make_contest("other", organizer=cast.oscar, phase="before", published=False)


def kinds(contest: Contest) -> list[str]:
    return list(Event.objects.filter(contest_id=contest.pk).values_list("kind", flat=True))


def is_open(contest: Contest) -> bool:
    found = Contest.objects.get(pk=contest.pk)
    return found.is_published and found.rounds.first().is_open(timezone.now())


def test_a_draft_is_published_and_its_first_round_opens(other, oscar):
    page = oscar.get("/organize/other/").content.decode()
    assert "Publish and open the first round now" in page
    lengths = [round.closes_at - round.opens_at for round in other.rounds.all()]
    page = oscar.post(
        ADDRESS, {"start": "1", "version": other.version, "sentence": "A practice."}, follow=True
    ).content.decode()
    assert "The contest is public, and its first round is open." in page
    assert is_open(other)
    assert [r.closes_at - r.opens_at for r in other.rounds.all()] == lengths
    assert kinds(other)[-2:] == ["contest.published", "contest.rounds_started"]


def test_a_program_does_the_same(cast, other):
    answer = api.Program(cast.oscar).post("/organize/contests/other/publish?start=true", {})
    assert answer.status_code == 200, answer.content
    assert is_open(other)


def test_without_a_table_nothing_happens(cast, draft, oscar):
    page = oscar.get("/organize/next/").content.decode()
    assert "Publish and open the first round now" not in page
    oscar.post("/organize/next/publish/", {"start": "1", "version": draft.version})
    assert not Contest.objects.get(pk=draft.pk).is_published
    assert "contest.published" not in kinds(draft)


def test_an_old_page_changes_nothing(cast, other):
    with pytest.raises(services.ChangedMeanwhile):
        services.publish_and_start(actor=cast.oscar, contest=other, version=other.version + 1)
    assert not is_open(other)
    assert kinds(other) == []
