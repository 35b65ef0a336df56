# SPDX-License-Identifier: Apache-2.0
"""Certificates of dry runs: who gains by the rules, the rule that answers, and what publishing asks for."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import translation

from benchmarks.cheaters import OPEN, RED, certificate_of, smaller
from pwscup.bots import services
from pwscup.bots.models import Rehearsal
from pwscup.contests.models import Contest
from pwscup.contests.services import ContestRefused, publish
from scoring.rulesets import load_ruleset, ruleset_names
from scoring.rulesets.answers import ANSWERS

pytestmark = pytest.mark.usefixtures("unsent")


@pytest.fixture
def contest(cast) -> Contest:
    """A draft by the rules of 2015."""
    cast.contest.is_published = False
    cast.contest.save()
    return cast.contest


def certified(contest: Contest, *cheaters: str) -> Rehearsal:
    """A finished dry run in which these cheaters gain."""
    lines = [
        {
            "cheater": name,
            "kind": "table",
            "value": 3,
            "usual": 1,
            "is_red": True,
            "answer": "truth",
        }
        for name in cheaters
    ]
    certificate = {"digest": contest.ruleset.digest, "lines": lines}
    return Rehearsal.objects.create(contest=contest, state="done", certificate=certificate)


@pytest.mark.parametrize(
    "name", ["pwscup2015", pytest.param("pwscup2015-season", marks=pytest.mark.long)]
)
def test_the_rules_of_2015_have_red_lines_and_each_names_its_answer(db, name):
    certificate = certificate_of(load_ruleset(name), 150)
    lines = {(line["cheater"], line["kind"]): line for line in certificate["lines"]}
    assert certificate["digest"] == load_ruleset(name).digest
    permuted = lines["permuted", "table"]
    assert (permuted["is_red"], permuted["answer"]) == (True, "truth")
    given = lines["sacrificial", "attack"]
    assert (given["is_red"], given["answer"]) == (True, "attackers")
    assert given["value"] > given["bound"] > given["usual"]
    assert not lines["constant", "attack"]["is_red"]


CLOSED = [name for name in ruleset_names() if name not in (*RED, *OPEN)]
PLAYED_EACH_TIME = ("microdata-classroom",)


@pytest.mark.whole
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in PLAYED_EACH_TIME else pytest.mark.long) for n in CLOSED],
)
def test_no_cheater_gains_by_a_shipped_format(db, name):
    certificate = certificate_of(smaller(load_ruleset(name)))
    played = [line["cheater"] for line in certificate["lines"]]
    assert "constant" in played
    assert [line for line in certificate["lines"] if line["is_red"]] == []


def test_the_page_shows_the_certificate_with_a_button_for_each_answer(contest, oscar):
    certified(contest, "permuted")
    page = oscar.get(reverse("organize-dry-run", args=[contest.slug])).content.decode()
    assert "each under the row of another record near it" in page
    assert 'value="truth"' in page


def test_one_press_adds_the_answer_and_the_certificate_no_longer_holds(cast, contest, oscar):
    certified(contest, "permuted")
    address = reverse("organize-dry-run", args=[contest.slug])
    form = {"answer": "truth", "version": contest.version}
    assert oscar.post(address, form).status_code == 302
    changed = Contest.objects.get(pk=contest.pk)
    assert not ANSWERS["truth"].is_missing(changed.ruleset)
    assert changed.ruleset_versions.count() >= 1
    assert "The rules have changed since" in oscar.get(address).content.decode()
    with pytest.raises(ContestRefused):
        services.add_answer(actor=cast.oscar, contest=changed, name="truth")
    with pytest.raises(ContestRefused):
        services.add_answer(actor=cast.oscar, contest=changed, name="nothing")


def test_rules_of_a_public_contest_are_not_changed_by_a_press(cast):
    with pytest.raises(ContestRefused):
        services.add_answer(actor=cast.oscar, contest=cast.contest, name="truth")


def test_publishing_with_a_red_line_asks_for_a_sentence_that_participants_read(
    cast, contest, oscar, client
):
    certified(contest, "permuted", "raw")
    overview = reverse("organize-contest", args=[contest.slug])
    assert 'name="sentence"' in oscar.get(overview).content.decode()
    address = reverse("organize-publish", args=[contest.slug])
    oscar.post(address, {"version": contest.version})
    assert not Contest.objects.get(pk=contest.pk).is_published
    oscar.post(address, {"version": contest.version, "sentence": "We look at the <files>."})
    assert Contest.objects.get(pk=contest.pk).is_published
    rules = reverse("rules", args=[contest.slug])
    page = client.get(rules).content.decode()
    assert "Known games" in page
    assert "We look at the &lt;files&gt;." in page
    assert "publishes the original table unchanged" in page
    with translation.override("ja"):
        japanese = client.get(rules, headers={"Accept-Language": "ja"}).content.decode()
    assert "元データをそのまま提出する" in japanese


def test_without_a_certificate_the_page_asks_and_a_program_does_not(cast, contest, oscar):
    address = reverse("organize-publish", args=[contest.slug])
    oscar.post(address, {"version": contest.version})
    assert not Contest.objects.get(pk=contest.pk).is_published
    publish(actor=cast.oscar, contest=contest)
    assert Contest.objects.get(pk=contest.pk).known_games == {}


def test_without_red_lines_nothing_is_asked(contest, oscar):
    certified(contest)
    overview = oscar.get(reverse("organize-contest", args=[contest.slug])).content.decode()
    assert 'name="sentence"' not in overview
    address = reverse("organize-publish", args=[contest.slug])
    oscar.post(address, {"version": contest.version})
    assert Contest.objects.get(pk=contest.pk).is_published


def test_a_certificate_of_other_rules_is_none(contest, oscar):
    rehearsal = certified(contest)
    rehearsal.certificate["digest"] = "0" * 64
    rehearsal.save()
    address = reverse("organize-publish", args=[contest.slug])
    oscar.post(address, {"version": contest.version})
    assert not Contest.objects.get(pk=contest.pk).is_published


@pytest.mark.parametrize("name", ["pets-lecture"])
def test_smaller_formats_have_the_same_rounds_and_boards(name):
    rules = load_ruleset(name)
    small = smaller(rules)
    assert [spec.key for spec in small.rounds] == [spec.key for spec in rules.rounds]
    assert small.boards == rules.boards
