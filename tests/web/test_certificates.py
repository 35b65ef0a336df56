# SPDX-License-Identifier: Apache-2.0
"""Certificates: the text on them, who gets one and when, and names that no font knows."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone
from pypdf import PdfReader

from pwscup.contests.models import Contest, Division
from pwscup.core.models import StoredFile
from pwscup.reports import certificates, lettering, pdf
from pwscup.reports.certificates import Certificate, Place
from pwscup.reports.outcome import blockers
from pwscup.submissions.decisions import rulings
from pwscup.submissions.models import LateAllowance, Ruling, Submission
from tests import factories
from tests.web import board_facts

pytestmark = pytest.mark.django_db


@pytest.fixture
def oscar():
    return factories.make_user("oscar", is_organizer=True)


@pytest.fixture
def game(oscar):
    """Three teams in a contest of ranks that is over; alice plays in Red, carol in Blue."""
    played = board_facts.game(factories.make_contest(organizer=oscar))
    played.oscar = oscar
    for name, team in (("alice", "Red"), ("carol", "Blue")):
        person = factories.make_user(name)
        played.teams[team].memberships.create(user=person, contest=played.contest)
        setattr(played, name, person)
    return played


def fresh(contest) -> Contest:
    return Contest.objects.get(pk=contest.pk)


def pages(data: bytes) -> list[str]:
    """The text of every page, ligatures and line breaks undone."""
    texts = (page.extract_text() for page in PdfReader(io.BytesIO(data)).pages)
    return [" ".join(text.split()) for text in texts]


def own(game, user, as_user, language="en"):
    url = reverse("certificate", args=[game.contest.slug])
    return as_user(user).get(url, {"language": language})


def made(team: str, **fields) -> Certificate:
    """A certificate of a contest that is nowhere."""
    given = {
        "language": "en",
        "contest": "Test Cup",
        "team": team,
        "place": Place(1, 3),
        "division": "",
        "place_in_division": None,
        "ended_on": "1 May 2026",
        "signers": ("Oscar",),
        "commitment": "",
        "reveal": "",
    }
    return Certificate(**given | fields)


# What stands on it


def test_the_place_is_that_on_the_final_board(game, as_user):
    # On paper (board_facts): Red is first in attacks and second with its table, Green last in both.
    ranks = {
        one.team: one.place
        for one in certificates.for_everybody(game.contest, timezone.now(), "en")
    }
    assert ranks == {"Red": Place(1, 3), "Blue": Place(2, 3), "Green": Place(3, 3)}
    answer = own(game, game.alice, as_user)
    assert answer["Content-Type"] == "application/pdf"
    assert "cup-red-certificate.pdf" in answer["Content-Disposition"]
    (text,) = pages(answer.content)
    assert "Test Cup" in text
    assert "Red" in text
    assert "rank 1 of 3" in text
    assert "Oscar" in text
    assert "Blue" not in text


def test_it_is_a4_and_has_every_font_inside(game, as_user):
    reader = PdfReader(io.BytesIO(own(game, game.alice, as_user, "ja").content))
    page = reader.pages[0]
    assert [round(float(side)) for side in page.mediabox[2:]] == [842, 595]
    fonts = [font.get_object() for font in page["/Resources"]["/Font"].values()]
    assert fonts
    assert all("/FontFile2" in font["/FontDescriptor"].get_object() for font in fonts)
    assert any("IPAexGothic" in font["/BaseFont"] for font in fonts)


def test_in_japanese_the_contest_has_its_japanese_title_and_date(game, as_user):
    game.attack.closes_at = datetime(2026, 5, 1, 15, 30, tzinfo=UTC)  # the 2nd in Tokyo
    game.attack.opens_at = game.attack.closes_at - timedelta(days=1)
    game.attack.save()
    game.anonymization.closes_at = game.attack.opens_at - timedelta(days=1)
    game.anonymization.opens_at = game.anonymization.closes_at - timedelta(days=1)
    game.anonymization.save()
    (japanese,) = pages(own(game, game.alice, as_user, "ja").content)
    assert "テスト杯" in japanese
    assert "2026年5月2日" in japanese
    (english,) = pages(own(game, game.alice, as_user, "en").content)
    assert "2 May 2026" in english


def test_a_division_has_a_rank_of_its_own(game, as_user):
    students = Division.objects.create(
        contest=game.contest, key="students", title="Students", title_ja="学生"
    )
    game.contest.teams.filter(name__in=("Blue", "Green")).update(division=students)
    (text,) = pages(own(game, game.carol, as_user).content)
    assert "rank 2 of 3" in text
    # Of these two Green has the lower total (17/12 against 18/12) and attacks better (0.3 against 0.25).
    assert "Division: Students, rank 2 of 2" in text
    assert "学生" in pages(own(game, game.carol, as_user, "ja").content)[0]


def test_the_fingerprints_are_in_small_print(game, as_user):
    stored = StoredFile.objects.create(
        area="published", path="reveal", name="reveal.json", sha256="e" * 64, size_bytes=1
    )
    Contest.objects.filter(pk=game.contest.pk).update(commitment="c" * 64, reveal=stored)
    (text,) = pages(own(game, game.alice, as_user).content)
    assert "c" * 64 in text
    assert "e" * 64 in text


def test_a_team_that_did_nothing_took_part(game):
    factories.make_team(game.contest, "Idle")
    found = certificates.for_everybody(game.contest, timezone.now(), "en")
    assert [one.team for one in found] == ["Red", "Blue", "Green", "Idle"]
    assert found[-1].place is None
    text = pages(pdf.document(found))[-1]
    assert "Certificate of Participation" in text
    assert "rank" not in text


def test_a_lecture_contest_gives_the_places_of_its_scores(oscar):
    played = board_facts.lecture()
    found = certificates.for_everybody(fresh(played.contest), timezone.now(), "en")
    assert [(one.team, one.place.rank) for one in found] == [("Blue", 1), ("Red", 2), ("Green", 3)]


def test_a_season_decides_and_practice_does_not(oscar):
    contest = board_facts.contest_of("pwscup2015-season", n_closed=4, slug="season")
    team = factories.make_team(contest, "Red")
    for round in contest.rounds.filter(kind="anonymization"):
        board_facts.scored(team, round, board_facts.values_of(board_facts.RED))
    factories.make_team(contest, "Idle")
    found = certificates.for_everybody(fresh(contest), timezone.now(), "en")
    assert [(one.team, one.place) for one in found] == [("Red", Place(1, 1)), ("Idle", None)]


# For whom, and when


def test_nobody_has_a_place_while_a_team_may_be_late(game, as_user):
    late = {"team": game.teams["Green"], "round": game.attack, "reason": "power cut"}
    now = timezone.now()
    rulings.allow_late(actor=game.oscar, until=now + timedelta(hours=1), **late)
    assert own(game, game.alice, as_user).status_code == 404
    hindered = blockers(fresh(game.contest), now, [game.attack])
    assert [str(words) for words in hindered] == [
        "A team may still submit late. Wait until its deadline has passed."
    ]
    LateAllowance.objects.update(until=now - timedelta(hours=1))
    assert own(game, game.alice, as_user).status_code == 200


def test_a_team_has_its_own_and_organizers_have_all(game, as_user):
    (red,), (blue,) = (pages(own(game, u, as_user).content) for u in (game.alice, game.carol))
    assert "Red" in red
    assert "Blue" in blue
    eve = factories.make_user("eve")
    assert own(game, eve, as_user).status_code == 404
    assert own(game, game.oscar, as_user).status_code == 404
    assert own(game, None, as_user).status_code == 302
    everything = reverse("organize-certificates", args=[game.contest.slug])
    answer = as_user(game.oscar).get(everything, {"language": "en"})
    texts = pages(answer.content)
    assert ["Red" in texts[0], "Blue" in texts[1], "Green" in texts[2]] == [True] * 3
    assert as_user(game.alice).get(everything).status_code == 404


def test_house_teams_get_none(game):
    game.contest.teams.filter(name="Red").update(is_house=True)
    found = certificates.for_everybody(game.contest, timezone.now(), "en")
    assert [(one.team, one.place.rank) for one in found] == [("Blue", 2), ("Green", 3)]


def test_who_is_disqualified_gets_none(game, as_user):
    overview = reverse("contest", args=[game.contest.slug])
    link = reverse("certificate", args=[game.contest.slug])
    assert link in as_user(game.alice).get(overview).content.decode()
    Ruling.objects.create(team=game.teams["Red"], kind="disqualified", reason="r")
    assert own(game, game.alice, as_user).status_code == 404
    assert link not in as_user(game.alice).get(overview).content.decode()
    found = certificates.for_everybody(game.contest, timezone.now(), "en")
    assert [(one.team, one.place) for one in found] == [
        ("Green", Place(1, 2)),
        ("Blue", Place(2, 2)),
    ]


@pytest.mark.parametrize("why", ["open", "frozen", "unscored"])
def test_there_is_none_before_the_final_board_stands(game, as_user, why):
    if why == "open":
        board_facts.move_to(game.contest, "attack")
    elif why == "frozen":
        Contest.objects.filter(pk=game.contest.pk).update(frozen_at=timezone.now())
    else:
        Submission.objects.filter(round=game.attack).update(state="running")
    assert own(game, game.alice, as_user).status_code == 404
    url = reverse("organize-certificates", args=[game.contest.slug])
    answer = as_user(game.oscar).get(url, follow=True)
    assert answer.redirect_chain == [(reverse("organize-report", args=[game.contest.slug]), 302)]
    reasons = {"open": "Rounds are not over yet", "frozen": "frozen", "unscored": "being scored"}
    assert reasons[why] in answer.content.decode()


def test_a_contest_without_teams_says_so(oscar, as_user):
    contest = factories.make_contest(organizer=oscar, phase="after")
    url = reverse("organize-certificates", args=[contest.slug])
    answer = as_user(oscar).get(url, follow=True).content.decode()
    assert "There is no team for a certificate." in answer


# Names


@pytest.mark.long
def test_names_of_any_script_and_length_are_drawn():
    names = [
        "匿名加工チーム",
        "亜" * 40,
        "W" * 40,
        "i" * 40,
        "🎉👨‍👩‍👧 😀",
        "فريق الأمل 2026",
        "Team צוות אלפא (a)",
        "ไทย ᚠᛇᚻ \u202eabc\u0000\ue123",
        "𠮷野家",
        "e\u0301\u0301\u0301",
        " ",
    ]
    longest = made("x", contest="長" * 100, division="分" * 60, signers=("署" * 50,) * 9)
    for language in ("en", "ja"):
        found = [made(name, language=language) for name in names]
        texts = pages(pdf.document([*found, longest]))
        assert len(texts) == len(names) + 1
        assert "匿名加工チーム" in texts[0]
        assert "".join(texts[1].split()).count("亜") == 40
        assert texts[2].replace(" ", "").count("W") >= 40


def drawn(text: str) -> str:
    lettering.register()
    return "".join(run.text for run in lettering.runs(text, ("serif", "gothic", "sans")))


def test_letters_stand_in_the_order_of_their_script():
    assert drawn("abc") == "abc"
    assert drawn("אבג") == "גבא"
    assert drawn("Team אבג 7") == "Team גבא 7"
    assert drawn("אבג abc") == "abc גבא"
    joined = drawn("فريق")
    assert len(joined) == 4
    assert all(0xFE70 <= ord(char) <= 0xFEFF for char in joined)  # the forms in which they join


def test_what_no_font_has_is_a_box_and_what_has_no_form_is_nothing():
    assert drawn("aᚠ" + chr(0x10FFFD)).startswith("a")
    assert drawn(chr(0x1F9FF)) == lettering.UNKNOWN
    assert lettering.clean("a\u200d\ufe0f\u202e\u0000b\nc") == "ab c"


def test_long_names_take_two_lines_and_are_cut_at_last():
    lettering.register()
    style = lettering.Style(("gothic",), "#000000", 30, 20)
    assert lettering.fitted("亜" * 10, style, 400, 2)[0] == 30
    size, lines = lettering.fitted("亜" * 30, style, 400, 2)
    assert len(lines) == 2
    assert size == 20
    assert all(lettering.width(line, size) <= 400 for line in lines)
    size, lines = lettering.fitted("亜" * 300, style, 400, 2)
    assert len(lines) == 2
    assert lines[-1][-1].text.endswith(lettering.ELLIPSIS)
    assert all(lettering.width(line, size) <= 400 for line in lines)


def test_the_same_certificate_has_the_same_bytes():
    assert pdf.document([made("Red")]) == pdf.document([made("Red")])
